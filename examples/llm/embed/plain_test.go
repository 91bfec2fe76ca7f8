package embed

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid"
)

// plain is the model in plain Go, float64, one text: what the operators must agree with.
type plain struct {
	m *Model
	w map[string][]float32
}

func newPlain(t testing.TB, m *Model, folder string) plain {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := nereid.ReadSafetensors(f)
	if err != nil {
		t.Fatal(err)
	}
	p := plain{m, map[string][]float32{}}
	for name, x := range all {
		if p.w[name], err = nereid.AsSlice[float32](x); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// embed returns the vector of a text.
func (p plain) embed(text []int) []float64 {
	ids := append(append([]int{p.m.tok.Begin}, text...), p.m.tok.End)
	x := make([][]float64, len(ids))
	for i, id := range ids {
		x[i] = make([]float64, p.m.Dim)
		for j := range x[i] {
			x[i][j] = float64(p.w["embeddings.word_embeddings.weight"][id*p.m.Dim+j]) +
				float64(p.w["embeddings.position_embeddings.weight"][i*p.m.Dim+j]) +
				float64(p.w["embeddings.token_type_embeddings.weight"][j])
		}
		x[i] = p.norm("embeddings.LayerNorm", x[i])
	}
	for i := range p.m.config.Layers {
		p.layer(fmt.Sprintf("encoder.layer.%d.", i), x)
	}
	mean, square := make([]float64, p.m.Dim), 0.0
	for j := range mean {
		for i := range x {
			mean[j] += x[i][j]
		}
		square += mean[j] * mean[j]
	}
	for j := range mean {
		mean[j] /= math.Sqrt(square)
	}
	return mean
}

func (p plain) layer(name string, x [][]float64) {
	var q, k, v [][]float64
	for i := range x {
		q = append(q, p.linear(name+"attention.self.query", x[i]))
		k = append(k, p.linear(name+"attention.self.key", x[i]))
		v = append(v, p.linear(name+"attention.self.value", x[i]))
	}
	for i := range x {
		a := p.linear(name+"attention.output.dense", p.attend(q[i], k, v))
		y := p.norm(name+"attention.output.LayerNorm", add(a, x[i]))
		h := p.linear(name+"intermediate.dense", y)
		for j := range h {
			h[j] *= (1 + math.Erf(h[j]/math.Sqrt2)) / 2
		}
		x[i] = p.norm(name+"output.LayerNorm", add(p.linear(name+"output.dense", h), y))
	}
}

// attend returns what the heads of a token see.
func (p plain) attend(q []float64, k, v [][]float64) []float64 {
	out := make([]float64, p.m.Dim)
	size := p.m.Dim / p.m.config.Heads
	for from := 0; from < p.m.Dim; from += size {
		total := 0.0
		for i := range k {
			score := 0.0
			for d := from; d < from+size; d++ {
				score += q[d] * k[i][d]
			}
			score = math.Exp(score / math.Sqrt(float64(size)))
			total += score
			for d := from; d < from+size; d++ {
				out[d] += score * v[i][d]
			}
		}
		for d := from; d < from+size; d++ {
			out[d] /= total
		}
	}
	return out
}

func (p plain) linear(name string, x []float64) []float64 {
	w, out := p.w[name+".weight"], []float64(nil)
	for i, bias := range p.w[name+".bias"] {
		sum := float64(bias)
		for j := range x {
			sum += float64(w[i*len(x)+j]) * x[j]
		}
		out = append(out, sum)
	}
	return out
}

func (p plain) norm(name string, x []float64) []float64 {
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (v-mean)/math.Sqrt(variance+p.m.config.Epsilon)*float64(p.w[name+".weight"][i]) +
			float64(p.w[name+".bias"][i])
	}
	return out
}

func add(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}
