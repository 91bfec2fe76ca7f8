package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/mathlib"
	"github.com/nereid-lang/nereid/internal/num"
)

// Certified code (Options.Certify) runs in simulators, with floats that are elements of a finite ring. It is
// the code of other launches but for functions and conversions that are computed by rounding in many steps,
// or on the bits of floats: each of these is one instruction that no GPU gives that meaning, a unit.

// mathTarget returns what mathlib writes functions for.
func (o Options) mathTarget() mathlib.Target {
	t := o.Vendor.mathTarget()
	if o.Certify {
		t.Unit = o.Vendor.ringUnit
	}
	return t
}

// expands reports whether certified code computes on values of type t in f32.
func (l *lowering) expands(t ir.Type) bool {
	return l.opts.Certify && t == ir.BF16 && l.vendor.expands()
}

// expanded computes f in f32 where LLVM would.
func expanded(f element) element {
	wide := inFloat(f)
	return func(l *lowering, op *ir.Op, t ir.Type, a []string) string {
		if l.expands(t) {
			return wide(l, op, t, a)
		}
		return f(l, op, t, a)
	}
}

// squareRoot returns the square root in f32 or f64.
func squareRoot(l *lowering, op *ir.Op, t ir.Type, a []string) string {
	if l.opts.Certify && l.vendor.expands() {
		return l.mathCall("sqrt", t, a...)
	}
	return intrinsic("llvm.sqrt")(l, op, t, a)
}

// ringBool returns an integer that is converted to a float. LLVM would compute what a constant makes of both
// values of a bool, and round: so certified code hides that there are two.
func (l *lowering) ringBool(typ, x string, signed bool) (string, string) {
	if typ != "i1" || !l.opts.Certify || !l.vendor.expands() {
		return typ, x
	}
	extend := "zext"
	if signed {
		extend = "sext"
	}
	wide := l.val("%s i1 %s to i32", extend, x)
	return "i32", l.val(`call i32 asm "v_mov_b32 $0, $1", "=v,v"(i32 %s)`, wide)
}

// ringConstant returns a constant. LLVM would round one that no format of 16 bits has where it is converted
// to such a format, also behind a selection: so certified code hides what it is.
func (l *lowering) ringConstant(bits uint64, t ir.Type) string {
	text := literal(bits, t)
	if f, ok := t.(*ir.FloatType); !ok || !l.opts.Certify || t != ir.F32 ||
		f.Format.Decode(bits) == num.F16.Round(f.Format.Decode(bits)) {
		return text
	}
	code, constraints := l.vendor.ringCopy()
	return l.val(`call float asm "%s", "%s"(float %s)`, code, constraints, text)
}

// refuseRingSum refuses an atomic sum of bf16 where LLVM makes it a loop that rounds on the bits of floats.
func (l *lowering) refuseRingSum(op *ir.Op, t ir.Type) {
	if l.expands(t) && op.IntOr("atomic_rmw_op", 0) == tt.RMWFAdd {
		l.fail(op, "an atomic sum of bf16 has no meaning in the ring")
	}
}

// ringFormat returns the bits of an f32 that was converted to a narrower format.
func (l *lowering) ringFormat(x string, to ir.Type) string {
	f := to.(*ir.FloatType).Format
	r := l.val("%s", l.vendor.ringUnit(f.Name, []string{x}))
	return l.val("trunc i32 %s to i%d", l.val("bitcast float %s to i32", r), f.Bits)
}
