package ptxsim

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// The integer instructions, judged by whole numbers without a width: operands are read as the type says,
// computed with exactly, and cut to the width of the result.

// wholeOp is an instruction with the numbers that it must give.
type wholeOp struct {
	text string // with its types
	in   [3]string
	out  string                                 // type of the result
	want func(a, b, c *big.Int) (want *big.Int) // nil: undefined for these operands
}

// width and signed are those of a type such as s32.
func width(typ string) (bits int) {
	fmt.Sscanf(typ[1:], "%d", &bits)
	return bits
}

func integer(v int64) *big.Int { return big.NewInt(v) }

func power(n int) *big.Int { return new(big.Int).Lsh(integer(1), uint(n)) }

// whole reads the bits of an operand of a type.
func whole(bits uint64, typ string) *big.Int {
	v := new(big.Int).SetUint64(bits)
	v.And(v, new(big.Int).Sub(power(width(typ)), integer(1)))
	if typ[0] == 's' && v.Bit(width(typ)-1) == 1 {
		v.Sub(v, power(width(typ)))
	}
	return v
}

// cut returns the bits of a number in a type.
func cut(v *big.Int, typ string) uint64 {
	return new(big.Int).And(v, new(big.Int).Sub(power(width(typ)), integer(1))).Uint64()
}

func exactly(f func(z, a, b *big.Int) *big.Int) func(a, b, c *big.Int) *big.Int {
	return func(a, b, _ *big.Int) *big.Int { return f(new(big.Int), a, b) }
}

// ints2 are instructions of two numbers of every type.
var ints2 = map[string]func(a, b, c *big.Int) *big.Int{
	"add": exactly((*big.Int).Add), "sub": exactly((*big.Int).Sub), "mul.lo": exactly((*big.Int).Mul),
	"min": func(a, b, _ *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	},
	"max": func(a, b, _ *big.Int) *big.Int {
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	},
	"div": divided((*big.Int).Quo), "rem": divided((*big.Int).Rem),
}

// divided is a quotient or a remainder, cut toward zero; by zero it is undefined.
func divided(f func(z, a, b *big.Int) *big.Int) func(a, b, c *big.Int) *big.Int {
	return func(a, b, _ *big.Int) *big.Int {
		if b.Sign() == 0 {
			return nil
		}
		return f(new(big.Int), a, b)
	}
}

var compares = map[string]func(sign int) bool{
	"eq": func(s int) bool { return s == 0 }, "ne": func(s int) bool { return s != 0 },
	"lt": func(s int) bool { return s < 0 }, "le": func(s int) bool { return s <= 0 },
	"gt": func(s int) bool { return s > 0 }, "ge": func(s int) bool { return s >= 0 },
}

func wholeOps() (list []wholeOp) {
	for _, t := range []string{"u16", "s16", "u32", "s32", "u64", "s64"} {
		for name, f := range ints2 {
			list = append(list, wholeOp{name + "." + t, [3]string{t, t}, t, f})
		}
		list = append(list, productOps(t)...)
		list = append(list,
			wholeOp{"shr." + t, [3]string{t, "u32"}, t, func(a, n, _ *big.Int) *big.Int {
				return new(big.Int).Rsh(a, uint(min(n.Uint64(), 64)))
			}},
			wholeOp{"shl.b" + t[1:], [3]string{t, "u32"}, t, func(a, n, _ *big.Int) *big.Int {
				return new(big.Int).Lsh(a, uint(min(n.Uint64(), 64)))
			}},
			wholeOp{"not.b" + t[1:], [3]string{t}, t,
				func(a, _, _ *big.Int) *big.Int { return new(big.Int).Not(a) }},
			wholeOp{"and.b" + t[1:], [3]string{t, t}, t, exactly((*big.Int).And)},
			wholeOp{"or.b" + t[1:], [3]string{t, t}, t, exactly((*big.Int).Or)},
			wholeOp{"xor.b" + t[1:], [3]string{t, t}, t, exactly((*big.Int).Xor)})
		for name, f := range compares {
			list = append(list, wholeOp{"setp." + name + "." + t, [3]string{t, t}, "u32",
				func(a, b, _ *big.Int) *big.Int {
					if f(a.Cmp(b)) {
						return integer(1)
					}
					return integer(0)
				}})
		}
		if t[0] == 's' {
			list = append(list, wholeOp{"abs." + t, [3]string{t}, t,
				func(a, _, _ *big.Int) *big.Int { return new(big.Int).Abs(a) }},
				wholeOp{"neg." + t, [3]string{t}, t,
					func(a, _, _ *big.Int) *big.Int { return new(big.Int).Neg(a) }})
		}
		list = append(list, convertOps(t)...)
	}
	return append(append(list, bitOps()...), wordOps...)
}

