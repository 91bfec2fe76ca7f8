package lower

import (
	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// Some numbers are the same in all programs of a launch, as tl.cdiv(M, BLOCK) is. Where programs divide by
// one, the host computes the words by which they multiply instead (Options.Uniform), and the kernel takes
// them as one more parameter at its end, a block of words without gaps. Package uniform says how the host
// computes them.
//
// The host does not compute numbers for other uses: on an H200, kernels were as fast without (8 launches held
// out: 0.998; testdata/rules/h200.json, dear-number), and launches do less.

// uniforms is what the host computes for a kernel.
type uniforms struct {
	builder *uniform.Builder
	steps   map[*ir.Value]uniformStep
	loads   map[int]string // names of words, by their places
}

// uniformStep says how the host computes a number. The zero value is that of a number which only programs can
// compute.
type uniformStep struct {
	step  uint8 // step of the builder
	known bool  // the host can compute the number
}

var uniformOps = map[*ir.OpDef]uniform.Op{
	arith.AddI: uniform.Add, arith.SubI: uniform.Sub, arith.MulI: uniform.Mul, arith.DivSI: uniform.Div,
	arith.RemSI: uniform.Rem, arith.DivUI: uniform.DivU, arith.RemUI: uniform.RemU,
	arith.MinSI: uniform.Min, arith.MaxSI: uniform.Max, arith.ExtSI: uniform.Extend,
	arith.TruncI: uniform.Extend, arith.ExtUI: uniform.ExtendU,
}

func newUniforms(most int) *uniforms {
	if most <= 0 {
		return nil
	}
	return &uniforms{builder: uniform.NewBuilder(most), steps: map[*ir.Value]uniformStep{},
		loads: map[int]string{}}
}

// uniform returns how the host computes v, which it does once for each value.
func (l *lowering) uniform(v *ir.Value) uniformStep {
	u := l.uniforms
	if u == nil {
		return uniformStep{}
	}
	s, known := u.steps[v]
	if !known {
		s = l.findUniform(v)
		u.steps[v] = s
	}
	return s
}

// findUniform returns how the host computes v: a constant, an argument, the number of programs, or an
// operation on such numbers.
func (l *lowering) findUniform(v *ir.Value) uniformStep {
	wide := v.Type == ir.Type(ir.I64)
	if !wide && v.Type != ir.Type(ir.I32) {
		return uniformStep{}
	}
	if n, ok := arith.IntOf(v); ok {
		return l.uniforms.step(uniform.Step{Op: uniform.Number, Wide: wide, N: n})
	}
	op := v.Def()
	if op == nil {
		if v.Block() != l.fn.Body(0) {
			return uniformStep{}
		}
		return l.uniforms.step(uniform.Step{Op: uniform.Arg, Wide: wide, N: int64(v.Index())})
	}
	if op.Def == tt.GetNumPrograms && l.ctas <= 1 {
		return l.uniforms.step(uniform.Step{Op: uniform.Programs, N: op.IntOr("axis", 0)})
	}
	return l.uniformOp(op, wide)
}

// uniformOp returns the step of an operation on numbers that the host can compute.
func (l *lowering) uniformOp(op *ir.Op, wide bool) uniformStep {
	code, ok := uniformOps[op.Def]
	if !ok || wide && (code == uniform.DivU || code == uniform.RemU) {
		return uniformStep{}
	}
	s := uniform.Step{Op: code, Wide: wide}
	for i, to := range []*uint8{&s.X, &s.Y}[:op.NumOperands()] {
		x := l.uniform(op.Operand(i))
		if !x.known {
			return uniformStep{}
		}
		*to = x.step
	}
	return l.uniforms.step(s)
}

// step adds a step to the host's program. If there is no room, programs compute the number.
func (u *uniforms) step(s uniform.Step) uniformStep {
	n, ok := u.builder.Step(s)
	return uniformStep{n, ok}
}

// uniformWords returns the words of a number in some form, nil if there is no room for them.
func (l *lowering) uniformWords(s uniformStep, kind uniform.Kind) []string {
	u := l.uniforms
	places, ok := u.builder.Output(uniform.Output{Kind: kind, Step: s.step})
	if !ok {
		return nil
	}
	var names []string
	for i, at := range places {
		if u.loads[at] == "" {
			u.loads[at] = l.atEntry(func() string {
				p := l.val("getelementptr i8, ptr %%host, i64 %d", at)
				return l.val("load i%d, ptr %s", kind.Widths()[i], p)
			})
		}
		names = append(names, u.loads[at])
	}
	return names
}
