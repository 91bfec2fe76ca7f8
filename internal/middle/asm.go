package middle

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/arith"
	"github.com/nereid-lang/nereid/internal/dialect/constfold"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
	"github.com/nereid-lang/nereid/internal/ptx"
)

// This file converts inline assembly. A kernel's assembly is PTX, a few lines without jumps, and says what is
// done to the registers of one group of elements; so it becomes a function of scalars:
//
//	tt.elementwise_inline_asm "tanh.approx.f32 $0, $1;"         "tt.map_elementwise"(%x) ({
//	    {constraints = "=f,f", …} %x              =>            ^bb0(%a: f32):
//	                                                              %t = math.tanh %a : f32
//	                                                              tt.map_elementwise.return %t : f32
//
// asm_ops.go has the instructions. Assembly that uses others is an error that names the instruction.

// ExpandInlineAsm runs this step alone, for other users that cannot take assembly. The conversion to linalg
// begins with it.
var ExpandInlineAsm = pass.Pass{
	Name: "triton-expand-inline-asm",
	Doc:  "replace inline assembly by operations on elements",
	Run:  func(_ *pass.Context, m *ir.Module) error { return expandAsm(m) },
}

// expandAsm replaces the inline assembly of a module.
func expandAsm(m *ir.Module) error {
	for op := range m.Op.Ops() {
		if op.Def != tt.InlineAsm {
			continue
		}
		if err := expandOne(op); err != nil {
			return errAt(op, "inline assembly cannot be taken apart: %v", err)
		}
	}
	return nil
}

func expandOne(op *ir.Op) error {
	code, err := parsePTX(op.Text("asm_string"))
	if err != nil {
		return err
	}
	b := ir.At(op)
	if isTensorOp(op) && reachesMemory(code) {
		return memoryAsm(b, op, code)
	}
	if isTensorOp(op) {
		return mapAsm(b, op, code)
	}
	vs, err := runAsm(b, op, code, op.Operands(), 1)
	if err == nil {
		op.ReplaceWith(vs...)
	}
	return err
}

func isTensorOp(op *ir.Op) bool {
	return slices.ContainsFunc(slices.Concat(op.Operands(), op.Results()), func(v *ir.Value) bool {
		_, ok := v.Type.(*ir.TensorType)
		return ok
	})
}

// mapAsm puts the code into the region of a map_elementwise. Operands that are scalars are used from outside.
func mapAsm(b *ir.Builder, op *ir.Op, code []ptxInst) error {
	pack := int(max(op.IntOr("packed_element", 1), 1))
	var tensors []*ir.Value
	block := ir.NewBlock()
	inner := ir.NewBuilder(block)
	inner.Loc = op.Loc
	var args []*ir.Value
	for _, v := range op.Operands() {
		if n, ok := immediate(op, v); ok {
			number := arith.ConstInt(inner, n, ir.ElemOf(v.Type))
			args = append(args, slices.Repeat([]*ir.Value{number}, pack)...)
			continue
		}
		if _, ok := v.Type.(*ir.TensorType); !ok {
			args = append(args, slices.Repeat([]*ir.Value{v}, pack)...)
			continue
		}
		tensors = append(tensors, v)
		for range pack {
			args = append(args, block.AddArg(ir.ElemOf(v.Type), nil))
		}
	}
	if len(tensors) == 0 {
		return errors.New("a tensor is made of no tensors")
	}
	vs, err := runAsm(inner, op, code, args, pack)
	if err != nil {
		return err
	}
	inner.Op(tt.MapElementwiseReturn, vs, nil)
	out := b.Create(ir.State{
		Def: tt.MapElementwise, Operands: tensors, Results: op.ResultTypes(),
		Attrs:   []ir.NamedAttr{ir.A("pack", ir.I32Attr(int64(pack)))},
		Regions: []*ir.Region{ir.NewRegion(block)},
	})
	op.ReplaceWith(out.Results()...)
	return nil
}

// immediate returns the number that an operand is in all places, if some constraint of the code, n, asks for
// such a one: it may stand where an instruction takes no register.
func immediate(op *ir.Op, v *ir.Value) (int64, bool) {
	if !slices.Contains(strings.Split(op.Text("constraints"), ","), "n") {
		return 0, false
	}
	return arith.IntOf(v)
}

// asmState is the registers of one run: $0, $1, … and those that the code declares, each with its last
// value.
type asmState struct {
	b    *ir.Builder
	regs map[string]*ir.Value
	err  error
}

