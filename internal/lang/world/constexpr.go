package world

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Constexpr is tl.constexpr(v) as host code holds it: only globals with this mark may be read in kernels.
// Inside a kernel its value stands for it.
type Constexpr struct{ V object.Value }

func (*Constexpr) TypeName() string { return "constexpr" }

// Unwrap returns the value behind a constexpr, or v itself.
func Unwrap(v object.Value) object.Value {
	for {
		c, ok := v.(*Constexpr)
		if !ok {
			return v
		}
		v = c.V
	}
}

func wrap(v object.Value, err error) (object.Value, error) {
	if err != nil || v == nil {
		return v, err
	}
	return &Constexpr{Unwrap(v)}, nil
}

// Binary returns the result as a constexpr.
func (c *Constexpr) Binary(in *object.Interp, op python.Operator, other object.Value,
	reflected bool) (object.Value, error) {
	a, b := c.V, Unwrap(other)
	if reflected {
		a, b = b, a
	}
	return wrap(object.Binary(in, op, a, b))
}

// Compare returns the result as a constexpr.
func (c *Constexpr) Compare(in *object.Interp, op python.CmpOperator, other object.Value) (object.Value,
	error) {
	return wrap(object.Compare(in, op, c.V, Unwrap(other)))
}

func (c *Constexpr) Truth() (bool, error) { return IsTrue(c.V), nil }
func (c *Constexpr) Repr() string         { return "constexpr[" + Text(c.V) + "]" }

func (c *Constexpr) HashKey() (any, error) { return object.HashKey(scratch(), c.V) }

// Attr returns .value, or an attribute of the value.
func (c *Constexpr) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	if name == "value" {
		return c.V, true, nil
	}
	if ok, err := object.HasAttribute(in, c.V, name); !ok || err != nil {
		return nil, false, err
	}
	v, err := object.GetAttr(in, c.V, name)
	return v, err == nil, err
}

func (c *Constexpr) Item(in *object.Interp, index object.Value) (object.Value, error) {
	return object.GetItem(in, c.V, Unwrap(index))
}

func (c *Constexpr) Iter(in *object.Interp) ([]object.Value, error) { return object.Iterate(in, c.V) }

func (c *Constexpr) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	return object.Call(in, c.V, args, kws)
}

// ConstexprFunc is a plain function under @triton.constexpr_function: it runs at compile time, on values and
// not on constexprs.
type ConstexprFunc struct {
	Fn      object.Value
	MustUse string // why its result must be used, or ""
}

func (*ConstexprFunc) TypeName() string { return "ConstexprFunction" }

func (f *ConstexprFunc) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value,
	error) {
	plain := make([]object.Value, len(args))
	for i, a := range args {
		plain[i] = Unwrap(a)
	}
	named := make([]object.Keyword, len(kws))
	for i, k := range kws {
		named[i] = object.Keyword{Name: k.Name, Value: Unwrap(k.Value)}
	}
	v, err := object.Call(in, f.Fn, plain, named)
	return Unwrap(v), err
}

// Get returns the function as a method of instance.
func (f *ConstexprFunc) Get(_ *object.Interp, instance, _ object.Value) (object.Value, error) {
	if instance == nil {
		return f, nil
	}
	return &object.BoundMethod{Self: instance, Fn: f}, nil
}

// typeClass is a class of the language that code names in isinstance, annotations and calls: tl.tensor,
// tl.constexpr.
type typeClass struct {
	name string
	is   func(object.Value) bool
	call func(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error)
}

func (*typeClass) TypeName() string { return "type" }
func (c *typeClass) Repr() string   { return "<class 'triton.language.core." + c.name + "'>" }

// HasInstance reports whether v is an instance of the class.
func (c *typeClass) HasInstance(v object.Value) (bool, error) { return c.is(v), nil }

func (c *typeClass) Call(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	if c.call == nil {
		return nil, object.Errorf(object.TypeError, "%s cannot be called", c.name)
	}
	return c.call(in, args, kws)
}

// Attr returns the name or the module.
func (c *typeClass) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "__name__", "__qualname__":
		return object.Str(c.name), true, nil
	case "__module__":
		return object.Str("triton.language.core"), true, nil
	}
	return nil, false, nil
}

// ConstexprType is the type of a value that is known at compile time, (1).type in a kernel: each value has
// its own.
type ConstexprType struct{ V object.Value }

func (ConstexprType) TypeName() string { return "constexpr_type" }
func (t ConstexprType) Repr() string   { return "constexpr_type[" + Text(t.V) + "]" }

// Attr returns .value.
func (t ConstexprType) Attr(_ *object.Interp, name string) (object.Value, bool, error) {
	return t.V, name == "value", nil
}

// Compare compares the values.
func (t ConstexprType) Compare(in *object.Interp, op python.CmpOperator, other object.Value) (object.Value,
	error) {
	o, ok := Unwrap(other).(ConstexprType)
	if !ok {
		return object.Bool(op == python.NotEq), nil
	}
	return object.Compare(in, op, t.V, o.V)
}

// TupleType is the type of a tuple: those of its items.
type TupleType struct{ Types *object.Tuple }

func (TupleType) TypeName() string { return "tuple_type" }
func (t TupleType) Repr() string   { return Text(t.Types) }

// Compare compares the types of the items.
func (t TupleType) Compare(in *object.Interp, op python.CmpOperator, other object.Value) (object.Value,
	error) {
	o, ok := Unwrap(other).(TupleType)
	if !ok {
		return object.Bool(op == python.NotEq), nil
	}
	return object.Compare(in, op, t.Types, o.Types)
}

