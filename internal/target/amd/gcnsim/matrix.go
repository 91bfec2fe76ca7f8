package gcnsim

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/ring"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// element is a type of the factors of a matrix product: its size, and the value of its bits.
type element struct {
	bytes int
	value func(v uint64) float64
}

func formatted(f *num.Format) element {
	return element{f.Bits / 8, func(v uint64) float64 { return f.Decode(v) }}
}

// elements are the types by their names in instructions.
var elements = map[string]element{
	"f16":  {2, func(v uint64) float64 { return float64(halfToFloat(uint16(v))) }},
	"bf16": {2, func(v uint64) float64 { return float64(math.Float32frombits(uint32(v) << 16)) }},
	"f32":  {4, func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }},
	"xf32": {4, func(v uint64) float64 {
		return num.TF32.Round(float64(math.Float32frombits(uint32(v))))
	}},
	"f64":     {8, math.Float64frombits},
	"i8":      {1, func(v uint64) float64 { return float64(int8(v)) }},
	"fp8_fp8": formatted(num.F8E4M3FNUZ),
	"bf8_bf8": formatted(num.F8E5M2FNUZ),
}

// mixed are the types of products whose factors differ.
var mixed = map[string][2]string{"fp8_bf8": {"fp8_fp8", "bf8_bf8"}, "bf8_fp8": {"bf8_bf8", "fp8_fp8"}}

var matrixName = regexp.MustCompile(`^v_mfma_(f32|i32|f64)_(\d+)x(\d+)x(\d+)_?(?:(\d+)b_)?(.*?)(?:_1k)?$`)

// matrix is a product D = A*B + C of blocks: m by n by k, with the elements spread over the lanes.
type matrix struct {
	out        string
	m, n, k, b int
	perLane    int        // elements of A and B in a lane
	types      [2]element // types of A and B
	srcA, srcB int
	srcC       source
	dst, regs  int
	negA, negB bool
	ring       bool
}

// factor holds the elements of A or B: rows, each of all indices of the sum.
type factor struct {
	value [lanes * 8]float64
	bad   [lanes]bool // rows with elements that nothing wrote
}

// product is the room of a wave for a matrix product.
type product struct {
	a, b factor
	out  [32][lanes]uint32
	ok   [32]uint64
}

// buildMatrix builds v_mfma_*. Products are exact and summed in float64, then rounded once to the type of the
// result: the hardware rounds after each step of its own and differs in the last bits.
func buildMatrix(p *program, in *gcn.Inst) func(*wave) {
	g := matrixName.FindStringSubmatch(in.Base)
	if g == nil {
		return nil
	}
	x := &matrix{out: g[1], b: 1, ring: p.ring}
	x.m, _ = strconv.Atoi(g[2])
	x.n, _ = strconv.Atoi(g[3])
	x.k, _ = strconv.Atoi(g[4])
	types := [2]string{g[6], g[6]}
	if two, ok := mixed[g[6]]; ok {
		types = two
	}
	var okA, okB bool
	x.types[0], okA = elements[types[0]]
	x.types[1], okB = elements[types[1]]
	if p.ring && types[0] == "xf32" { // products do not round their operands
		x.types = [2]element{elements["f32"], elements["f32"]}
	}
	x.regs = in.Args[0].N
	x.b = x.regs * lanes / (x.m * x.n)
	if x.out == "f64" {
		x.b = max(1, x.b/2)
		x.negA, x.negB = in.Field("blgp")&1 != 0, in.Field("blgp")&2 != 0
	} else if in.Field("blgp") != 0 {
		return nil
	}
	if !okA || !okB || in.Field("cbsz") != 0 || strings.Contains(in.Base, "smfmac") {
		return nil
	}
	x.perLane = x.k * x.m * x.b / lanes
	x.dst, x.srcA, x.srcB = vectorOf(in.Args[0]), vectorOf(in.Args[1]), vectorOf(in.Args[2])
	x.srcC = newSource(in, in.Args[3], map[string]kind{"f32": kFloat, "f64": kDoub, "i32": kInt}[x.out])
	return x.run
}