// productOps are the products of a type.
func productOps(t string) (list []wholeOp) {
	high := func(a, b *big.Int) *big.Int {
		return new(big.Int).Rsh(new(big.Int).Mul(a, b), uint(width(t)))
	}
	list = append(list, wholeOp{"mul.hi." + t, [3]string{t, t}, t,
		func(a, b, _ *big.Int) *big.Int { return high(a, b) }},
		wholeOp{"mad.lo." + t, [3]string{t, t, t}, t, func(a, b, c *big.Int) *big.Int {
			return new(big.Int).Add(new(big.Int).Mul(a, b), c)
		}},
		wholeOp{"mad.hi." + t, [3]string{t, t, t}, t, func(a, b, c *big.Int) *big.Int {
			return new(big.Int).Add(high(a, b), c)
		}})
	if width(t) == 64 {
		return list
	}
	w := t[:1] + fmt.Sprint(2*width(t))
	return append(list, wholeOp{"mul.wide." + t, [3]string{t, t}, w, exactly((*big.Int).Mul)},
		wholeOp{"mad.wide." + t, [3]string{t, t, w}, w, func(a, b, c *big.Int) *big.Int {
			return new(big.Int).Add(new(big.Int).Mul(a, b), c)
		}})
}

// convertOps are the conversions from a type to others, cut or at the bounds.
func convertOps(from string) (list []wholeOp) {
	for _, to := range []string{"u16", "s16", "u32", "s32", "u64", "s64"} {
		list = append(list, wholeOp{"cvt." + to + "." + from, [3]string{from}, to,
			func(a, _, _ *big.Int) *big.Int { return a }})
		lo, hi := integer(0), new(big.Int).Sub(power(width(to)), integer(1))
		if to[0] == 's' {
			lo, hi = new(big.Int).Neg(power(width(to)-1)), new(big.Int).Sub(power(width(to)-1), integer(1))
		}
		if from[0] != to[0] || width(from) > width(to) {
			list = append(list, wholeOp{"cvt.sat." + to + "." + from, [3]string{from}, to,
				func(a, _, _ *big.Int) *big.Int {
					if a.Cmp(lo) < 0 {
						return lo
					}
					if a.Cmp(hi) > 0 {
						return hi
					}
					return a
				}})
		}
	}
	return list
}

// bitOps look at single bits, as the manual of PTX writes them down.
func bitOps() (list []wholeOp) {
	for _, w := range []string{"32", "64"} {
		n := width("u" + w)
		u := "u" + w
		list = append(list, wholeOp{"popc.b" + w, [3]string{u}, "u32", func(a, _, _ *big.Int) *big.Int {
			ones := 0
			for i := range n {
				ones += int(a.Bit(i))
			}
			return integer(int64(ones))
		}}, wholeOp{"clz.b" + w, [3]string{u}, "u32", func(a, _, _ *big.Int) *big.Int {
			return integer(int64(n - a.BitLen()))
		}}, wholeOp{"brev.b" + w, [3]string{u}, u, func(a, _, _ *big.Int) *big.Int {
			out := new(big.Int)
			for i := range n {
				out.SetBit(out, n-1-i, a.Bit(i))
			}
			return out
		}})
		for _, t := range []string{"u" + w, "s" + w} {
			list = append(list, wholeOp{"bfe." + t, [3]string{t, "u32", "u32"}, t, fieldOf(t)})
			for _, form := range []string{"", ".shiftamt"} {
				list = append(list, wholeOp{"bfind" + form + "." + t, [3]string{t}, "u32", highest(n, form != "")})
			}
		}
	}
	return list
}

