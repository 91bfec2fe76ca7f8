package sem

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

// dtypeClass returns tl.dtype("int32").
func dtypeClass(c *Call) object.Value {
	name := c.str("name")
	t := DTypes[name]
	if t == nil {
		panic(bad(CodeValue, "there is no dtype %q", name))
	}
	return t
}

// pointerClass returns tl.pointer_type(tl.float32).
func pointerClass(c *Call) object.Value {
	return PtrIn(c.dtype("element_ty"), int(c.int("address_space")), c.bool("const"))
}

// blockClass returns tl.block_type(tl.float32, [128]).
func blockClass(c *Call) object.Value {
	shape := c.shape("shape", c.shapeList("shape"))
	if len(shape) == 0 {
		panic(bad(CodeShape, "0d block_type is forbidden"))
	}
	return Block(c.dtype("element_ty"), shape...)
}

// propagateNanClass is tl.PropagateNan, with its members ALL and NONE.
type propagateNanClass struct{}

// TypeName returns the name of the class's metaclass in Triton.
func (propagateNanClass) TypeName() string { return "pybind11_type" }

// Attr returns a member.
func (propagateNanClass) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "NONE":
		return NanNone, true, nil
	case "ALL":
		return NanAll, true, nil
	}
	return nil, false, nil
}

// enumValue is a member of one of dtype's enums, dtype.SIGNEDNESS and dtype.KIND.
type enumValue struct {
	class, name string
	value       int64
}

// TypeName returns the name of the enum.
func (e *enumValue) TypeName() string { return e.class }

// Attr returns name or value.
func (e *enumValue) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "name":
		return object.Str(e.name), true, nil
	case "value":
		return object.MakeInt(e.value), true, nil
	}
	return nil, false, nil
}

// Repr returns the text that Python prints.
func (e *enumValue) Repr() string { return fmt.Sprintf("<%s.%s: %d>", e.class, e.name, e.value) }

var (
	signedness = []*enumValue{{"SIGNEDNESS", "SIGNED", 0}, {"SIGNEDNESS", "UNSIGNED", 1}}
	kinds      = []*enumValue{{"KIND", "BOOLEAN", 0}, {"KIND", "INTEGRAL", 1}, {"KIND", "FLOATING", 2}}
)

// typeProperties has the attributes that types of the language may have. A nil value means that a type lacks
// the attribute.
var typeProperties = map[string]func(t Type) object.Value{
	"name":               func(t Type) object.Value { return object.Str(t.String()) },
	"cache_key_part":     func(t Type) object.Value { return object.Str(t.String()) },
	"scalar":             func(t Type) object.Value { return Scalar(t) },
	"primitive_bitwidth": ofDType(func(d *DType) object.Value { return object.MakeInt(int64(d.Bits)) }),
	"itemsize":           ofDType(func(d *DType) object.Value { return object.MakeInt(int64(d.Bits / 8)) }),
	"int_bitwidth":       ofInt(func(d *DType) object.Value { return object.MakeInt(int64(d.Bits)) }),
	"int_signedness":     ofInt(func(d *DType) object.Value { return signedness[boolInt(!d.IsSigned())] }),
	"fp_mantissa_width":  ofFloat(func(d *DType) object.Value { return object.MakeInt(int64(d.Man)) }),
	"exponent_bias":      ofFloat(func(d *DType) object.Value { return object.MakeInt(int64(d.Bias)) }),
	"element_ty": func(t Type) object.Value {
		switch t := t.(type) {
		case *PtrType:
			return t.Elem
		case *BlockType:
			return t.Elem
		}
		return nil
	},
	"address_space": ofPtr(func(p *PtrType) object.Value { return object.MakeInt(int64(p.Space)) }),
	"const":         ofPtr(func(p *PtrType) object.Value { return object.Bool(p.Const) }),
	"shape":         ofBlock(func(b *BlockType) object.Value { return shapeTuple(b.Shape) }),
	"numel":         ofBlock(func(b *BlockType) object.Value { return object.MakeInt(b.Numel()) }),
	"nbytes": ofBlock(func(b *BlockType) object.Value {
		if d, ok := b.Elem.(*DType); ok {
			return object.MakeInt(b.Numel() * int64(d.Bits/8))
		}
		return nil
	}),
	"block_type": func(t Type) object.Value {
		if d, ok := t.(*DescType); ok {
			return d.Block
		}
		return nil
	},
}

