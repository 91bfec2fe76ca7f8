package middle_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/middle"
	"github.com/nereid-lang/nereid/internal/pass"
)

// roundings are PTX's ways to round.
var roundings = map[string]big.RoundingMode{"": big.ToNearestEven, ".rn": big.ToNearestEven,
	".rz": big.ToZero, ".rm": big.ToNegativeInf, ".rp": big.ToPositiveInf}

// roundedCases are instructions that round, with the exact result of operands.
var roundedCases = []struct {
	name  string
	exact func(a, b *big.Float) *big.Float
}{
	{"add%s $0, $1, $2;", func(a, b *big.Float) *big.Float { return wide().Add(a, b) }},
	{"sub%s $0, $1, $2;", func(a, b *big.Float) *big.Float { return wide().Sub(a, b) }},
	{"mul%s $0, $1, $2;", func(a, b *big.Float) *big.Float { return wide().Mul(a, b) }},
	{"fma%s $0, $1, $2, $1;", func(a, b *big.Float) *big.Float { return wide().Add(wide().Mul(a, b), a) }},
	{"div%s $0, $1, $2;", func(a, b *big.Float) *big.Float { return wide().Quo(a, b) }},
	{"rcp%s $0, $1;", func(a, _ *big.Float) *big.Float { return wide().Quo(big.NewFloat(1), a) }},
	{"{ mul.rn.TYPE $0, $1, $1; sqrt%s $0, $0; }", nil},
}

// wide is a number that holds a result as good as exactly.
func wide() *big.Float { return new(big.Float).SetPrec(400) }

// TestInlineAsmRounding: an instruction that names a way to round gives the number that is rounded so, or is
// refused; each is taken with the rounding to the nearest number.
func TestInlineAsmRounding(t *testing.T) {
	taken, refused := 0, 0
	for typ, prec := range map[string]uint{"f32": 24, "f64": 53} {
		for i, c := range roundedCases {
			for suffix, mode := range roundings {
				if suffix == "" && i > 2 { // the others do not stand without
					continue
				}
				asm := strings.ReplaceAll(fmt.Sprintf(c.name, suffix+"."+typ), "TYPE", typ)
				l, err := roundingLaunch(t, asm, typ, uint64(i))
				if err != nil {
					refused++
					if mode == big.ToNearestEven {
						t.Errorf("%s: %v", asm, err)
					}
					continue
				}
				taken++
				if c.exact == nil && mode == big.ToNearestEven {
					continue
				}
				checkRounding(t, asm, prec, mode, c.exact, interpret(t, l))
			}
		}
	}
	if taken < 14 {
		t.Errorf("%d instructions are taken, %d refused", taken, refused)
	}
}

// roundingLaunch returns a launch of assembly, taken apart, on random numbers.
func roundingLaunch(t *testing.T, asm, typ string, seed uint64) (launch, error) {
	constraints := "=r,r,r"
	tensor := "tensor<64x" + typ + ">"
	body := fmt.Sprintf("%%r = tt.elementwise_inline_asm %q {constraints = %q, packed_element = 1 : i32, "+
		"pure = true} %%a, %%b : %s, %s -> %s", asm, constraints, tensor, tensor, tensor)
	m := parse(t, "asm", strings.NewReplacer("BODY", body, "IN", typ, "OUT", typ).Replace(asmKernel))
	if err := pass.Run(&pass.Context{}, m, []pass.Pass{middle.ExpandInlineAsm}); err != nil {
		return launch{}, err
	}
	r := newRandom(seed)
	return launch{name: "asm", text: m.String(), grid: [3]int{1, 1, 1}, args: []arg{
		filled(t, r, elemTypes[typ], 64, "normal", ""), filled(t, r, elemTypes[typ], 64, "normal", ""),
		zeros(elemTypes[typ], 64)}}, nil
}

// checkRounding compares results with exact ones that are rounded.
func checkRounding(t *testing.T, asm string, prec uint, mode big.RoundingMode,
	exact func(a, b *big.Float) *big.Float, bufs [][]byte) {
	t.Helper()
	if exact == nil {
		t.Errorf("%s is taken", asm)
		return
	}
	number := func(buf []byte, i int) *big.Float {
		if prec == 24 {
			return wide().SetFloat64(float64(math.Float32frombits(binary.LittleEndian.Uint32(buf[4*i:]))))
		}
		return wide().SetFloat64(math.Float64frombits(binary.LittleEndian.Uint64(buf[8*i:])))
	}
	for i := range 64 {
		a, b, got := number(bufs[0], i), number(bufs[1], i), number(bufs[2], i)
		if a.Sign() == 0 || b.Sign() == 0 {
			continue
		}
		if want := new(big.Float).SetPrec(prec).SetMode(mode).Set(exact(a, b)); want.Cmp(got) != 0 {
			t.Errorf("%s of %v and %v is %v, not %v", asm, a, b, got, want)
			return
		}
	}
}
