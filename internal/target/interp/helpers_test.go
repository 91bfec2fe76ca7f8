package interp

import (
	"context"
	enc64 "encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/num"
)

// mode is how a test kernel gets its operands.
type mode int

const (
	vectors  mode = iota // all are tensors loaded from memory
	splatB               // the second and later ones are scalars, spread
	splatA               // the first one is
	scalars              // everything is a scalar
	numModes             // (for one operand: vectors and scalars only)
)

// formats of MLIR's float types.
var floatFormats = map[string]*num.Format{
	"f16": num.F16, "bf16": num.BF16, "f32": num.F32, "f64": num.F64, "f8E5M2": num.F8E5M2,
	"f8E4M3FN": num.F8E4M3FN, "f8E4M3FNUZ": num.F8E4M3FNUZ, "f8E5M2FNUZ": num.F8E5M2FNUZ,
}

// sizeOf is the size of an MLIR type in memory.
func sizeOf(t string) int {
	if f := floatFormats[t]; f != nil {
		return f.Bits / 8
	}
	var w int
	fmt.Sscanf(t, "i%d", &w)
	return max(1, w/8)
}

// pack puts elements, given as bits, into memory.
func pack(t string, bits []uint64) []byte {
	n := sizeOf(t)
	out := make([]byte, 0, n*len(bits))
	for _, b := range bits {
		out = append(out, enc64.LittleEndian.AppendUint64(nil, b)[:n]...)
	}
	return out
}

// unpack reads memory as the bits of elements, zero-extended.
func unpack(t string, b []byte) []uint64 {
	n := sizeOf(t)
	out := make([]uint64, len(b)/n)
	for i := range out {
		var buf [8]byte
		copy(buf[:], b[i*n:(i+1)*n])
		out[i] = enc64.LittleEndian.Uint64(buf[:])
	}
	return out
}

func dec(t string, bits uint64) float64 { return floatFormats[t].Decode(bits) }
func enc(t string, v float64) uint64    { return floatFormats[t].Encode(v) }

func encAll(t string, vs ...float64) []uint64 {
	out := make([]uint64, len(vs))
	for i, v := range vs {
		out[i] = enc(t, v)
	}
	return out
}

// elementwise runs an op on rows of elements. op is its text with A, B, C for operands and TA, TB, TC, TR
// for types, e.g. "arith.addi A, B : TR". It returns the bits of the result.
func elementwise(t testing.TB, op string, m mode, types []string, result string, rows ...[]uint64) []uint64 {
	t.Helper()
	n := len(rows[0])
	if m == scalars {
		out := make([]uint64, n)
		p := compileText(t, elementwiseKernel(op, m, types, result, 1), "k")
		for i := range n {
			one := make([][]uint64, len(rows))
			for j := range rows {
				one[j] = rows[j][i : i+1]
			}
			out[i] = runElementwise(t, p, types, result, one)[0]
		}
		return out
	}
	size := 1
	for size < n {
		size *= 2
	}
	padded := make([][]uint64, len(rows))
	for j, r := range rows {
		padded[j] = make([]uint64, size)
		copy(padded[j], r)
		for i := n; i < size; i++ {
			padded[j][i] = r[0]
		}
	}
	return runElementwise(t, compileText(t, elementwiseKernel(op, m, types, result, size), "k"), types,
		result, padded)[:n]
}

func runElementwise(t testing.TB, p *Program, types []string, result string, rows [][]uint64) []uint64 {
	t.Helper()
	mem := NewMemory()
	var args []uint64
	for j, r := range rows {
		args = append(args, mem.Alloc(pack(types[j], r), fmt.Sprintf("in%d", j)).Addr())
	}
	out := make([]byte, len(rows[0])*sizeOf(result))
	args = append(args, mem.Alloc(out, "out").Addr())
	if err := p.Run(context.Background(), mem, [3]int{1, 1, 1}, args, Options{}); err != nil {
		t.Fatal(err)
	}
	return unpack(result, out)
}

