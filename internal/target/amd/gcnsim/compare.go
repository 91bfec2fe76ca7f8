package gcnsim

import (
	"math/bits"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// floatTests are the comparisons of floats by the middle part of their names: whether each holds for less,
// equal, greater and unordered operands.
var floatTests = map[string][4]bool{
	"f": {}, "lt": {true}, "eq": {1: true}, "le": {true, true}, "gt": {2: true}, "lg": {true, false, true},
	"ge": {1: true, 2: true}, "o": {true, true, true}, "u": {3: true}, "nge": {0: true, 3: true},
	"nlg": {1: true, 3: true}, "ngt": {true, true, false, true}, "nle": {2: true, 3: true},
	"neq": {true, false, true, true}, "nlt": {1: true, 2: true, 3: true}, "tru": {true, true, true, true},
}

// intTests are those of integers.
var intTests = map[string][4]bool{"f": {}, "lt": {true}, "eq": {1: true}, "le": {true, true}, "gt": {2: true},
	"ne": {true, false, true}, "ge": {1: true, 2: true}, "t": {true, true, true}}

// buildCompare builds v_cmp_* and v_cmpx_*.
func buildCompare(_ *program, in *gcn.Inst) func(*wave) {
	words := strings.Split(in.Base, "_") // v, cmp, lt, f32
	if len(words) != 4 {
		return nil
	}
	k, order := ordering(words[3])
	tests := intTests
	if k != kInt {
		tests = floatTests
	}
	holds, ok := tests[words[2]]
	test := func(a, b uint64) bool { return holds[order(a, b)] }
	if words[2] == "class" {
		test, ok = func(a, b uint64) bool { return b>>class(a, k)&1 != 0 }, k != kInt
	}
	args := in.Args
	if words[1] == "cmpx" && len(args) == 2 { // of RDNA, which sets exec alone
		args = append([]gcn.Operand{{File: gcn.Scalar, Code: gcn.Null}}, args...)
	}
	if !ok || len(args) != 3 {
		return nil
	}
	k1 := k
	if words[2] == "class" {
		k1 = kInt
	}
	c := &compare{test: test, dst: args[0].Code, x: words[1] == "cmpx",
		a: newSource(in, args[1], k), b: newSource(in, args[2], k1)}
	if in.Encoding() == "VOPC_SDWA" && in.Field("has_sdst") != 0 {
		c.dst = int(in.Field("sdst"))
	}
	if in.HasDPP() {
		c.dpp = newDPP(in)
	}
	return c.run
}

// compare is a comparison with its operands.
type compare struct {
	test func(a, b uint64) bool
	a, b source
	dst  int
	x    bool // it also sets exec
	dpp  *dpp
}

func (c *compare) run(w *wave) {
	exec, ok := w.exec(), c.a.load(w, &w.buf[0])
	if c.dpp != nil {
		exec, ok = c.dpp.apply(w, &w.buf[0], exec, ok)
	}
	ok &= c.b.load(w, &w.buf[1])
	var mask uint64
	for m := exec; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if c.test(w.buf[0][i], w.buf[1][i]) {
			mask |= 1 << i
		}
	}
	if c.dst != gcn.Null {
		w.setMask(c.dst, mask, exec&^ok)
	}
	if c.x {
		w.setMask(gcn.Exec, mask, exec&^ok)
	}
}

// setMask writes a pair of SGPRs that holds a bit for each lane.
func (w *wave) setMask(reg int, mask, undef uint64) {
	w.setS(reg, uint32(mask))
	w.sUndef[reg] = uint32(undef)
	if w.p.lanes == lanes {
		w.setS(reg+1, uint32(mask>>32))
		w.sUndef[reg+1] = uint32(undef >> 32)
	}
	w.sUndef[gcn.Null] = 0
	w.checkExec(reg)
}

// Results of an ordering.
const (
	less = iota
	equal
	greater
	unordered
)

// ordering returns the kind of a type in the name of a comparison, and how two values of it compare.
func ordering(name string) (kind, func(a, b uint64) int) {
	shift := map[byte]int{'1': 48, '3': 32, '6': 0}[name[len(name)-2]]
	switch name[0] {
	case 'f':
		k := map[byte]kind{'1': kHalf, '3': kFloat, '6': kDoub}[name[1]]
		return k, func(a, b uint64) int { return compareFloats(toFloat(a, k), toFloat(b, k)) }
	case 'i':
		return kInt, func(a, b uint64) int {
			return compareInts(int64(a)<<shift>>shift, int64(b)<<shift>>shift)
		}
	}
	return kInt, func(a, b uint64) int { return compareInts(a<<shift>>shift, b<<shift>>shift) }
}

func compareInts[T int64 | uint64](a, b T) int {
	switch {
	case a < b:
		return less
	case a == b:
		return equal
	}
	return greater
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return less
	case a == b:
		return equal
	case a > b:
		return greater
	}
	return unordered
}

// floatLayout are the bits of the exponent and the mantissa of the kinds.
var floatLayout = map[kind][2]int{kHalf: {5, 10}, kFloat: {8, 23}, kDoub: {11, 52}}

// class returns the class of a float: the number of the bit that v_cmp_class tests.
func class(v uint64, k kind) int {
	e, m := floatLayout[k][0], floatLayout[k][1]
	sign := v>>(e+m)&1 != 0
	exp, man := v>>m&(1<<e-1), v&(1<<m-1)
	up := 0
	switch {
	case exp == 1<<e-1 && man != 0:
		return int(man >> (m - 1)) // signalling, quiet
	case exp == 1<<e-1:
		up = 3
	case exp != 0:
		up = 2
	case man != 0:
		up = 1
	}
	if sign {
		return 5 - up // -inf 2, -normal 3, -denormal 4, -0 5
	}
	return 6 + up
}
