package lower

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
)

// function lowers the function's body and adds its text to the program. A kernel takes its arguments as they
// are and returns nothing; other functions take an argument for each register and return a struct of
// registers.
func (l *lowering) function(isKernel bool) {
	var params []string
	for _, a := range l.fn.Body(0).Args() {
		regs := make([]string, l.numRegs(l.fn, a.Type))
		for i := range regs {
			regs[i] = fmt.Sprintf("%%arg%d", len(params))
			params = append(params, l.paramType(a, isKernel)+" "+regs[i])
		}
		l.set(a, regs)
	}
	if l.program.scratch > 0 {
		params = append(params, "ptr addrspace(1) %scratch")
	}
	params = append(params, l.checkParams()...)
	// LLVM demands a location of every call in a function with metadata
	if l.subprogram = l.debug.function(l.fn); l.subprogram != "" {
		l.dbg = ", !dbg " + l.debug.at(l.subprogram, l.fn, l.fn)
	}
	l.threadIDs()
	for _, a := range l.fn.Body(0).Args() {
		if isKernel && isDesc(a) {
			l.vendor.fetchMap(l, l.regs(a)[0])
		}
	}
	if isKernel {
		l.uniforms = newUniforms(l.opts.Uniform)
	}
	l.recordWhole(true)
	l.region(l.fn.Region(0))
	if u := l.uniforms; u != nil {
		l.program.uniform = u.builder.Program(len(params))
		if n := l.program.uniform.Words(); n > 0 {
			params = append(params, l.vendor.blockParam(8*n, 8)+" %host")
		}
	}

	var b strings.Builder
	head, attrs := "define internal "+returnType(l.program, l.fn), "#2"
	if isKernel {
		head, attrs = l.vendor.kernelHead(), "#0"
	}
	if l.subprogram != "" {
		attrs += " !dbg " + l.subprogram
	}
	fmt.Fprintf(&b, "%s @%s(%s) %s {\nentry:\n", head, symbol(l.fn.Text("sym_name")),
		strings.Join(params, ", "), attrs)
	for _, lines := range [][]string{l.prologue, l.lines} {
		for _, line := range lines {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	b.WriteString("}\n\n")
	l.bodies = append(l.bodies, b.String())
}

// paramType returns the LLVM type of a parameter. Kernels take tensor maps by value.
func (l *lowering) paramType(a *ir.Value, isKernel bool) string {
	if isKernel && isDesc(a) {
		return l.vendor.blockParam(mapParamBytes(l.fn, a.Index(), l.mapWords), 64)
	}
	return llvmType(a.Type)
}

// symbol quotes a name with characters that LLVM does not accept bare, as in the mangled names of the front
// end.
func symbol(name string) string {
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '.' && c != '$' && (c < '0' || c > '9') && (c < 'a' || c > 'z') &&
			(c < 'A' || c > 'Z') {
			return `"` + quote(name) + `"`
		}
	}
	return name
}

// returnTypes returns the LLVM types of the registers that a function returns.
func returnTypes(g *program, fn *ir.Op) []string {
	ft, ok := fn.Attr("function_type").(*ir.TypeAttr)
	if !ok {
		return nil
	}
	var out []string
	for _, t := range ft.Type.(*ir.FunctionType).Outs {
		for range g.numRegs(fn, t) {
			out = append(out, llvmType(t))
		}
	}
	return out
}

func returnType(g *program, fn *ir.Op) string { return structOf(returnTypes(g, fn)) }

// structOf returns the type of several values at once: void for none, the type itself for one.
func structOf(types []string) string {
	switch len(types) {
	case 0:
		return "void"
	case 1:
		return types[0]
	}
	return "{ " + strings.Join(types, ", ") + " }"
}

// fields extracts the n values of a struct.
func (l *lowering) fields(typ, v string, n int) []string {
	if n == 1 {
		return []string{v}
	}
	out := make([]string, n)
	for i := range out {
		out[i] = l.val("extractvalue %s %s, %d", typ, v, i)
	}
	return out
}

func lowerReturn(l *lowering, op *ir.Op) {
	l.recordWhole(false)
	var regs []string
	for _, v := range op.Operands() {
		regs = append(regs, l.regs(v)...)
	}
	typ := returnType(l.program, l.fn)
	l.ended = true
	switch len(regs) {
	case 0:
		l.do("ret void")
		return
	case 1:
		l.do("ret %s %s", typ, regs[0])
		return
	}
	types := returnTypes(l.program, l.fn)
	acc := "poison"
	for i, r := range regs {
		acc = l.val("insertvalue %s %s, %s %s, %d", typ, acc, types[i], r, i)
	}
	l.do("ret %s %s", typ, acc)
}

func lowerCall(l *lowering, op *ir.Op) {
	fn := l.callee(op)
	var args []string
	for _, v := range op.Operands() {
		for _, r := range l.regs(v) {
			args = append(args, llvmType(v.Type)+" "+r)
		}
	}
	if l.program.scratch > 0 {
		args = append(args, "ptr addrspace(1) "+l.val("getelementptr i8, ptr addrspace(1) %%scratch, i64 %d",
			l.scratchAt[op]))
	}
	args = append(args, l.checkParams()...)
	types := returnTypes(l.program, fn)
	typ := structOf(types)
	text := fmt.Sprintf("call %s @%s(%s)", typ, symbol(fn.Text("sym_name")), strings.Join(args, ", "))
	if len(types) == 0 {
		l.do("%s", text)
		return
	}
	regs := l.fields(typ, l.val("%s", text), len(types))
	for _, r := range op.Results() {
		n := l.numRegs(op, r.Type)
		l.set(r, regs[:n])
		regs = regs[n:]
	}
}

// placeScratch gives the allocations of a function their places in its scratch memory, which lies in global
// memory, and returns the size. So have calls, each another one: what a function makes there, such as a
// tensor map that it returns, outlives the call.
func (g *program) placeScratch(fn *ir.Op) (size int) {
	place := func(op *ir.Op, alignment, bytes int) {
		g.scratchAt[op] = align(size, max(1, alignment))
		size = g.scratchAt[op] + bytes
	}
	for op := range fn.Ops() {
		switch op.Def {
		case ttg.GlobalScratchAlloc:
			place(op, int(op.IntOr("alignment", 1)), g.scratchBytes(op))
		case tt.Call:
			place(op, g.scratchAlign, g.scratchOf[g.callee(op)])
		}
	}
	g.scratchOf[fn] = size
	return size
}

// scratchBytes returns the size of an allocation of scratch memory: a tensor map may have words behind it.
func (g *program) scratchBytes(op *ir.Op) int {
	n := int(op.IntOr("nbytes", 0))
	if n == TensorMapBytes && g.mapWords {
		return describedBytes(maxMapRank)
	}
	return n
}

// lowerGlobalScratch emits a pointer into the program's part of the scratch memory. Parts are numbered by the
// program's row-major position in the grid.
func lowerGlobalScratch(l *lowering, op *ir.Op) {
	l.refuseOnCluster(op, "scratch in global memory is for programs of one block")
	off := l.val("mul i64 %s, %d", l.programNumber(), align(l.program.scratch, max(1, l.scratchAlign)))
	off = l.val("add i64 %s, %d", off, l.scratchAt[op])
	l.setOne(op.Result(0), l.val("getelementptr i8, ptr addrspace(1) %%scratch, i64 %s", off))
}

// programNumber returns the program's row-major position in the grid, an i64.
func (l *lowering) programNumber() string {
	wide := func(number func(*lowering, int) string, axis int) string {
		return l.val("zext i32 %s to i64", number(l, axis))
	}
	id := l.val("mul i64 %s, %s", wide(l.vendor.programID, 2), wide(l.vendor.numPrograms, 1))
	id = l.val("add i64 %s, %s", id, wide(l.vendor.programID, 1))
	id = l.val("mul i64 %s, %s", id, wide(l.vendor.numPrograms, 0))
	return l.val("add i64 %s, %s", id, wide(l.vendor.programID, 0))
}
