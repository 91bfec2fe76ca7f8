package lower

import (
	"github.com/nereid-lang/nereid/internal/ir"
)

// lowerInlineAsm runs a piece of PTX once for each group of packed_element elements. Elements narrower than
// 32 bits share a register.
func lowerInlineAsm(l *lowering, op *ir.Op) {
	pack := int(op.IntOr("packed_element", 1))
	pure, _ := op.Int("pure")
	outs := make([][]string, op.NumResults())
	var types []string
	for _, r := range op.Results() {
		p := newPacking(r.Type, pack)
		for range pack / p.per {
			types = append(types, p.typ)
		}
	}
	ret := structOf(types)
	n := 1
	if op.NumResults() > 0 {
		n = l.numRegs(op, op.Result(0).Type)
	} else if op.NumOperands() > 0 {
		n = l.numRegs(op, op.Operand(0).Type)
	}
	for i := 0; i < n; i += pack {
		var args []string
		for _, v := range op.Operands() {
			args = append(args, l.packArgs(v, i, pack)...)
		}
		v := l.asm(ret, op.Text("asm_string"), op.Text("constraints"), pure == 0, args...)
		if len(types) == 0 {
			continue
		}
		regs := l.fields(ret, v, len(types))
		for k, r := range op.Results() {
			p := newPacking(r.Type, pack)
			for range pack / p.per {
				outs[k] = append(outs[k], l.unpackArg(p, regs[0])...)
				regs = regs[1:]
			}
		}
	}
	for k, r := range op.Results() {
		l.set(r, outs[k][:n])
	}
}

// packing describes how elements of a type share a register of inline assembly.
type packing struct {
	elem string // LLVM type of an element
	typ  string // LLVM type of a register
	per  int    // elements in a register
}

func newPacking(t ir.Type, pack int) packing {
	p := packing{elem: llvmType(t), per: 1}
	bits := bitsOf(t)
	if bits < 32 {
		p.per = min(32/bits, pack)
	}
	p.typ = p.elem
	if p.per > 1 {
		p.typ = "i" + itoa(bits*p.per)
		if p.elem == "i1" {
			p.elem = "i8"
		}
	}
	return p
}

// packArgs returns "type register" operands for elements i to i+pack of v.
func (l *lowering) packArgs(v *ir.Value, i, pack int) []string {
	p := newPacking(v.Type, pack)
	regs := l.regs(v)
	at := func(k int) string { return regs[min(k, len(regs)-1)] }
	var out []string
	for j := 0; j < pack; j += p.per {
		if p.per == 1 {
			out = append(out, p.typ+" "+at(i+j))
			continue
		}
		vec := "poison"
		a := newAccess(ir.ElemOf(v.Type), 1)
		for k := range p.per {
			vec = l.val("insertelement <%d x %s> %s, %s %s, i32 %d", p.per, p.elem, vec, p.elem,
				l.toMem(a, at(i+j+k)), k)
		}
		out = append(out, p.typ+" "+l.val("bitcast <%d x %s> %s to %s", p.per, p.elem, vec, p.typ))
	}
	return out
}

// unpackArg returns the elements in a result register of inline assembly.
func (l *lowering) unpackArg(p packing, reg string) []string {
	if p.per == 1 {
		return []string{reg}
	}
	vec := l.val("bitcast %s %s to <%d x %s>", p.typ, reg, p.per, p.elem)
	out := make([]string, p.per)
	for k := range out {
		out[k] = l.val("extractelement <%d x %s> %s, i32 %d", p.per, p.elem, vec, k)
	}
	return out
}

// lowerMapElementwise lowers the operation's region once for each group of pack neighbouring registers.
func lowerMapElementwise(l *lowering, op *ir.Op) {
	pack := int(op.IntOr("pack", 1))
	n := l.numRegs(op, op.Operand(0).Type)
	if pack < 1 || n%pack != 0 {
		l.fail(op, "%d elements in each thread do not fall into groups of %d", n, pack)
	}
	outs := make([][]string, op.NumResults())
	for i := 0; i < n; i += pack {
		var args []string
		for _, v := range op.Operands() {
			args = append(args, l.regs(v)[i:i+pack]...)
		}
		vals := l.inlineRegion(op.Region(0), args)
		for k := range outs {
			outs[k] = append(outs[k], vals[k*pack:(k+1)*pack]...)
		}
	}
	for k, r := range op.Results() {
		l.set(r, outs[k])
	}
}

// inlineRegion lowers r once more, with args as the values of its arguments, and returns the values that it
// returns. A region of several blocks returns through a join block; phis of an earlier inlining are dropped
// first.
func (l *lowering) inlineRegion(r *ir.Region, args []string) []string {
	if r.NumBlocks() == 1 {
		return l.inline(r.First(), args)
	}
	for i, a := range r.First().Args() {
		l.setOne(a, args[i])
	}
	for b := range r.Blocks() {
		delete(l.phis, b)
		delete(l.waiting, b)
	}
	outer := l.returns
	l.returns = &returns{join: l.label("ret")}
	l.region(r)
	l.begin(l.returns.join)
	var out []string
	for i, t := range l.returns.types {
		p := l.phi(t)
		for _, e := range l.returns.edges {
			p.from(e.regs[i], e.from)
		}
		l.patch(p)
		out = append(out, p.name)
	}
	l.returns = outer
	return out
}

// returns collects the returns of a region of several blocks while it is inlined.
type returns struct {
	join  string
	types []string
	edges []edge
}

// lowerMapReturn jumps to the join block of the region that is being inlined. A region of a single block
// needs no jump.
func lowerMapReturn(l *lowering, op *ir.Op) {
	if l.returns == nil {
		return
	}
	e := edge{from: l.writer.block}
	l.returns.types = nil
	for _, v := range op.Operands() {
		e.regs = append(e.regs, l.scalar(v))
		l.returns.types = append(l.returns.types, llvmType(v.Type))
	}
	l.returns.edges = append(l.returns.edges, e)
	l.br(l.returns.join)
}