// runAsm writes the code once, for groups of pack elements of the operands and results, and returns the
// results' elements.
func runAsm(b *ir.Builder, op *ir.Op, code []ptxInst, args []*ir.Value, pack int) ([]*ir.Value, error) {
	s := &asmState{b: b, regs: map[string]*ir.Value{}}
	next := 0
	name := func() string { next++; return "$" + strconv.Itoa(next-1) }
	outs := make([][]string, op.NumResults())
	for i, v := range op.Results() {
		for range pack / perRegister(v.Type, pack) {
			outs[i] = append(outs[i], name())
		}
	}
	for i, v := range op.Operands() {
		per := perRegister(v.Type, pack)
		for j := 0; j < pack; j += per {
			s.regs[name()] = s.packed(args[i*pack+j : i*pack+j+per])
		}
	}
	for _, in := range code {
		if s.step(in); s.err != nil {
			return nil, s.err
		}
	}
	var vs []*ir.Value
	for i, v := range op.Results() {
		for _, r := range outs[i] {
			vs = append(vs, s.unpacked(r, ir.ElemOf(v.Type), perRegister(v.Type, pack))...)
		}
	}
	return vs, s.err
}

// perRegister returns how many elements share a register of 32 bits.
func perRegister(t ir.Type, pack int) int {
	if bits := ir.BitWidth(ir.ElemOf(t)); bits > 0 && bits < 32 {
		return min(32/bits, pack)
	}
	return 1
}

// packed packs elements into one register, the first in the low bits.
func (s *asmState) packed(vs []*ir.Value) *ir.Value {
	if len(vs) == 1 {
		return vs[0]
	}
	bits := ir.BitWidth(vs[0].Type)
	t := ir.Int(bits * len(vs))
	var sum *ir.Value
	for i, v := range vs {
		x := s.b.Val(arith.ExtUI, t, s.cast(v, ir.Int(bits)))
		if i == 0 {
			sum = x
			continue
		}
		x = s.b.Val(arith.ShLI, t, x, arith.ConstInt(s.b, int64(i*bits), t))
		sum = s.b.Val(arith.OrI, t, sum, x)
	}
	return sum
}

// unpacked returns the elements of a register. Those of a register that was never written are zero; PTX
// leaves them undefined.
func (s *asmState) unpacked(reg string, elem ir.Type, n int) []*ir.Value {
	v := s.regs[reg]
	if v == nil {
		return slices.Repeat([]*ir.Value{arith.Const(s.b, constfold.Zero(elem))}, n)
	}
	if n == 1 {
		return []*ir.Value{s.cast(v, elem)}
	}
	bits := ir.BitWidth(elem)
	t := ir.Int(bits * n)
	v = s.cast(v, t)
	out := make([]*ir.Value, n)
	for i := range out {
		x := v
		if i > 0 {
			x = s.b.Val(arith.ShRUI, t, v, arith.ConstInt(s.b, int64(i*bits), t))
		}
		out[i] = s.cast(s.b.Val(arith.TruncI, ir.Int(bits), x), elem)
	}
	return out
}

// cast reinterprets the bits of a register as another type. A narrower type keeps the low bits, a wider one
// is zero-extended.
func (s *asmState) cast(v *ir.Value, t ir.Type) *ir.Value {
	if v.Type == t {
		return v
	}
	from, to := ir.BitWidth(v.Type), ir.BitWidth(t)
	if from == 0 || to == 0 || tt.IsPtr(v.Type) || tt.IsPtr(t) {
		s.fail("a register of type %s", v.Type)
		return arith.Const(s.b, constfold.Zero(ir.I32))
	}
	if ir.IsFloat(v.Type) && from == to {
		return s.b.Val(arith.Bitcast, t, v)
	}
	if ir.IsFloat(v.Type) {
		v = s.b.Val(arith.Bitcast, ir.Int(from), v)
	}
	switch {
	case from < to:
		v = s.b.Val(arith.ExtUI, ir.Int(to), v)
	case from > to:
		v = s.b.Val(arith.TruncI, ir.Int(to), v)
	}
	if v.Type == t {
		return v
	}
	return s.b.Val(arith.Bitcast, t, v)
}

func (s *asmState) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// ptxInst is an instruction: a guard, a name with its parts, and operands.
type ptxInst struct {
	guard string // a register of one bit, or empty
	not   bool
	name  string
	parts []string // what follows the name, between dots
	args  []string
}

func (in ptxInst) String() string { return strings.Join(append([]string{in.name}, in.parts...), ".") }

func (in ptxInst) has(part string) bool { return slices.Contains(in.parts, part) }

// parsePTX reads the instructions of inline assembly, which may neither jump nor call.
func parsePTX(text string) ([]ptxInst, error) {
	var out []ptxInst
	for _, s := range ptx.Fragment(text) {
		switch {
		case s.Kind == ptx.Open, s.Kind == ptx.Close, s.Kind == ptx.Label, s.Opcode == ".reg":
			continue
		case s.Kind != ptx.Instruction, s.Is("bra"), s.Is("call"), s.Name() == "":
			return nil, fmt.Errorf("%q", s.Text)
		}
		out = append(out, ptxInst{guard: s.Guard, not: s.Not, name: s.Name(), parts: s.Parts(),
			args: s.Operands()})
	}
	return out, nil
}
