package middle

import (
	"fmt"
	"strconv"

	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// TritonToLinalg converts every function of a module; see the package comment.
//
//	tt.func @k(%x: !tt.ptr<f32>, %n: i32)   =>   func.func @k(%x: memref<*xf32>, %n: i32,
//	                                               %nx: i32, %ny: i32, %nz: i32,
//	                                               %px: i32, %py: i32, %pz: i32)
var TritonToLinalg = Options{}.Pass()

// Options say how functions are converted.
type Options struct {
	// WidenSums computes sums of floats smaller than 32 bits in 32 bits and rounds at the end, as
	// triton-shared does. Otherwise each addition rounds, as Triton's semantics has it.
	WidenSums bool
}

// Pass returns the conversion with these options.
func (o Options) Pass() pass.Pass {
	return pass.Pass{
		Name: "triton-to-linalg",
		Doc: "convert Triton IR to linalg on tensors, with memref where tensors meet memory; " +
			"widen-sums computes sums of small floats in 32 bits",
		Run: o.run,
		Configure: func(options map[string]string) (pass.Pass, error) {
			o := o // each configuration begins with the pass's own
			for name, value := range options {
				on, err := strconv.ParseBool(value)
				if name != "widen-sums" || err != nil {
					return pass.Pass{}, fmt.Errorf("triton-to-linalg has no option %s=%s: there is widen-sums=true",
						name, value)
				}
				o.WidenSums = on
			}
			return o.Pass(), nil
		},
	}
}

// All returns every pass of this package.
func All() []pass.Pass {
	return []pass.Pass{TritonToLinalg, TritonToStructured, TritonToUnstructured, TritonArithToLinalg,
		StructuredToMemref, ExpandInlineAsm}
}

func (o Options) run(ctx *pass.Context, m *ir.Module) error {
	if err := prepare(ctx, m); err != nil {
		return err
	}
	var funcs []*ir.Op
	for op := range m.Block().Ops() {
		if op.Def == tt.Func || hasPointers(op) {
			funcs = append(funcs, op)
		}
	}
	for _, fn := range funcs {
		ctx.At(fn)
		if err := o.convertFunc(ctx, m, fn); err != nil {
			return err
		}
	}
	return tidy(ctx, m)
}

// convertFunc puts a func.func in the place of a tt.func.
func (o Options) convertFunc(ctx *pass.Context, m *ir.Module, fn *ir.Op) error {
	blocks := blockArgs(fn)
	t := funclike.Type(fn)
	ins, err := signature(fn, t)
	if err != nil {
		return err
	}
	for i, block := range blocks {
		ins[i] = block
	}
	out := beside(fn, ins, funclike.IsDeclaration(fn))
	if !funclike.IsDeclaration(fn) {
		if err := o.convertBody(ctx, m, fn, out); err != nil {
			return err
		}
	}
	fn.Erase()
	return nil
}

// beside inserts a func.func before a tt.func, with its name, visibility, results and attributes of
// arguments. Its body is empty; ins are its arguments' types.
func beside(fn *ir.Op, ins []ir.Type, declaration bool) *ir.Op {
	visibility := fn.Text("sym_visibility")
	if visibility == "public" { // which is what functions are
		visibility = ""
	}
	t := funclike.Type(fn)
	s := funclike.State(funcd.Func, fn.Text("sym_name"), ir.Func(ins, t.Outs), visibility, declaration)
	s.Loc = fn.Loc
	out := ir.NewOp(s)
	for i := range t.Ins {
		if d := funclike.ArgAttrs(fn, i); d != nil {
			for _, a := range d.Elems {
				funclike.SetArgAttr(out, i, a.Name, a.Attr)
			}
		}
	}
	ir.At(fn).Insert(out)
	return out
}

// trailing names the arguments that say where in the grid the program is.
var trailing = []string{"num_programs_x", "num_programs_y", "num_programs_z", "pid_x", "pid_y", "pid_z"}

// signature returns the types of the new function's arguments.
func signature(fn *ir.Op, t *ir.FunctionType) ([]ir.Type, error) {
	var ins []ir.Type
	for _, in := range t.Ins {
		pointee, _, isPtr := tt.AsPtr(in)
		_, block := pointee.(*ir.TensorType)
		switch {
		case block:
			return nil, errAt(fn, "an argument of type %s is not supported", in)
		case isPtr:
			in = ir.UnrankedMemRef(memoryElem(pointee), nil)
		case described(in) && tt.IsPtrLike(in):
			return nil, errAt(fn, "an argument of type %s is not supported", in)
		}
		ins = append(ins, in)
	}
	for _, o := range t.Outs {
		if tt.IsPtrLike(o) {
			return nil, errAt(fn, "a result of type %s is not supported", o)
		}
	}
	if fn.Def == tt.Func { // other functions have been given them
		for range trailing {
			ins = append(ins, ir.I32)
		}
	}
	return ins, nil
}

// convertBody analyses the old function, then writes the new one.
func (o Options) convertBody(ctx *pass.Context, m *ir.Module, fn, out *ir.Op) error {
	if fn.Region(0).NumBlocks() != 1 {
		return errAt(fn, "control flow with loops between blocks is not supported")
	}
	c := &converter{
		uses: findUses(analyse(m, fn), fn), opts: o, ctx: ctx, m: m, b: ir.NewBuilder(out.Body(0)),
		vals: map[*ir.Value]*ir.Value{}, syms: map[*symbol]*ir.Value{}, srcs: map[*source]*ir.Value{},
	}
	old, args := fn.Body(0).Args(), out.Body(0).Args()
	for i, v := range old {
		args[i].Name, args[i].Loc = v.Name, v.Loc
		if src := c.sources[v]; src != nil && !args[i].Type.(*ir.MemRefType).Unranked {
			c.srcs[src] = c.castBlock(args[i])
		} else if src != nil {
			c.srcs[src] = args[i]
		} else {
			c.vals[v] = args[i]
		}
	}
	if fn.Def == tt.Func {
		copy(c.grid[:], args[len(old):])
		for i, v := range c.grid {
			v.Name = trailing[i]
		}
	}
	c.block(fn.Body(0))
	return c.err
}

// errAt returns an error at the source position of an operation.
func errAt(op *ir.Op, format string, args ...any) error {
	return ir.Refuse(op, format, args...)
}
