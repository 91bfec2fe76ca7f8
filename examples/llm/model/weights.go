package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.com/llm/gguf"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// layer has the weights of one layer. Matrices that multiply the same vectors are one matrix.
type layer struct {
	attentionNorm, ffnNorm    *nereid.Tensor
	qkv, output, gateUp, down matrix
	keys, values              *nereid.Tensor // the cache: [pages, PageSize, heads of this rank, HeadSize]
}

// matrix is a matrix of weights with a row for each output: quantized as in the file, or of floats.
type matrix struct {
	quantized ops.Quantized
	dense     *nereid.Tensor
}

var formats = map[gguf.Type]ops.Format{gguf.Q4_0: ops.Q4_0, gguf.Q4_1: ops.Q4_1, gguf.Q8_0: ops.Q8_0,
	gguf.Q4_K: ops.Q4_K, gguf.Q6_K: ops.Q6_K}

var floats = map[gguf.Type]nereid.DType{gguf.F32: nereid.Float32, gguf.F16: nereid.Float16,
	gguf.BF16: nereid.BFloat16}

// times returns x times the transpose of the matrix.
func (w *matrix) times(s *ops.Stream, x *nereid.Tensor, options ...ops.MatMulOption) *nereid.Tensor {
	options = append(options, ops.FixedWeights)
	if w.dense != nil {
		return ops.MatMul(s, x, w.dense.Transpose(0, 1), options...)
	}
	return ops.MatMulQuantized(s, x, w.quantized, options...)
}

// rows returns rows of the matrix by index.
func (w *matrix) rows(s *ops.Stream, index *nereid.Tensor, dt nereid.DType) *nereid.Tensor {
	if w.dense != nil {
		return ops.Take(s, w.dense, index, 0)
	}
	return ops.TakeQuantized(s, w.quantized, index, dt)
}

// load puts the weights of a file on the device.
func (m *Model) load(f *gguf.File) (err error) {
	l := loader{m: m, file: f}
	m.embedding = l.matrix(m.Vocabulary, m.Dim, "token_embd.weight")
	m.head = m.embedding // unless the file has one
	if _, ok := f.Tensors["output.weight"]; ok {
		m.head = l.matrix(m.Vocabulary, m.Dim, "output.weight")
	}
	m.norm = l.vector("output_norm.weight")
	kv, cached := m.KVHeads*m.HeadSize, m.ranks.kvHeads
	for i := range m.Layers {
		name := func(part string) string { return fmt.Sprintf("blk.%d.%s.weight", i, part) }
		m.layers = append(m.layers, layer{
			attentionNorm: l.vector(name("attn_norm")),
			ffnNorm:       l.vector(name("ffn_norm")),
			qkv:           l.byOutputs(m.Dim+2*kv, m.Dim, name("attn_q"), name("attn_k"), name("attn_v")),
			output:        l.byInputs(m.Dim, m.Dim, name("attn_output")),
			gateUp:        l.byOutputs(2*m.FFN, m.Dim, name("ffn_gate"), name("ffn_up")),
			down:          l.byInputs(m.Dim, m.FFN, name("ffn_down")),
			keys:          l.zeros(m.dt, m.pages, PageSize, cached, m.HeadSize),
			values:        l.zeros(m.dt, m.pages, PageSize, cached, m.HeadSize),
		})
	}
	if l.err == nil { // the file has what it says, and the tables are no larger than it asks for
		m.angles(&l)
	}
	return l.err
}

// angles makes the tables of the rotary embedding.
func (m *Model) angles(l *loader) {
	half := m.HeadSize / 2
	n := m.Context + Block // a block may reach over the end
	cos, sin := make([]float32, n*half), make([]float32, n*half)
	for i := range cos {
		angle := float64(i/half) * math.Pow(m.RopeBase, -float64(i%half)/float64(half))
		s, c := math.Sincos(angle)
		cos[i], sin[i] = float32(c), float32(s)
	}
	table := func(values []float32) *nereid.Tensor { return l.put(nereid.FromSlice(values, n, half)) }
	m.rotary = ops.Rotary{Cos: table(cos), Sin: table(sin), Pairs: true}
}

// loader puts tensors on a device. After an error it does nothing.
type loader struct {
	m    *Model
	file *gguf.File
	err  error
	slab *nereid.Tensor // has the matrices that keep returned
	used int            // bytes of it
}

// put returns a copy of a tensor on the device.
func (l *loader) put(t *nereid.Tensor) *nereid.Tensor {
	if l.err == nil {
		t, l.err = t.To(l.m.dev)
	}
	if l.err == nil {
		l.m.memory = append(l.m.memory, t)
	}
	return t
}

func (l *loader) zeros(dt nereid.DType, shape ...int) *nereid.Tensor {
	if l.err != nil {
		return nil
	}
	t, err := nereid.NewTensor(l.m.dev, dt, shape...)
	if err == nil {
		l.m.memory = append(l.m.memory, t)
		err = t.Fill(0) // also positions that nothing was written to meet weights, of zero, in products
	}
	l.err = err
	return t
}

// tensor returns a tensor of the file.
func (l *loader) tensor(name string) gguf.Tensor {
	t, ok := l.file.Tensors[name]
	if !ok && l.err == nil {
		l.err = fmt.Errorf("model: the file has no tensor %q", name)
	}
	return t
}

