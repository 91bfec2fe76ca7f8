package lower

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

var atomicOps = map[int64]string{
	tt.RMWAnd: "and", tt.RMWOr: "or", tt.RMWXor: "xor", tt.RMWAdd: "add", tt.RMWFAdd: "add", tt.RMWMax: "max",
	tt.RMWMin: "min", tt.RMWUMax: "max", tt.RMWUMin: "min", tt.RMWXchg: "exch",
}

var (
	atomicScopes = map[int64]string{tt.ScopeGPU: ".gpu", tt.ScopeCTA: ".cta", tt.ScopeSys: ".sys"}
	atomicSems   = map[int64]string{
		tt.SemRelaxed: ".relaxed", tt.SemAcquire: ".acquire", tt.SemRelease: ".release",
		tt.SemAcqRel: ".acq_rel",
	}
)

// ptxName returns the name of the instruction.
func (u update) ptxName() string {
	name := "atom.global" + atomicSems[u.sem] + atomicScopes[u.scope]
	if u.swap {
		return name + fmt.Sprintf(".cas.b%d", bitsOf(u.elem))
	}
	return name + "." + atomicOps[u.kind] + u.ptxType()
}

// ptxType returns the type suffix in the name.
func (u update) ptxType() string {
	n := ir.BitWidth(u.elem)
	switch u.kind {
	case tt.RMWFAdd:
		switch u.elem {
		case ir.F16:
			return ".noftz.f16"
		case ir.BF16:
			return ".noftz.bf16"
		}
		return fmt.Sprintf(".f%d", n)
	case tt.RMWAnd, tt.RMWOr, tt.RMWXor, tt.RMWXchg:
		return fmt.Sprintf(".b%d", n)
	case tt.RMWMax, tt.RMWMin:
		return fmt.Sprintf(".s%d", n)
	}
	return fmt.Sprintf(".u%d", n)
}

func (v nvidia) atomic(l *lowering, u update, ptr, pred string) string {
	if !u.swap && ir.IsFloat(u.elem) && v.lacksAtomic(u) {
		return l.atomicFloat(ptr, "f"+atomicOps[u.kind], u.elem, u.val, pred)
	}
	a := newAccess(u.elem, 1)
	c := a.constraint()
	var operands []string
	if u.swap {
		operands = append(operands, l.pack(a, []string{u.cmp})[0])
	}
	operands = append(operands, l.pack(a, []string{u.val})[0])
	args, constraints, list := []string{"ptr addrspace(1) " + ptr}, "=&"+c+",l", ""
	for i, w := range operands {
		args, constraints = append(args, a.wordType()+" "+w), constraints+","+c
		list += fmt.Sprintf(", $%d", i+2)
	}
	code := fmt.Sprintf("mov.b%d $0, 0; @$%d %s $0, [ $1 + 0 ]%s;",
		max(a.wordBits, 16), len(operands)+2, u.ptxName(), list)
	r := l.asm(a.wordType(), code, constraints+",b", true, append(args, "i1 "+pred)...)
	return l.unpack(a, []string{r})[0]
}

// lacksAtomic reports whether the hardware has no instruction for an update of a float.
func (v nvidia) lacksAtomic(u update) bool {
	addsBF16 := u.kind == tt.RMWFAdd && u.elem == ir.BF16
	return u.kind == tt.RMWMax || u.kind == tt.RMWMin || addsBF16 && v.capability < 90
}

// atomicFloat emits an atomicrmw for an operation without an instruction of its own: LLVM expands it to a
// compare-and-swap loop.
func (l *lowering) atomicFloat(p, name string, t ir.Type, v, pred string) string {
	typ := llvmType(t)
	from, old := l.writer.block, ""
	l.when(pred, func() { old = l.val("atomicrmw %s ptr addrspace(1) %s, %s %s acq_rel", name, p, typ, v) })
	ph := l.phi(typ)
	ph.from("poison", from)
	ph.from(old, l.lastWhen)
	l.patch(ph)
	return ph.name
}