func makeTupleType(in *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
	if len(args) == 0 {
		return nil, object.Errorf(object.TypeError, "tuple_type() takes a list of types")
	}
	items, err := object.Iterate(in, Unwrap(args[0]))
	for i, item := range items {
		items[i] = Unwrap(item)
	}
	return TupleType{object.NewTuple(items...)}, err
}

// IsKnown reports whether Triton would hold a value as a constexpr.
func IsKnown(v object.Value) bool {
	switch v.(type) {
	case *Constexpr, object.Int, object.Float, object.Bool, object.Str, object.NoneType, *JITFunction:
		return true
	}
	return false
}

var typeClasses = []*typeClass{
	// Inside a kernel isinstance sees the value of a constexpr, as in Triton: it is an int, say, and no
	// constexpr.
	{"constexpr", func(v object.Value) bool {
		_, ok := v.(*Constexpr)
		return ok
	}, func(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
		if len(args) != 1 {
			return nil, object.Errorf(object.TypeError, "constexpr() takes one value, not %d", len(args))
		}
		return wrap(args[0], nil)
	}},
	{"tensor", func(v object.Value) bool { _, ok := v.(*sem.Tensor); return ok }, nil},
	{"dtype", func(v object.Value) bool {
		_, ok := v.(*sem.DType)
		return ok
	}, func(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
		if len(args) == 1 {
			if s, ok := Unwrap(args[0]).(object.Str); ok && sem.DTypes[string(s)] != nil {
				return sem.DTypes[string(s)], nil
			}
		}
		return nil, object.Errorf(object.ValueError,
			"dtype() takes the name of a type, such as 'int32' or 'fp16'")
	}},
	{"pointer_type", func(v object.Value) bool { _, ok := v.(*sem.PtrType); return ok }, makePointerType},
	{"block_type", func(v object.Value) bool { _, ok := v.(*sem.BlockType); return ok }, makeBlockType},
	{"tuple", func(v object.Value) bool {
		_, ok := v.(*object.Tuple)
		return ok
	}, func(in *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
		if len(args) == 0 {
			return object.NewTuple(), nil
		}
		items, err := object.Iterate(in, args[0])
		return object.NewTuple(items...), err
	}},
	{"tensor_descriptor", func(v object.Value) bool { _, ok := v.(*sem.Descriptor); return ok }, nil},
	{"tensor_descriptor_base", func(v object.Value) bool { _, ok := v.(*sem.Descriptor); return ok }, nil},
	{"base_value", func(v object.Value) bool { return IsDeviceValue(v) || IsKnown(v) }, nil},
	{"base_type", func(v object.Value) bool { _, ok := v.(sem.Type); return ok }, nil},
	{"slice", func(v object.Value) bool { _, ok := v.(*object.Slice); return ok }, nil},
	{"const", func(object.Value) bool { return false }, nil},
	{"tuple_type", func(v object.Value) bool { _, ok := v.(TupleType); return ok }, makeTupleType},
	{"constexpr_type", func(v object.Value) bool {
		_, ok := v.(ConstexprType)
		return ok
	}, func(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
		if len(args) != 1 {
			return nil, object.Errorf(object.TypeError, "constexpr_type() takes one value, not %d", len(args))
		}
		return ConstexprType{Unwrap(args[0])}, nil
	}},
	{"tensor_descriptor_type", func(v object.Value) bool { _, ok := v.(*sem.DescType); return ok }, nil},
}

// abstractClasses have instances that Python's type() gives another class for.
var abstractClasses = []string{"tuple", "tensor_descriptor_base", "base_value", "base_type", "slice", "const"}

// classOf returns the class in triton.language of a value, which is what Python's type() gives; nil if the
// value has none there.
func classOf(v object.Value) object.Value {
	for _, c := range typeClasses {
		if c.is(v) && !slices.Contains(abstractClasses, c.name) {
			return c
		}
	}
	return nil
}

func makePointerType(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	space, isConst := int64(1), false
	if len(args) > 1 {
		space, _ = object.AsInt64(Unwrap(args[1]))
	}
	if len(args) > 2 {
		isConst = IsTrue(args[2])
	}
	for _, k := range kws {
		switch k.Name {
		case "element_ty":
			args = []object.Value{k.Value}
		case "address_space":
			space, _ = object.AsInt64(Unwrap(k.Value))
		case "const":
			isConst = IsTrue(k.Value)
		}
	}
	if len(args) > 0 {
		if t, ok := Unwrap(args[0]).(sem.Type); ok {
			return sem.PtrIn(t, int(space), isConst), nil
		}
	}
	return nil, object.Errorf(object.TypeError, "pointer_type() takes an element type")
}

func makeBlockType(in *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	if len(args) != 2 {
		return nil, object.Errorf(object.TypeError, "block_type() takes an element type and a shape")
	}
	elem, ok := Unwrap(args[0]).(sem.Type)
	dims, err := object.Iterate(in, args[1])
	if err != nil || !ok {
		return nil, object.Errorf(object.TypeError, "block_type() takes an element type and a shape")
	}
	shape := make([]int64, len(dims))
	for i, d := range dims {
		shape[i], _ = object.AsInt64(Unwrap(d))
	}
	return sem.Block(elem, shape...), nil
}

// IsDeviceValue reports whether v is a device value: one that control flow must carry.
func IsDeviceValue(v object.Value) bool {
	switch v.(type) {
	case *sem.Tensor, *sem.Descriptor, *sem.BlockPointer, *object.Tuple, *Object:
		return true
	}
	return false
}
