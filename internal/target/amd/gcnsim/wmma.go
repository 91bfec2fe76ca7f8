package gcnsim

import (
	"regexp"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/ring"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

var wmmaName = regexp.MustCompile(`^v_wmma_(f32|f16|bf16|i32)_16x16x16_(f16|bf16|iu8)$`)

// wmma is a product of 16 by 16 by 16 of RDNA 3. A lane holds a row of A and a column of B, the upper 16
// lanes the same as the lower; of the result, the lower lanes hold the even rows and the upper lanes the odd
// ones.
type wmma struct {
	out        string
	in         string
	bytes      int
	srcA, srcB int
	srcC       source
	dst, regs  int
	high       bool // 16-bit results lie in upper halves
	signed     [2]bool
	ring       bool
}

func buildWMMA(p *program, in *gcn.Inst) func(*wave) {
	g := wmmaName.FindStringSubmatch(in.Base)
	if g == nil {
		return nil
	}
	x := &wmma{ring: p.ring, out: g[1], in: g[2], bytes: 2, srcA: vectorOf(in.Args[1]),
		srcB: vectorOf(in.Args[2]), dst: vectorOf(in.Args[0]), regs: in.Args[0].N,
		high: in.Field("op_sel")&4 != 0}
	if x.in == "iu8" {
		x.bytes = 1
		x.signed = [2]bool{in.Field("neg")&1 != 0, in.Field("neg")&2 != 0}
	}
	x.srcC = newSource(in, in.Args[3],
		map[string]kind{"f32": kFloat, "f16": kHalf, "bf16": kHalf, "i32": kInt}[x.out])
	x.srcC.mods, x.srcC.half = gcn.Mods{}, false
	return x.run
}

// value returns an element of A or B.
func (x *wmma) value(w *wave, reg, lane, k int, signed bool) float64 {
	bit := k * x.bytes * 8
	v := w.v[reg+bit/32][lane] >> (bit % 32)
	switch {
	case x.in == "f16":
		return float64(halfToFloat(uint16(v)))
	case x.in == "bf16":
		return elements["bf16"].value(uint64(v & 0xffff))
	case signed:
		return float64(int8(v))
	}
	return float64(uint8(v))
}

func (x *wmma) run(w *wave) {
	if w.product == nil {
		w.product = new(product)
	}
	n := x.bytes * 4 // registers of A and B
	okA, okB := w.okVector(x.srcA, n), w.okVector(x.srcB, n)
	c := x.srcC
	for i := range x.regs {
		if x.srcC.vector >= 0 {
			c.vector = x.srcC.vector + i
		}
		c.arg.N = 1
		ok := c.fetch(w, &w.buf[0])
		for lane := range 32 {
			row, col := 2*i+lane/16, lane%16
			w.product.out[i][lane] = x.element(w, row, col, uint32(w.buf[0][lane]))
			if okA>>row&1 == 0 || okB>>col&1 == 0 {
				ok &^= 1 << lane
			}
		}
		w.product.ok[i] = ok
	}
	for i := range x.regs {
		w.v[x.dst+i], w.vOK[x.dst+i] = w.product.out[i], w.product.ok[i]
	}
}

// element returns an element of the result. Sums are taken in float64 and rounded once.
func (x *wmma) element(w *wave, row, col int, c uint32) uint32 {
	var sum float64
	switch {
	case x.out == "f32":
		sum = float64(f32(uint64(c)))
	case x.out == "i32":
		sum = float64(int32(c))
	default:
		h := uint64(c)
		if x.high {
			h >>= 16
		}
		sum = x.format().Decode(h & 0xffff)
	}
	for k := range 16 {
		a, b := x.value(w, x.srcA, row, k, x.signed[0]), x.value(w, x.srcB, col, k, x.signed[1])
		if x.ring && x.out != "i32" {
			sum = ring.Fma(x.format(), a, b, sum)
		} else {
			sum += a * b
		}
	}
	switch {
	case x.out == "f32":
		return uint32(fromF32(float32(sum)))
	case x.out == "i32":
		return uint32(int64(sum))
	case x.high:
		return c&0xffff | uint32(x.format().Encode(sum))<<16
	}
	return c&^0xffff | uint32(x.format().Encode(sum))
}

func (x *wmma) format() *num.Format {
	switch x.out {
	case "bf16":
		return num.BF16
	case "f16":
		return num.F16
	}
	return num.F32
}