// fieldOf cuts a field out of a number, with its sign.
func fieldOf(t string) func(a, b, c *big.Int) *big.Int {
	n := width(t)
	return func(a, b, c *big.Int) *big.Int {
		pos, size, out := int(b.Uint64()&0xff), int(c.Uint64()&0xff), new(big.Int)
		sign := uint(0)
		if t[0] == 's' && size > 0 {
			sign = a.Bit(min(pos+size-1, n-1))
		}
		for i := range n {
			bit := sign
			if i < size && pos+i < n {
				bit = a.Bit(pos + i)
			}
			out.SetBit(out, i, bit)
		}
		return out
	}
}

// highest finds the highest bit that is not the sign, or how far it is from the top.
func highest(n int, amount bool) func(a, b, c *big.Int) *big.Int {
	return func(a, _, _ *big.Int) *big.Int {
		if a.Sign() < 0 {
			a = new(big.Int).Not(a)
		}
		at := a.BitLen() - 1
		if at >= 0 && amount {
			at = n - 1 - at
		}
		return integer(int64(at))
	}
}

// wordOps are instructions of words alone.
var wordOps = []wholeOp{
	{"add.sat.s32", [3]string{"s32", "s32"}, "s32", func(a, b, _ *big.Int) *big.Int {
		return integer(min(max(a.Int64()+b.Int64(), -1<<31), 1<<31-1))
	}},
	{"sad.u32", [3]string{"u32", "u32", "u32"}, "u32", func(a, b, c *big.Int) *big.Int {
		d := new(big.Int).Sub(a, b)
		return d.Add(d.Abs(d), c)
	}},
	{"sad.s32", [3]string{"s32", "s32", "s32"}, "s32", func(a, b, c *big.Int) *big.Int {
		d := new(big.Int).Sub(a, b)
		return d.Add(d.Abs(d), c)
	}},
	{"prmt.b32", [3]string{"u32", "u32", "u32"}, "u32", func(a, b, c *big.Int) *big.Int {
		all, out := new(big.Int).Add(new(big.Int).Lsh(b, 32), a), new(big.Int)
		for i := range 32 {
			pick := int(c.Uint64() >> (4 * (i / 8)) & 15)
			bit := i % 8
			if pick >= 8 {
				bit = 7
			}
			out.SetBit(out, i, all.Bit(8*(pick%8)+bit))
		}
		return out
	}},
	funnelOp("l", "wrap"), funnelOp("l", "clamp"), funnelOp("r", "wrap"), funnelOp("r", "clamp"),
	lop3Op(0x96), lop3Op(0xe8), lop3Op(0x2a), lop3Op(0x1b),
}

func funnelOp(side, mode string) wholeOp {
	return wholeOp{"shf." + side + "." + mode + ".b32", [3]string{"u32", "u32", "u32"}, "u32",
		func(a, b, c *big.Int) *big.Int {
			n := uint(min(c.Uint64(), 32))
			if mode == "wrap" {
				n = uint(c.Uint64() % 32)
			}
			all := new(big.Int).Add(new(big.Int).Lsh(b, 32), a)
			if side == "l" {
				return all.Rsh(all.Lsh(all, n), 32)
			}
			return all.Rsh(all, n)
		}}
}

