package lower

import (
	"fmt"
	"slices"
	"strings"

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

// ptxName returns the name of the instruction for words of a.
func (u update) ptxName(a access) string {
	name := "atom.global"
	if u.reduces() {
		name = "red.global"
	}
	name += atomicSems[u.sem] + atomicScopes[u.scope]
	if u.swap {
		return name + fmt.Sprintf(".cas.b%d", bitsOf(u.elem))
	}
	name += "." + atomicOps[u.kind]
	typ, packed := u.ptxType(), ""
	if a.vec > a.words {
		packed = fmt.Sprintf("x%d", a.vec/a.words)
	}
	if a.words > 1 { // before the type, which is the last part
		at := strings.LastIndexByte(typ, '.')
		typ = fmt.Sprintf("%s.v%d%s", typ[:at], a.words, typ[at:])
	}
	return name + typ + packed
}

// reduces reports whether the instruction returns nothing.
func (u update) reduces() bool { return u.unused && !u.swap && u.kind != tt.RMWXchg }

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

func (v nvidia) atomic(l *lowering, u update, ptr, pred string) []string {
	if !u.swap && ir.IsFloat(u.elem) && v.lacksAtomic(u) {
		return []string{l.atomicFloat(ptr, "f"+atomicOps[u.kind], u.elem, u.vals[0], pred)}
	}
	a := newAccess(u.elem, len(u.vals))
	words := l.pack(a, u.vals)
	if u.swap {
		words = append(l.pack(a, []string{u.cmp}), words...)
	}
	outs := a.words
	if u.reduces() {
		outs = 0
	}
	c := a.constraint()
	constraints := strings.Repeat("=&"+c+",", outs) + "l" + strings.Repeat(","+c, len(words)) + ",b"
	args := append([]string{"ptr addrspace(1) " + ptr}, typed(a.wordType(), words)...)
	code := ""
	for i := range outs {
		code += fmt.Sprintf("mov.b%d $%d, 0; ", max(a.wordBits, 16), i)
	}
	code += fmt.Sprintf("@$%d %s ", outs+1+len(words), u.ptxName(a))
	if outs > 0 {
		code += numbered(0, outs) + ", "
	}
	code += fmt.Sprintf("[ $%d + 0 ]", outs)
	for i := 0; i < len(words); i += a.words {
		code += ", " + numbered(outs+1+i, a.words)
	}
	args = append(args, "i1 "+pred)
	if outs == 0 {
		l.asm("void", code+";", constraints, true, args...)
		return slices.Repeat([]string{"poison"}, a.vec)
	}
	ret := structOf(slices.Repeat([]string{a.wordType()}, outs))
	return l.unpack(a, l.fields(ret, l.asm(ret, code+";", constraints, true, args...), outs))
}

// numbered returns n operands of inline assembly from number at on, as a vector if there are several.
func numbered(at, n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("$%d", at+i))
	}
	if n == 1 {
		return out[0]
	}
	return "{ " + strings.Join(out, ", ") + " }"
}

// atomicWidth is more than 1 for sums of floats, of which an instruction adds up to 16 bytes.
func (v nvidia) atomicWidth(u update) int {
	switch {
	case !v.chip.VectorAtomics || u.kind != tt.RMWFAdd:
		return 1
	case u.elem == ir.F32 || u.elem == ir.F16 || u.elem == ir.BF16:
		return 128 / ir.BitWidth(u.elem)
	}
	return 1
}

// orderAtomics orders several updates by fences around all of them, because the assembler puts one before
// each update that is ordered itself, which waits for the update before. An update whose old value nobody
// looks at tells its thread nothing: it orders what comes before it only.
func (v nvidia) orderAtomics(l *lowering, u update, n int) (each update, end func()) {
	end = func() {}
	if u.unused && u.kind != tt.RMWXchg {
		switch u.sem {
		case tt.SemAcquire:
			u.sem = tt.SemRelaxed
		case tt.SemAcqRel:
			u.sem = tt.SemRelease
		}
	}
	if n < 2 || u.sem == tt.SemRelaxed || ir.IsFloat(u.elem) && v.lacksAtomic(u) {
		return u, end
	}
	fence := func() { l.asm("void", "fence.acq_rel"+atomicScopes[u.scope]+";", "", true) }
	if u.sem != tt.SemAcquire {
		fence()
	}
	if u.sem != tt.SemRelease {
		end = fence
	}
	u.sem = tt.SemRelaxed
	return u, end
}

// lacksAtomic reports whether the hardware has no instruction for an update of a float.
func (v nvidia) lacksAtomic(u update) bool {
	addsBF16 := u.kind == tt.RMWFAdd && u.elem == ir.BF16
	return u.kind == tt.RMWMax || u.kind == tt.RMWMin || addsBF16 && !v.chip.VectorAtomics
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
