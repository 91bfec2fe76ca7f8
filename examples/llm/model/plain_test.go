package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"example.com/llm/gguf"
)

// plain is the model in plain Go, float64, one sequence: what the operators must agree with.
type plain struct {
	Config
	w map[string][][]float64
}

// reference returns the logits behind each token.
func reference(t testing.TB, f *gguf.File, ids []int) [][]float64 {
	t.Helper()
	c, err := configOf(f)
	if err != nil {
		t.Fatal(err)
	}
	p := plain{c, map[string][][]float64{}}
	for name, x := range f.Tensors {
		p.w[name] = dequantize(x)
	}
	x := make([][]float64, len(ids))
	for i, id := range ids {
		x[i] = p.w["token_embd.weight"][id]
	}
	for i := range p.Layers {
		p.layer(fmt.Sprintf("blk.%d.", i), x)
	}
	for i := range x {
		x[i] = times(p.w["token_embd.weight"], p.norm("output_norm", x[i]))
	}
	return x
}

func (p *plain) layer(name string, x [][]float64) {
	k, v := make([][]float64, len(x)), make([][]float64, len(x))
	for i := range x {
		h := p.norm(name+"attn_norm", x[i])
		q := p.turn(times(p.w[name+"attn_q.weight"], h), i)
		k[i], v[i] = p.turn(times(p.w[name+"attn_k.weight"], h), i), times(p.w[name+"attn_v.weight"], h)
		sum := make([]float64, p.Dim)
		for head := range p.Heads {
			n := p.HeadSize
			from := head / (p.Heads / p.KVHeads) * n
			scores, total := make([]float64, i+1), 0.0
			for j := range scores {
				scores[j] = math.Exp(dot(q[head*n:(head+1)*n], k[j][from:from+n]) / math.Sqrt(float64(n)))
				total += scores[j]
			}
			for j, s := range scores {
				for d := range n {
					sum[head*n+d] += s / total * v[j][from+d]
				}
			}
		}
		y := add(x[i], times(p.w[name+"attn_output.weight"], sum))
		h = p.norm(name+"ffn_norm", y)
		gate, up := times(p.w[name+"ffn_gate.weight"], h), times(p.w[name+"ffn_up.weight"], h)
		for j := range gate {
			gate[j] *= up[j] / (1 + math.Exp(-gate[j]))
		}
		x[i] = add(y, times(p.w[name+"ffn_down.weight"], gate))
	}
}

func (p *plain) norm(name string, x []float64) []float64 {
	out, w := make([]float64, len(x)), p.w[name+".weight"][0]
	for i := range x {
		out[i] = x[i] / math.Sqrt(dot(x, x)/float64(len(x))+p.Epsilon) * w[i]
	}
	return out
}

// turn is the rotary embedding of all heads of a token.
func (p *plain) turn(x []float64, position int) []float64 {
	out := make([]float64, len(x))
	for i := 0; i < len(x); i += 2 {
		angle := float64(position) * math.Pow(p.RopeBase, -float64(i%p.HeadSize)/float64(p.HeadSize))
		s, c := math.Sincos(angle)
		out[i], out[i+1] = x[i]*c-x[i+1]*s, x[i]*s+x[i+1]*c
	}
	return out
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func add(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] + b[i]
	}
	return out
}

func times(w [][]float64, x []float64) []float64 {
	out := make([]float64, len(w))
	for i := range w {
		out[i] = dot(w[i], x)
	}
	return out
}

// dequantize returns the rows of a tensor of F32, Q4_1 or Q8_0.
func dequantize(t gguf.Tensor) (rows [][]float64) {
	cols := t.Shape[len(t.Shape)-1]
	var row []float64
	for data := t.Data; len(data) > 0; {
		switch t.Type {
		case gguf.F32:
			row = append(row, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
			data = data[4:]
		case gguf.Q8_0:
			for _, b := range data[2:34] {
				row = append(row, half(data)*float64(int8(b)))
			}
			data = data[34:]
		case gguf.Q4_1:
			for i := range 32 {
				q := data[4+i%16] >> (i / 16 * 4) & 15
				row = append(row, half(data)*float64(q)+half(data[2:]))
			}
			data = data[20:]
		}
		if len(row) == cols {
			rows, row = append(rows, row), nil
		}
	}
	return rows
}

// half returns a normal number of fp16.
func half(b []byte) float64 {
	v := binary.LittleEndian.Uint16(b)
	x := math.Ldexp(float64(1024+int(v&0x3ff)), int(v>>10&31)-25)
	if v&0x8000 != 0 {
		return -x
	}
	return x
}