func lop3Op(table int) wholeOp {
	return wholeOp{fmt.Sprintf("lop3.b32 %d", table), [3]string{"u32", "u32", "u32"}, "u32",
		func(a, b, c *big.Int) *big.Int {
			out := new(big.Int)
			for i := range 32 {
				row := a.Bit(i)*4 + b.Bit(i)*2 + c.Bit(i)
				out.SetBit(out, i, uint(table>>row&1))
			}
			return out
		}}
}

// kernel is PTX in which thread i executes the instruction on the three numbers of row i.
func (o wholeOp) kernel() string {
	var b strings.Builder
	b.WriteString(".visible .entry k(.param .u64 p)\n.reqntid 32\n{\n.reg .pred %q;\n.reg .b32 %t;\n" +
		".reg .b64 %x, %y, %z;\nmov.u32 %t, %tid.x;\nld.param.u64 %x, [p];\n" +
		"mul.wide.u32 %y, %t, 32;\nadd.s64 %z, %x, %y;\n")
	name, rest, _ := strings.Cut(o.text, " ")
	args := []string{"%d"}
	for i, t := range o.in {
		if t != "" {
			args = append(args, fmt.Sprintf("%%i%d", i))
			fmt.Fprintf(&b, ".reg .b%d %%i%d;\nld.global.b%[1]d %%i%[2]d, [%%z+%d];\n", width(t), i, 8*i)
		}
	}
	if rest != "" {
		args = append(args, rest)
	}
	fmt.Fprintf(&b, ".reg .b%d %%d;\n", width(o.out))
	if strings.HasPrefix(name, "setp") {
		args[0] = "%q"
	}
	fmt.Fprintf(&b, "%s %s;\n", name, strings.Join(args, ", "))
	if args[0] == "%q" {
		b.WriteString("selp.b32 %d, 1, 0, %q;\n")
	}
	fmt.Fprintf(&b, "st.global.b%d [%%z+24], %%d;\nret;\n}\n", width(o.out))
	return b.String()
}

// anyOperand is a random number of 64 bits: small, near a power of two, or any.
func anyOperand(r *rand.Rand) uint64 {
	switch r.IntN(5) {
	case 0:
		return uint64(r.IntN(70))
	case 1:
		return uint64(int64(-1 - r.IntN(70)))
	case 2:
		return uint64(1)<<r.IntN(64) + uint64(r.IntN(3)) - 1
	case 3:
		return r.Uint64() >> r.IntN(64)
	}
	return r.Uint64()
}

// TestWholeNumbers executes every integer instruction on random numbers.
func TestWholeNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 31))
	for _, o := range wholeOps() {
		m, err := Parse([]byte(o.kernel()))
		if err != nil {
			t.Errorf("%s: %v", o.text, err)
			continue
		}
		for range 3 {
			o.judge(t, m, r)
		}
	}
}

func (o wholeOp) judge(t *testing.T, m *Module, r *rand.Rand) {
	t.Helper()
	data := make([]byte, 32*32)
	for i := range 32 {
		for k := range 3 {
			binary.LittleEndian.PutUint64(data[32*i+8*k:], anyOperand(r))
		}
	}
	mem := NewMemory()
	err := m.Run(context.Background(), &Launch{Kernel: "k", Grid: [3]int{1, 1, 1},
		Args: []uint64{mem.Alloc(data)}, Memory: mem})
	if err != nil {
		t.Fatalf("%s: %v\n%s", o.text, err, o.kernel())
	}
	for i := range 32 {
		var in [3]*big.Int
		for k, typ := range o.in {
			if typ != "" {
				in[k] = whole(binary.LittleEndian.Uint64(data[32*i+8*k:]), typ)
			}
		}
		got := binary.LittleEndian.Uint64(data[32*i+24:])
		if want := o.want(in[0], in[1], in[2]); want != nil && got != cut(want, o.out) {
			t.Errorf("%s of %v is %#x, want %#x", o.text, in, got, cut(want, o.out))
			return
		}
	}
}
