package middle

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
)

// Assembly that loads and stores is no function of elements. Its registers are tensors here: between two
// accesses the code is a map_elementwise of its own, and an access is tt.load or tt.store.

// reachesMemory reports whether the code loads or stores.
func reachesMemory(code []ptxInst) bool {
	return slices.ContainsFunc(code, func(in ptxInst) bool { return in.name == "ld" || in.name == "st" })
}

// asmTensors is the registers of assembly on tensors of one shape, with one element each.
type asmTensors struct {
	b    *ir.Builder
	like *ir.TensorType
	regs map[string]*ir.Value
	err  error
}

func (s *asmTensors) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// memoryAsm takes such assembly apart. It has one element in each register.
func memoryAsm(b *ir.Builder, op *ir.Op, code []ptxInst) error {
	s := &asmTensors{b: b, regs: map[string]*ir.Value{}}
	for _, v := range slices.Concat(op.Operands(), op.Results()) {
		if t, ok := v.Type.(*ir.TensorType); ok && s.like == nil {
			s.like = t
		}
	}
	n := op.NumResults()
	for i, v := range op.Operands() {
		if _, ok := v.Type.(*ir.TensorType); !ok {
			v = b.Val(tt.Splat, s.tensor(v.Type), v)
		}
		s.regs[asmReg(n+i)] = v
	}
	if op.IntOr("packed_element", 1) != 1 {
		s.fail("memory is reached with %d elements in a register", op.IntOr("packed_element", 1))
	}
	start := 0
	for i, in := range code {
		if in.name != "ld" && in.name != "st" {
			continue
		}
		s.compute(code[start:i], nil)
		s.access(in)
		start = i + 1
	}
	s.compute(code[start:], nil)
	var vs []*ir.Value
	for i, v := range op.Results() {
		vs = append(vs, s.as(asmReg(i), ir.ElemOf(v.Type)))
	}
	if s.err == nil {
		op.ReplaceWith(vs...)
	}
	return s.err
}

func asmReg(i int) string { return "$" + strconv.Itoa(i) }

func (s *asmTensors) tensor(elem ir.Type) *ir.TensorType {
	return ir.Tensor(s.like.Shape, elem, s.like.Encoding)
}

// compute runs code that reaches no memory, for each element, and then casts registers to types.
func (s *asmTensors) compute(code []ptxInst, casts map[string]ir.Type) {
	if s.err != nil || len(code)+len(casts) == 0 {
		return
	}
	block := ir.NewBlock()
	inner := &asmState{b: ir.NewBuilder(block), regs: map[string]*ir.Value{}}
	inner.b.Loc = s.b.Loc
	before := map[string]*ir.Value{}
	var ins []*ir.Value
	for _, name := range slices.Sorted(maps.Keys(s.regs)) {
		if tt.IsPtr(ir.ElemOf(s.regs[name].Type)) {
			continue
		}
		ins = append(ins, s.regs[name])
		before[name] = block.AddArg(ir.ElemOf(s.regs[name].Type), nil)
		inner.regs[name] = before[name]
	}
	for _, in := range code {
		inner.step(in)
	}
	for name, t := range casts {
		inner.regs[name] = inner.unpacked(name, t, 1)[0]
	}
	if s.err = inner.err; s.err != nil {
		return
	}
	var names []string
	var vs []*ir.Value
	var types []ir.Type
	for _, name := range slices.Sorted(maps.Keys(inner.regs)) {
		if v := inner.regs[name]; v != before[name] {
			names, vs, types = append(names, name), append(vs, v), append(types, s.tensor(v.Type))
		}
	}
	if len(names) == 0 {
		return
	}
	if len(ins) == 0 {
		s.fail("a tensor is made of no tensors")
		return
	}
	inner.b.Op(tt.MapElementwiseReturn, vs, nil)
	out := s.b.Create(ir.State{
		Def: tt.MapElementwise, Operands: ins, Results: types,
		Attrs: []ir.NamedAttr{ir.A("pack", ir.I32Attr(1))}, Regions: []*ir.Region{ir.NewRegion(block)},
	})
	for i, name := range names {
		s.regs[name] = out.Result(i)
	}
}

// as returns the elements of a register, cast to a type.
func (s *asmTensors) as(reg string, t ir.Type) *ir.Value {
	if v := s.regs[reg]; v == nil || ir.ElemOf(v.Type) != t {
		s.compute(nil, map[string]ir.Type{reg: t})
	}
	return s.regs[reg]
}

// access converts ld.global.TYPE reg, [address] or st.global.TYPE [address], reg.
func (s *asmTensors) access(in ptxInst) {
	if s.err != nil {
		return
	}
	elem := ir.Type(nil)
	if len(in.parts) > 1 && len(in.args) == 2 && in.has("global") && in.guard == "" {
		elem = asmTypes[in.parts[len(in.parts)-1]]
	}
	place := 1
	if in.name == "st" {
		place = 0
	}
	if elem == nil || slices.ContainsFunc(in.parts, func(p string) bool { return p == "v2" || p == "v4" }) {
		s.fail("%s", in)
		return
	}
	p := s.regs[strings.TrimSpace(strings.Trim(in.args[place], "[]"))]
	if p == nil || !tt.IsPtr(ir.ElemOf(p.Type)) {
		s.fail("%s: the address %s is no pointer that was given", in, in.args[place])
		return
	}
	if t := s.tensor(tt.Ptr(elem)); p.Type != ir.Type(t) {
		p = s.b.Val(tt.Bitcast, t, p)
	}
	if in.name == "ld" {
		s.regs[in.args[0]] = s.b.Groups(tt.Load, [][]*ir.Value{{p}, nil, nil},
			[]ir.Type{s.tensor(elem)}).Result(0)
		return
	}
	if v := s.as(in.args[1], elem); s.err == nil {
		s.b.Groups(tt.Store, [][]*ir.Value{{p}, {v}, nil}, nil)
	}
}