// cut returns what a function makes of a tensor of the file.
func (l *loader) cut(name string, f func(gguf.Tensor) (gguf.Tensor, error)) gguf.Tensor {
	t := l.tensor(name)
	if l.err != nil {
		return t
	}
	part, err := f(t)
	if err != nil {
		l.err = fmt.Errorf("model: tensor %q: %w", name, err)
	}
	return part
}

// vector returns the weights of a norm, in the type of activations.
func (l *loader) vector(name string) *nereid.Tensor {
	t := l.tensor(name)
	if l.err == nil && (t.Type != gguf.F32 || !slices.Equal(t.Shape, []int{l.m.Dim})) {
		l.err = fmt.Errorf("model: tensor %q is %s%v, not F32[%d]", name, t.Type, t.Shape, l.m.Dim)
	}
	return l.floats(t)
}

// floats returns a tensor in the type of activations.
func (l *loader) floats(t gguf.Tensor) *nereid.Tensor {
	if l.err != nil {
		return nil
	}
	x := l.put(nereid.FromBytes(floats[t.Type], t.Data, t.Shape...))
	if l.err == nil && x.DType != l.m.dt {
		y := ops.Cast(l.m.s, x, l.m.dt)
		if l.err = y.Err(); l.err == nil {
			return l.put(y)
		}
	}
	return x
}

// byOutputs returns the matrix of this rank's rows of some tensors: as many of each for every rank. The whole
// of them has so many rows and columns.
func (l *loader) byOutputs(rows, cols int, names ...string) matrix {
	return l.part(rows/l.m.ranks.size, cols, l.m.ranks.outputs, names...)
}

// byInputs returns the matrix of this rank's columns of a tensor, which has so many rows and columns.
func (l *loader) byInputs(rows, cols int, name string) matrix {
	return l.part(rows, cols/l.m.ranks.size, l.m.ranks.inputs, name)
}

// matrix returns the matrix of all rows of a tensor.
func (l *loader) matrix(rows, cols int, name string) matrix {
	whole := func(t gguf.Tensor) (gguf.Tensor, error) { return t, nil }
	return l.part(rows, cols, whole, name)
}

// part returns the matrix of the rows of some tensors, of each of which it takes what cut returns.
func (l *loader) part(rows, cols int, cut func(gguf.Tensor) (gguf.Tensor, error),
	names ...string) (w matrix) {
	all := l.cut(names[0], cut)
	all.Data = slices.Clone(all.Data)
	all.Shape = slices.Clone(all.Shape)
	for _, name := range names[1:] {
		t := l.cut(name, cut)
		if l.err == nil && (t.Type != all.Type || len(t.Shape) != 2 || len(all.Shape) != 2) {
			l.err = fmt.Errorf("model: %q is %s%v, and %q %s%v", names[0], all.Type, all.Shape, name, t.Type,
				t.Shape)
		}
		if l.err != nil {
			return w
		}
		all.Data, all.Shape[0] = append(all.Data, t.Data...), all.Shape[0]+t.Shape[0]
	}
	if l.err == nil && !slices.Equal(all.Shape, []int{rows, cols}) {
		l.err = fmt.Errorf("model: %q have the shape %v, not %v", names, all.Shape, []int{rows, cols})
	}
	if _, dense := floats[all.Type]; dense {
		return matrix{dense: l.floats(all)}
	}
	if l.err != nil {
		return w
	}
	w.quantized = l.interleaved(ops.Quantized{Format: formats[all.Type], Rows: rows, Cols: cols,
		Data: nereid.FromSlice(all.Data, len(all.Data))})
	return w
}

// interleaved puts a matrix on the device, as its products read it fastest.
func (l *loader) interleaved(w ops.Quantized) ops.Quantized {
	data := w.Data
	if w.Data, l.err = data.To(l.m.dev); l.err != nil {
		return w
	}
	fast := ops.Interleave(l.m.s, w)
	if fast.Format == w.Format {
		l.m.memory = append(l.m.memory, w.Data)
		return w
	}
	err := fast.Data.Err()
	if err == nil {
		fast.Data, err = l.keep(fast.Data)
	}
	l.m.s.Reset()
	l.err = errors.Join(err, w.Data.Close())
	return fast
}

// keep returns a copy of a matrix. All of them lie in one piece of memory: a CPU then has it in large pages.
func (l *loader) keep(data *nereid.Tensor) (*nereid.Tensor, error) {
	size := (data.Len() + weightAlign - 1) / weightAlign * weightAlign
	if l.slab == nil || l.used+size > l.slab.Len() {
		total := size
		for _, t := range l.file.Tensors {
			total += (len(t.Data) + weightAlign - 1) / weightAlign * weightAlign
		}
		var err error
		if l.slab, err = nereid.NewTensor(l.m.dev, nereid.Uint8, total); err != nil {
			return nil, err
		}
		l.m.memory, l.used = append(l.m.memory, l.slab), 0
	}
	to := l.slab.Slice(0, l.used, l.used+data.Len(), 1)
	l.used += size
	return to, ops.Copy(l.m.s.Into(to), data).Err()
}

// weightAlign is what the address of a matrix is a multiple of.
const weightAlign = 256
