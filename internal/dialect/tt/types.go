package tt

import (
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/ir"
)

// PtrType is `!tt.ptr<pointee, space>`: a pointer to a scalar, or to a block of a tensor. Parameters:
// pointee, address space.
var PtrType = Dialect.NewType(ir.TypeDef{
	Name: "ptr",
	Doc: "A pointer to a scalar, or to a block of a tensor; address space 1, global memory, goes " +
		"without saying.",
})

// DescType is `!tt.tensordesc<tensor<...>>`. Parameter: the block's type, whose integers carry a sign.
var DescType = Dialect.NewType(ir.TypeDef{
	Name: "tensordesc",
	Doc:  "A descriptor of a tensor in global memory, from which blocks of one shape are loaded.",
})

func init() {
	PtrType.Parse, PtrType.Print = parsePtr, printPtr
	DescType.Parse, DescType.Print = parseDesc, printDesc
}

// Ptr is `!tt.ptr<pointee>`, in global memory.
func Ptr(pointee ir.Type) *ir.DialectType { return PtrIn(pointee, 1) }

// PtrIn is a pointer into an address space.
func PtrIn(pointee ir.Type, space int64) *ir.DialectType { return PtrType.Get(pointee, space) }

// AsPtr takes a pointer type apart.
func AsPtr(t ir.Type) (pointee ir.Type, space int64, ok bool) {
	d, ok := t.(*ir.DialectType)
	if !ok || d.Def != PtrType {
		return nil, 0, false
	}
	return d.Params[0].(ir.Type), d.Params[1].(int64), true
}

// IsPtr reports whether t is a pointer.
func IsPtr(t ir.Type) bool { _, _, ok := AsPtr(t); return ok }

// IsPtrLike reports whether t is a pointer or a tensor of pointers.
func IsPtrLike(t ir.Type) bool { return IsPtr(ir.ElemOf(t)) }

// IsTensorPtr reports whether t is a pointer to a block of a tensor.
func IsTensorPtr(t ir.Type) bool {
	pointee, _, ok := AsPtr(t)
	_, tensor := pointee.(*ir.TensorType)
	return ok && tensor
}

// Pointee is what a load from t gives: the pointee of a pointer, the tensor of pointees of a tensor of
// pointers, nil for what is neither.
func Pointee(t ir.Type) ir.Type {
	pointee, _, ok := AsPtr(ir.ElemOf(t))
	if !ok {
		return nil
	}
	return ir.WithElem(t, pointee)
}

// PtrTo is the pointer type, or tensor of pointers, from which a load gives t.
func PtrTo(t ir.Type) ir.Type { return ir.WithElem(t, Ptr(ir.ElemOf(t))) }

// MaskOf is the type of a mask for values of type t.
func MaskOf(t ir.Type) ir.Type { return ir.WithElem(t, ir.I1) }

// MaskedTypes are the rules for the operands mask and other of a masked load: the mask has the shape of the
// operand masked, other the type that the pointers of the operand ptr point to.
func MaskedTypes(masked, ptr string) []ir.TypeRule {
	return []ir.TypeRule{{From: masked, To: "mask", Fn: MaskOf}, {From: ptr, To: "other", Fn: Pointee}}
}

// PointerAttr marks an argument of a function that is a descriptor of a tensor that hardware cannot
// describe: its alignment, strides or sizes are anything.
const PointerAttr = "nereid.pointer"

// Desc is the descriptor type for blocks of the given type. Integers are stored with their sign.
func Desc(block *ir.TensorType, signed bool) *ir.DialectType {
	if it, ok := block.Elem.(*ir.IntegerType); ok {
		sign := ir.Unsigned
		if signed {
			sign = ir.Signed
		}
		block = block.With(ir.SignedInt(it.Width, sign))
	}
	return DescType.Get(block)
}

// DescBlock is the block type that a descriptor carries, signs included; nil for other types.
func DescBlock(t ir.Type) *ir.TensorType {
	if d, ok := t.(*ir.DialectType); ok && d.Def == DescType {
		return d.Params[0].(*ir.TensorType)
	}
	return nil
}

// DescTensor is the type of the tensors that a descriptor loads and stores: its block, signless.
func DescTensor(t ir.Type) *ir.TensorType {
	block := DescBlock(t)
	if block == nil {
		return nil
	}
	if it, ok := block.Elem.(*ir.IntegerType); ok {
		return block.With(ir.Int(it.Width))
	}
	return block
}

