package embed

import (
	"fmt"
	"slices"

	"github.com/nereid-lang/nereid"
)

// layer has the weights of one layer.
type layer struct {
	qkv, output, up, down linear
	afterAttention, after norm
}

// linear is a matrix with a row for each output, and a bias.
type linear struct{ weight, bias *nereid.Tensor }

// norm has the weights of a layer norm.
type norm struct{ weight, bias *nereid.Tensor }

// load puts the weights on the device.
func (m *Model) load(tensors map[string]*nereid.Tensor) error {
	l := loader{m: m, tensors: tensors}
	c := &m.config
	m.words = l.put(l.values("embeddings.word_embeddings.weight", c.Vocabulary, c.Dim), c.Vocabulary, c.Dim)
	m.places = l.places()
	m.first = l.norm("embeddings.LayerNorm")
	for i := range c.Layers {
		name := func(part string) string { return fmt.Sprintf("encoder.layer.%d.%s", i, part) }
		self := func(part string) string { return name("attention.self." + part) }
		m.layers = append(m.layers, layer{
			qkv:            l.linear(c.Dim, c.Dim, self("query"), self("key"), self("value")),
			output:         l.linear(c.Dim, c.Dim, name("attention.output.dense")),
			afterAttention: l.norm(name("attention.output.LayerNorm")),
			up:             l.linear(c.FFN, c.Dim, name("intermediate.dense")),
			down:           l.linear(c.Dim, c.FFN, name("output.dense")),
			after:          l.norm(name("output.LayerNorm")),
		})
		if l.err != nil {
			break
		}
	}
	return l.err
}

// loader puts tensors on a device. After an error it does nothing.
type loader struct {
	m       *Model
	tensors map[string]*nereid.Tensor
	err     error
}

// values returns the elements of a tensor of the file, which must be fp32 and have a shape.
func (l *loader) values(name string, shape ...int) []float32 {
	if l.err != nil {
		return nil
	}
	t, ok := l.tensors[name]
	if !ok {
		l.err = fmt.Errorf("embed: the file has no tensor %q", name)
		return nil
	}
	if t.DType != nereid.Float32 || !slices.Equal(t.Shape, shape) {
		l.err = fmt.Errorf("embed: tensor %q is %s%v, not fp32%v", name, t.DType, t.Shape, shape)
		return nil
	}
	var data []float32
	data, l.err = nereid.AsSlice[float32](t)
	return data
}

// put returns a tensor on the device.
func (l *loader) put(data []float32, shape ...int) *nereid.Tensor {
	if l.err != nil {
		return nil
	}
	t, err := nereid.FromSlice(data, shape...).To(l.m.dev)
	if err != nil {
		l.err = err
		return nil
	}
	l.m.memory = append(l.m.memory, t)
	return t
}

// places returns the vectors of positions. Those of the first type of text, the only one there is here, are
// added to them.
func (l *loader) places() *nereid.Tensor {
	c := &l.m.config
	sum := slices.Clone(l.values("embeddings.position_embeddings.weight", c.Positions, c.Dim))
	types := l.values("embeddings.token_type_embeddings.weight", c.Types, c.Dim)
	if l.err != nil {
		return nil
	}
	for i := range sum {
		sum[i] += types[i%c.Dim]
	}
	return l.put(sum, c.Positions, c.Dim)
}

func (l *loader) norm(name string) norm {
	n := l.m.config.Dim
	return norm{l.put(l.values(name+".weight", n), n), l.put(l.values(name+".bias", n), n)}
}

// linear returns the layers of some names, each with so many outputs, as one.
func (l *loader) linear(outputs, inputs int, names ...string) linear {
	var weight, bias []float32
	for _, name := range names {
		weight = append(weight, l.values(name+".weight", outputs, inputs)...)
		bias = append(bias, l.values(name+".bias", outputs)...)
	}
	n := outputs * len(names)
	return linear{l.put(weight, n, inputs), l.put(bias, n)}
}