// elementwiseKernel is the text of a kernel that loads operands, computes and stores.
func elementwiseKernel(op string, m mode, types []string, result string, n int) string {
	var b strings.Builder
	b.WriteString("tt.func public @k(")
	for j, ty := range types {
		fmt.Fprintf(&b, "%%p%d: !tt.ptr<%s>, ", j, ty)
	}
	fmt.Fprintf(&b, "%%po: !tt.ptr<%s>) {\n", result)
	shaped := func(ty string) string {
		if m == scalars {
			return ty
		}
		return fmt.Sprintf("tensor<%dx%s>", n, ty)
	}
	if m != scalars {
		fmt.Fprintf(&b, "%%r = tt.make_range {start = 0 : i32, end = %d : i32} : tensor<%dxi32>\n", n, n)
	}
	pointers := func(name, from, ty string) {
		fmt.Fprintf(&b, "%%%ss = tt.splat %%%s : !tt.ptr<%s> -> %s\n", name, from, ty,
			shaped("!tt.ptr<"+ty+">"))
		fmt.Fprintf(&b, "%%%s = tt.addptr %%%ss, %%r : %s, tensor<%dxi32>\n", name, name,
			shaped("!tt.ptr<"+ty+">"), n)
	}
	for j, ty := range types {
		v := fmt.Sprintf("%%v%d", j)
		switch splat := m == splatB && j > 0 || m == splatA && j == 0; {
		case m == scalars:
			fmt.Fprintf(&b, "%s = tt.load %%p%d : !tt.ptr<%s>\n", v, j, ty)
		case splat:
			fmt.Fprintf(&b, "%ss = tt.load %%p%d : !tt.ptr<%s>\n%s = tt.splat %ss : %s -> %s\n", v, j, ty, v,
				v, ty, shaped(ty))
		default:
			pointers(fmt.Sprintf("a%d", j), fmt.Sprintf("p%d", j), ty)
			fmt.Fprintf(&b, "%s = tt.load %%a%d : %s\n", v, j, shaped("!tt.ptr<"+ty+">"))
		}
	}
	text := op
	for j, letter := range []string{"A", "B", "C", "D"}[:len(types)] {
		text = replaceWord(text, "T"+letter, shaped(types[j]))
		text = replaceWord(text, letter, fmt.Sprintf("%%v%d", j))
	}
	fmt.Fprintf(&b, "%%res = %s\n", replaceWord(text, "TR", shaped(result)))
	if m == scalars {
		fmt.Fprintf(&b, "tt.store %%po, %%res : !tt.ptr<%s>\n", result)
	} else {
		pointers("o", "po", result)
		fmt.Fprintf(&b, "tt.store %%o, %%res : %s\n", shaped("!tt.ptr<"+result+">"))
	}
	b.WriteString("tt.return\n}\n")
	return b.String()
}

// replaceWord replaces a word that stands alone.
func replaceWord(s, word, by string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if strings.HasPrefix(s[i:], word) && !isWord(s, i-1) && !isWord(s, i+len(word)) {
			b.WriteString(by)
			i += len(word)
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

func isWord(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	c := s[i]
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// cross is all pairs of values, as two rows.
func cross(vs []uint64) (a, b []uint64) {
	for _, x := range vs {
		for _, y := range vs {
			a, b = append(a, x), append(b, y)
		}
	}
	return a, b
}

// someInts are integers of a width worth trying, as bits.
func someInts(width int) []uint64 {
	mask := ^uint64(0) >> (64 - width)
	var out []uint64
	seen := map[uint64]bool{}
	for _, v := range []uint64{0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100, 1 << (width - 1), 1<<(width-1) - 1,
		mask, mask - 1, mask - 6, 0x5555555555555555, 0x123456789abcdef0} {
		if v &= mask; !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// someFloats are floats of a format worth trying, as bits.
func someFloats(t string) []uint64 {
	f := floatFormats[t]
	vs := encAll(t, 0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, -2.75, 3, 0.1, 1e-3, 100, -1234.5, 6e4,
		math.Inf(1), math.Inf(-1), math.NaN())
	return append(vs, f.Max(), 1, 3, f.Max()-1, enc(t, math.Ldexp(1, 1-f.Bias)))
}

// sameFloat compares bits of a format: NaNs are equal to each other, zeros differ by sign.
func sameFloat(t string, a, b uint64) bool {
	x, y := dec(t, a), dec(t, b)
	return a == b || x != x && y != y
}