func printPtr(p *ir.Printer, t *ir.DialectType) {
	p.Text("<")
	p.Type(t.Params[0].(ir.Type))
	if space := t.Params[1].(int64); space != 1 {
		p.Textf(", %d", space)
	}
	p.Text(">")
}

func parsePtr(p *ir.Parser) (ir.Type, bool) {
	if !p.Literal("<") {
		return nil, false
	}
	pointee, ok := p.Type()
	if !ok {
		return nil, false
	}
	space := int64(1)
	if p.Try(",") {
		if space, ok = p.Int(); !ok {
			return nil, false
		}
	}
	return PtrIn(pointee, space), p.Literal(">")
}

func printDesc(p *ir.Printer, t *ir.DialectType) {
	p.Text("<")
	p.Type(t.Params[0].(ir.Type))
	p.Text(">")
}

func parseDesc(p *ir.Parser) (ir.Type, bool) {
	pos := p.Pos()
	if !p.Literal("<") {
		return nil, false
	}
	dims, ok := p.Dims()
	if !ok {
		return nil, false
	}
	t, ok := p.Type()
	if !ok {
		return nil, false
	}
	if len(dims) > 0 { // Triton 3.8 writes tensordesc<16x16xf32>
		t = ir.Tensor(dims, t, nil)
	}
	block, ok := t.(*ir.TensorType)
	if !ok || block.Unranked {
		return nil, p.Errorf(pos, "a tensor descriptor describes a ranked tensor, not %s", t)
	}
	return DescType.Get(block), p.Literal(">")
}

// What the slots of this dialect's ops take. Shaped types here are ranked tensors only.
var (
	Float     = ir.Constraint{Desc: "floating-point", Ok: isFloat}
	Int       = ir.Constraint{Desc: "integer", Ok: isInt}
	AnyPtr    = ir.Of(PtrType)
	TensorPtr = ir.Constraint{Desc: "ptr to a tensor", Ok: IsTensorPtr, Def: PtrType}
	FloatLike = like("floating-point or ranked tensor of floating-point values", isFloat)
	IntLike   = like("integer or ranked tensor of integer values", isInt)
	BoolLike  = like("1-bit signless integer or ranked tensor of such values", isExactly(ir.I1))
	I64Like   = like("64-bit signless integer or ranked tensor of such values", isExactly(ir.I64))
	PtrLike   = like("ptr or ranked tensor of ptr values", IsPtr)
	AnyOf     = like("floating-point, integer, ptr, or ranked tensor of such values", isElem) // TT_Type
	Tensor    = tensorOf("ranked tensor of floating-point or integer or ptr values", isElem)
	FpInts    = tensorOf("ranked tensor of floating-point or integer values", func(t ir.Type) bool {
		return isFloat(t) || isInt(t)
	})
	Floats     = tensorOf("ranked tensor of floating-point values", isFloat)
	Ints       = tensorOf("ranked tensor of integer values", isInt)
	I32s       = tensorOf("ranked tensor of 32-bit signless integer values", isExactly(ir.I32))
	ScaleElems = tensorOf("ranked tensor of floating-point or 8-bit signless integer values",
		func(t ir.Type) bool {
			return isFloat(t) || t == ir.I8
		})
	AnyDesc = ir.Of(DescType)
)

// floats holds the float types of the table of element types that MLIR has.
var floats = func() map[ir.Type]bool {
	out := map[ir.Type]bool{}
	for t := range dtype.All() {
		if row := t.Row(); row.Format != nil && !row.NoIR {
			out[ir.Float(row.Format)] = true
		}
	}
	return out
}()

var ints = map[ir.Type]bool{ir.I1: true, ir.Int(4): true, ir.I8: true, ir.I16: true, ir.I32: true,
	ir.I64: true}

func isFloat(t ir.Type) bool { return floats[t] }
func isInt(t ir.Type) bool   { return ints[t] }
func isElem(t ir.Type) bool  { return isFloat(t) || isInt(t) || IsPtr(t) }

func isExactly(want ir.Type) func(ir.Type) bool { return func(t ir.Type) bool { return t == want } }

func tensorOf(desc string, ok func(ir.Type) bool) ir.Constraint {
	return ir.Constraint{Desc: desc, Ok: func(t ir.Type) bool {
		tt, is := t.(*ir.TensorType)
		return is && !tt.Unranked && ok(tt.Elem)
	}}
}

func like(desc string, ok func(ir.Type) bool) ir.Constraint {
	tensor := tensorOf(desc, ok)
	return ir.Constraint{Desc: desc, Ok: func(t ir.Type) bool { return ok(t) || tensor.Ok(t) }}
}