// gather reads the elements of A or B: rows of rows elements of the sum's index.
func (x *matrix) gather(w *wave, reg, rows int, e element, f *factor) {
	f.bad = [lanes]bool{}
	for i := range x.perLane {
		bit := i * e.bytes * 8
		r := reg + bit/32
		ok := w.vOK[r]
		if e.bytes == 8 {
			ok &= w.vOK[r+1]
		}
		for lane := range lanes {
			row, rest := lane%rows, lane/rows
			block, k := rest%x.b, rest/x.b*x.perLane+i
			v := uint64(w.v[r][lane]) >> (bit % 32)
			if e.bytes == 8 {
				v |= uint64(w.v[r+1][lane]) << 32
			}
			f.value[(block*rows+row)*x.k+k] = e.value(v & (1<<(8*e.bytes) - 1))
			if ok>>lane&1 == 0 {
				f.bad[block*rows+row] = true
			}
		}
	}
}

// where returns the element of D that a lane holds in its i-th register (pair of registers for float64).
func (x *matrix) where(lane, i int) (block, row, col int) {
	switch {
	case x.out == "f64" && x.m == 16:
		return 0, 4*i + lane/16, lane % 16
	case x.out == "f64":
		return lane / 4 % 4, lane / 16, lane % 4
	case x.m == 32:
		return i / 16, i%16/4*8 + lane/32*4 + i%4, lane % 32
	case x.m == 16:
		return i / 4, lane/16*4 + i%4, lane % 16
	}
	return lane / 4, i, lane % 4
}

func (x *matrix) run(w *wave) {
	if w.product == nil {
		w.product = new(product)
	}
	f := w.product
	x.gather(w, x.srcA, x.m, x.types[0], &f.a)
	x.gather(w, x.srcB, x.n, x.types[1], &f.b)
	step := 1
	if x.out == "f64" {
		step = 2
	}
	c := x.srcC
	for i := range x.regs / step {
		if x.srcC.vector >= 0 {
			c.vector = x.srcC.vector + i*step
		}
		c.arg.N = step
		ok := c.load(w, &w.buf[0])
		var undef uint64
		for lane := range lanes {
			block, row, col := x.where(lane, i)
			w.buf[3][lane] = x.element(f, block, row, col, w.buf[0][lane])
			if f.a.bad[block*x.m+row] || f.b.bad[block*x.n+col] {
				undef |= 1 << lane
			}
		}
		x.put(w, i*step, step, ok&^undef)
	}
	x.commit(w)
}

// element returns an element of the result.
func (x *matrix) element(f *product, block, row, col int, c uint64) uint64 {
	a, b := f.a.value[(block*x.m+row)*x.k:][:x.k], f.b.value[(block*x.n+col)*x.k:][:x.k]
	switch x.out {
	case "i32":
		sum := int32(c)
		for k := range a {
			sum += int32(a[k]) * int32(b[k])
		}
		return uint64(uint32(sum))
	case "f64":
		return math.Float64bits(x.sum64(a, b, math.Float64frombits(c)))
	}
	if x.ring {
		return fromF32(float32(ring.Dot(num.F32, a, b, float64(f32(c)))))
	}
	sum := float64(f32(c))
	for k := range a {
		sum += a[k] * b[k]
	}
	return fromF32(float32(sum))
}

func (x *matrix) sum64(a, b []float64, c float64) float64 {
	for k := range a {
		p, q := a[k], b[k]
		if x.negA {
			p = -p
		}
		if x.negB {
			q = -q
		}
		if x.ring {
			c = ring.Fma(num.F64, p, q, c)
			continue
		}
		c = math.FMA(p, q, c)
	}
	return c
}

// put keeps a register of the result until all are computed, since D may be C, A or B.
func (x *matrix) put(w *wave, at, n int, ok uint64) {
	for j := range n {
		for lane := range lanes {
			w.product.out[at+j][lane] = uint32(w.buf[3][lane] >> (32 * j))
		}
		w.product.ok[at+j] = ok
	}
}

func (x *matrix) commit(w *wave) {
	for i := range x.regs {
		w.v[x.dst+i] = w.product.out[i]
		w.vOK[x.dst+i] = w.product.ok[i]
	}
}