// typeQueries has the methods without arguments.
var typeQueries = map[string]func(t Type) object.Value{
	"is_ptr":   func(t Type) object.Value { return object.Bool(IsPtr(t)) },
	"is_block": func(t Type) object.Value { return object.Bool(IsBlock(t)) },
	"is_const": func(t Type) object.Value {
		p, ok := t.(*PtrType)
		return object.Bool(ok && p.Const)
	},
	"is_fp8": func(t Type) object.Value {
		return object.Bool(strings.Contains(t.String(), "fp8"))
	},
	"is_bool":              func(t Type) object.Value { return object.Bool(t == Int1) },
	"is_floating":          isDType(func(d *DType) bool { return d.IsFloating() }),
	"is_standard_floating": isDType(func(d *DType) bool { return d.isStandard() }),
	"is_int_signed":        isDType(func(d *DType) bool { return d.Kind == SignedInt }),
	"is_int_unsigned":      isDType(func(d *DType) bool { return d.Kind == UnsignedInt }),
	"is_int":               isDType(func(d *DType) bool { return d.IsInt() }),
	"kind":                 ofDType(func(d *DType) object.Value { return kinds[d.rank()] }),
	"get_int_max_value": ofInt(func(d *DType) object.Value {
		_, hi := intRange(d)
		return object.BigInt(hi)
	}),
	"get_int_min_value": ofInt(func(d *DType) object.Value {
		lo, _ := intRange(d)
		return object.BigInt(lo)
	}),
	"codegen_name":     ofDType(func(d *DType) object.Value { return object.Str(d.longName()) }),
	"mangle":           func(t Type) object.Value { return object.Str(t.Mangle()) },
	"get_block_shapes": ofBlock(func(b *BlockType) object.Value { return shapeTuple(b.Shape) }),
	"is_fp8e4nv":       is(Float8E4NV),
	"is_fp8e4b8":       is(Float8E4B8),
	"is_fp8e4b15":      is(Float8E4B15),
	"is_fp8e5":         is(Float8E5),
	"is_fp8e5b16":      is(Float8E5B16),
	"is_fp16":          is(Float16),
	"is_bf16":          is(BFloat16),
	"is_fp32":          is(Float32),
	"is_fp64":          is(Float64),
	"is_int1":          is(Int1),
	"is_int8":          is(Int8),
	"is_int16":         is(Int16),
	"is_int32":         is(Int32),
	"is_int64":         is(Int64),
	"is_uint8":         is(Uint8),
	"is_uint16":        is(Uint16),
	"is_uint32":        is(Uint32),
	"is_uint64":        is(Uint64),
}

func is(want Type) func(Type) object.Value {
	return func(t Type) object.Value { return object.Bool(t == want) }
}

func isDType(f func(*DType) bool) func(Type) object.Value {
	return func(t Type) object.Value { d, ok := t.(*DType); return object.Bool(ok && f(d)) }
}

func ofDType(f func(*DType) object.Value) func(Type) object.Value {
	return func(t Type) object.Value {
		if d, ok := t.(*DType); ok {
			return f(d)
		}
		return nil
	}
}

func ofInt(f func(*DType) object.Value) func(Type) object.Value {
	return func(t Type) object.Value {
		if d, ok := t.(*DType); ok && d.IsInt() {
			return f(d)
		}
		return nil
	}
}

func ofFloat(f func(*DType) object.Value) func(Type) object.Value {
	return func(t Type) object.Value {
		if d, ok := t.(*DType); ok && d.IsFloating() {
			return f(d)
		}
		return nil
	}
}

func ofPtr(f func(*PtrType) object.Value) func(Type) object.Value {
	return func(t Type) object.Value {
		if p, ok := t.(*PtrType); ok {
			return f(p)
		}
		return nil
	}
}

func ofBlock(f func(*BlockType) object.Value) func(Type) object.Value {
	return func(t Type) object.Value {
		if b, ok := t.(*BlockType); ok {
			return f(b)
		}
		return nil
	}
}

