package ptxsim

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/target/simmem"
)

var matrixOps = map[string]decoder{"mma": mma, "ldmatrix": ldmatrix, "stmatrix": stmatrix}

// fragment says where an element of a tile is: which lane, which register, which part of it.
type fragment func(row, col int) (lane, reg, part int)

// mma decodes mma.sync: rows of A times columns of B plus C.
func mma(s *stmt) (action, error) {
	var shape string
	for _, p := range s.parts {
		if p[0] == 'm' && strings.ContainsRune(p, 'k') {
			shape = p
		}
	}
	var m, n, k int
	if _, err := fmt.Sscanf(shape, "m%dn%dk%d", &m, &n, &k); err != nil || len(s.types) != 4 ||
		len(s.ops) != 4 {
		return nil, fmt.Errorf("this form of mma is not known")
	}
	td, ta, tb, tc := s.types[0], s.factor(s.types[1]), s.factor(s.types[2]), s.types[3]
	multiply := s.multiplier(td)
	if m != 16 && !(m == 8 && ta.bits == 64) {
		return nil, fmt.Errorf("mma of %d rows", m)
	}
	per := 32 / ta.bits
	fa, fb, fc := operandA(per), operandB(per), accumulator(td.bits)
	if ta.bits == 64 {
		fa = func(r, c int) (int, int, int) { return r*4 + c%4, r/8 + c/4*2, 0 }
		if m == 8 {
			fa = func(r, c int) (int, int, int) { return r*4 + c, 0, 0 }
		}
		fb = func(r, c int) (int, int, int) { return c*4 + r%4, r / 4, 0 }
	}
	return func(c *block, act []int32) {
		if len(act) != 32 {
			c.fail(act[0], "mma with %d threads", len(act))
		}
		w := act[0] &^ 31
		a := readTile(c, w, s.ops[1].elems, ta, m, k, fa)
		b := readTile(c, w, s.ops[2].elems, tb, k, n, fb)
		acc := readTile(c, w, s.ops[3].elems, tc, m, n, fc)
		multiply(a, b, acc, m, n, k)
		writeTile(c, w, s.ops[0].elems, td, acc, m, n, fc)
	}, nil
}

// operandA and operandB are the layouts of m16n8k* operands with so many elements in a register.
func operandA(per int) fragment {
	return func(r, c int) (int, int, int) {
		return r%8*4 + c/per%4, r/8 + c/(4*per)*2, c % per
	}
}

func operandB(per int) fragment {
	return func(r, c int) (int, int, int) { return c*4 + r/per%4, r / (4 * per), r % per }
}

// accumulator returns the layout of C and D: two neighbours in a lane, in one register when they have 16
// bits.
func accumulator(bits int) fragment {
	return func(r, c int) (int, int, int) {
		reg := r/8*2 + c%2 + c/8*4
		if bits == 16 {
			return r%8*4 + c%8/2, reg / 2, reg % 2
		}
		return r%8*4 + c%8/2, reg, 0
	}
}

func (t typ) value(v uint64) float64 {
	switch t.kind {
	case 's':
		return float64(t.signed(v))
	case 'u':
		return float64(t.mask(v))
	}
	if t.fmt == num.TF32 {
		return float64(types["f32"].float(v &^ 0x1fff))
	}
	return t.float(t.mask(v))
}

func readTile(c *block, w int32, regs []operand, t typ, rows, cols int, f fragment) []float64 {
	out := make([]float64, rows*cols)
	for r := range rows {
		for k := range cols {
			lane, reg, part := f(r, k)
			v := regs[reg].get(c, w+int32(lane)) >> (part * t.bits)
			out[r*cols+k] = t.value(v)
		}
	}
	return out
}

// multiply adds m rows of A times B to acc.
func multiply(a, b, acc []float64, m, n, k int) {
	for i := range m {
		row := acc[i*n : i*n+n]
		for x := range k {
			f := a[i*k+x]
			for j, v := range b[x*n : x*n+n] {
				row[j] += f * v
			}
		}
	}
}

func writeTile(c *block, w int32, regs []operand, t typ, vals []float64, rows, cols int, f fragment) {
	for r := range rows {
		for k := range cols {
			lane, reg, part := f(r, k)
			th := w + int32(lane)
			var v uint64
			if t.kind == 'f' {
				v = t.round(vals[r*cols+k])
			} else {
				v = t.mask(uint64(int64(vals[r*cols+k])))
			}
			if t.bits == 16 {
				old := c.regs[regs[reg].reg*c.n+int(th)]
				v = old&^(0xffff<<(16*part)) | v<<(16*part)
			}
			c.set(regs[reg].reg, th, v)
		}
	}
}

// ldmatrix reads up to four 8x8 matrices of 16-bit elements; lanes 8i to 8i+7 have the addresses of the rows
// of matrix i.
func ldmatrix(s *stmt) (action, error) {
	b, off, err := s.base(1)
	if err != nil {
		return nil, err
	}
	outs := s.elems(0, typ{})
	trans := s.has("trans")
	return func(c *block, act []int32) {
		if len(act) != 32 {
			c.fail(act[0], "ldmatrix with %d threads", len(act))
		}
		w := act[0] &^ 31
		for i, o := range outs {
			var rows [8][]byte
			var at [8]uint64
			for r := range rows {
				th := w + int32(i*8+r)
				at[r] = (b.get(c, th) + off) & 0xffffffff
				rows[r] = c.bytes(shared, th, at[r], 16, false)
			}
			c.banks.matrix(c, at)
			for lane := range 32 {
				r, k := lane/4, lane%4*2
				var v uint64
				if trans {
					v = simmem.Load(rows[k][2*r:], 2) | simmem.Load(rows[k+1][2*r:], 2)<<16
				} else {
					v = simmem.Load(rows[r][2*k:], 4)
				}
				c.set(o.reg, w+int32(lane), v)
			}
		}
	}, nil
}

func stmatrix(s *stmt) (action, error) {
	b, off, err := s.base(0)
	if err != nil {
		return nil, err
	}
	ins := s.elems(1, typ{})
	trans := s.has("trans")
	return func(c *block, act []int32) {
		w := act[0] &^ 31
		for i := range ins {
			var rows [8][]byte
			var at [8]uint64
			for r := range rows {
				th := w + int32(i*8+r)
				at[r] = (b.get(c, th) + off) & 0xffffffff
				rows[r] = c.bytes(shared, th, at[r], 16, true)
			}
			c.banks.matrix(c, at)
			for lane := range 32 {
				r, k := lane/4, lane%4*2
				v := ins[i].get(c, w+int32(lane))
				if trans {
					simmem.Store(rows[k][2*r:], v&0xffff, 2)
					simmem.Store(rows[k+1][2*r:], v>>16, 2)
				} else {
					simmem.Store(rows[r][2*k:], v, 4)
				}
			}
			c.settle()
		}
	}, nil
}