// DTypeAttr returns an attribute or a bound method of a type: t.name, t.is_floating.
func DTypeAttr(t Type, name string) (object.Value, bool) {
	if f := typeProperties[name]; f != nil {
		v := f(t)
		return v, v != nil
	}
	if f := typeQueries[name]; f != nil {
		v := f(t)
		return &object.Builtin{Name: name, Fn: noArgs(name, v)}, v != nil
	}
	if name == "with_element_ty" {
		return &object.Builtin{Name: name, Fn: withElement(t)}, true
	}
	return nil, false
}

type hostFunc = func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error)

func noArgs(name string, v object.Value) hostFunc {
	return func(_ *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
		if len(args)+len(kws) > 0 {
			return nil, &Error{Code: CodeArgs, Msg: name + "() takes no arguments"}
		}
		return v, nil
	}
}

func withElement(t Type) hostFunc {
	return func(_ *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
		if len(args) == 1 && len(kws) == 0 {
			if elem, ok := args[0].(Type); ok {
				return WithElem(t, Scalar(elem)), nil
			}
		}
		return nil, &Error{Code: CodeArgs, Msg: "with_element_ty() takes one dtype"}
	}
}

// Attr returns an attribute, for host code.
func (t *DType) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	v, ok := DTypeAttr(t, name)
	return v, ok, nil
}

func (t *PtrType) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	v, ok := DTypeAttr(t, name)
	return v, ok, nil
}

func (t *BlockType) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	v, ok := DTypeAttr(t, name)
	return v, ok, nil
}

func (t *DescType) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	v, ok := DTypeAttr(t, name)
	return v, ok, nil
}

// Repr and Str are Python's texts of types.
func (t *DType) Repr() string     { return repr(t) }
func (t *DType) Str() string      { return t.Name }
func (t *PtrType) Repr() string   { return t.String() }
func (t *BlockType) Repr() string { return t.String() }
func (t *DescType) Repr() string  { return t.String() }

// Attr returns an attribute of a device value that is no method: x.dtype, x.shape, x.T.
func (b *Builder) Attr(v object.Value, name string) (out object.Value, ok bool, err error) {
	defer guard(&err)
	switch v := v.(type) {
	case *Tensor:
		out = b.tensorAttr(v, name)
	case *Descriptor:
		out = v.attr(name)
	case *BlockPointer:
		out = v.attr(name)
	}
	return out, out != nil, nil
}

func (b *Builder) tensorAttr(x *Tensor, name string) object.Value {
	if name == "T" {
		return b.permute(x, []int64{1, 0})
	}
	return x.attr(name)
}

// attr returns an attribute that is known while the kernel is compiled.
func (t *Tensor) attr(name string) object.Value {
	switch name {
	case "dtype":
		return Scalar(t.Type)
	case "type":
		return t.Type
	case "shape":
		return shapeTuple(ShapeOf(t.Type))
	case "numel":
		if bt, ok := t.Type.(*BlockType); ok {
			return object.MakeInt(bt.Numel())
		}
		return object.MakeInt(1)
	case "handle":
		panic(bad(CodeAttribute, "the handle of a tensor is no part of the language"))
	}
	return nil
}

// Attr returns an attribute or a method as host code sees it: a function of a project that runs while the
// kernel is compiled.
func (t *Tensor) Attr(_ *object.Interp, name string) (v object.Value, ok bool, err error) {
	defer guard(&err)
	if v := t.attr(name); v != nil {
		return v, true, nil
	}
	// Which release holds is known where the method is called; see BuiltinCaller.
	for _, v := range slices.Backward(triton.Releases) {
		if m := In(v).members[name]; m != nil {
			return &object.BoundMethod{Self: t, Fn: m}, true, nil
		}
	}
	return nil, false, nil
}

func (d *Descriptor) attr(name string) object.Value {
	switch name {
	case "dtype":
		return d.Type.Block.Elem
	case "type":
		return d.Type
	case "block_type":
		return d.Type.Block
	case "block_shape":
		return shapeTuple(d.Type.Block.Shape)
	case "shape":
		return tensorTuple(d.Shape)
	case "strides":
		return tensorTuple(d.Strides)
	}
	return nil
}
