package sem

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// Call is a call of a builtin with its arguments bound to parameters.
type Call struct {
	B   *Builder
	Gen Generator
	Fn  *Builtin

	Method bool // called as a method of its first argument

	args    []object.Value // one for each parameter; a variadic one holds a tuple
	omitted []bool         // by the call: the argument is the parameter's default
}

// Arg returns the argument of a parameter by position; nil where there is no such parameter.
func (c *Call) Arg(i int) object.Value {
	if i >= len(c.args) {
		return nil
	}
	return c.args[i]
}

// Named returns the argument of a parameter by name; nil where there is no such parameter.
func (c *Call) Named(name string) object.Value {
	i := slices.IndexFunc(c.Fn.params, func(p param) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return c.args[i]
}

func isNone(v object.Value) bool {
	_, none := v.(object.NoneType)
	return v == nil || none
}

// given reports whether an argument is not None.
func (c *Call) given(name string) bool { return !isNone(c.Named(name)) }

// passed reports whether an argument stands in the call, even as None. Triton tells the two apart where it
// asks "is None" of an argument that is a constexpr in a kernel.
func (c *Call) passed(name string) bool {
	i := slices.IndexFunc(c.Fn.params, func(p param) bool { return p.name == name })
	return i >= 0 && !c.omitted[i]
}

// tensor returns an argument as a device value; numbers are converted.
func (c *Call) tensor(name string) *Tensor {
	v := c.Named(name)
	if t, ok := v.(*Tensor); ok {
		return t
	}
	if !isNumber(v) {
		panic(c.wrong(name, "a tensor"))
	}
	return c.B.toTensor(v)
}

// optTensor returns an argument as a device value, or nil for None.
func (c *Call) optTensor(name string) *Tensor {
	if !c.given(name) {
		return nil
	}
	return c.tensor(name)
}

// device returns an argument that must be a device value already.
func (c *Call) device(name string) *Tensor {
	t, ok := c.Named(name).(*Tensor)
	if !ok {
		panic(c.wrong(name, "a tensor"))
	}
	return t
}

// optDevice returns an argument that must be a device value, or nil for None.
func (c *Call) optDevice(name string) *Tensor {
	if !c.given(name) {
		return nil
	}
	return c.device(name)
}

// wrong returns the failure of an argument that is not what it should be.
func (c *Call) wrong(name, want string) bailout {
	v := c.Named(name)
	code := CodeType
	if _, device := v.(*Tensor); device {
		code = CodeConst
	}
	e := bad(code, "argument %s of %s must be %s, not %s", name, c.Fn.Name, want, describe(v)).at(name)
	if isNone(v) {
		e = e.hint("None is known at compile time: test `is not None` first")
	}
	return e
}

// int returns an argument that must be a compile-time integer.
func (c *Call) int(name string) int64 {
	n, ok := smallInt(c.Named(name))
	if !ok {
		panic(c.wrong(name, "a compile-time integer"))
	}
	return n
}

// bool returns the truth of a compile-time argument.
func (c *Call) bool(name string) bool {
	switch v := c.Named(name).(type) {
	case object.NoneType:
		return false
	case object.Str:
		return v != ""
	default:
		if isNumber(v) {
			return float(v) != 0
		}
	}
	panic(c.wrong(name, "a compile-time bool"))
}

// str returns a compile-time string. A false value (None, 0, an empty tuple) gives "".
func (c *Call) str(name string) string {
	v := c.Named(name)
	if s, ok := v.(object.Str); ok {
		return string(s)
	}
	empty, list := items(v)
	if isNone(v) || isNumber(v) && float(v) == 0 || list && len(empty) == 0 {
		return ""
	}
	panic(c.wrong(name, "a string"))
}

// dtype returns a type given as an argument.
func (c *Call) dtype(name string) Type {
	t, ok := c.Named(name).(Type)
	if !ok {
		panic(c.wrong(name, "a dtype"))
	}
	return t
}

// scalarDType returns a type that must be a scalar one and no pointer.
func (c *Call) scalarDType(name string) *DType {
	t, ok := c.Named(name).(*DType)
	if !ok || t == VoidType {
		panic(c.wrong(name, "a scalar dtype"))
	}
	return t
}

// list returns the items of a tuple or list given as an argument; anything else is a list of one.
func (c *Call) list(name string) []object.Value {
	if vs, ok := items(c.Named(name)); ok {
		return vs
	}
	return []object.Value{c.Named(name)}
}

// loose returns a variadic argument, which may also be given as one tuple or list.
func (c *Call) loose(name string) []object.Value {
	vs, _ := items(c.Named(name))
	if len(vs) == 1 {
		if inner, ok := items(vs[0]); ok {
			return inner
		}
	}
	return vs
}

// ints returns compile-time integers.
func (c *Call) ints(name string, vs []object.Value) []int64 {
	out := make([]int64, len(vs))
	for i, v := range vs {
		n, ok := smallInt(v)
		if !ok {
			panic(bad(CodeConst, "element %d of %s must be a compile-time integer, not %s", i, name,
				describe(v)).at(name))
		}
		out[i] = n
	}
	return out
}

// shape returns a list of dimensions that a block may have.
func (c *Call) shape(name string, vs []object.Value) []int64 {
	defer inArgument(name)
	shape := c.ints(name, vs)
	checkShape(shape)
	return shape
}

// maxNumel is the greatest number of elements of a block.
const maxNumel = 1 << 20

func checkShape(shape []int64) {
	n := int64(1)
	for i, d := range shape {
		if d <= 0 || d&(d-1) != 0 {
			panic(bad(CodeShape, "sizes of blocks are powers of 2, but dimension %d has size %d", i,
				d).hint("take the next power of 2 and mask what lies beyond the end"))
		}
		if d > maxNumel || n*d > maxNumel {
			panic(bad(CodeShape, "a block of shape %s has more than %d elements", plainShape(shape),
				maxNumel))
		}
		n *= d
	}
}

// items returns the elements of a tuple or list.
func items(v object.Value) ([]object.Value, bool) {
	switch v := v.(type) {
	case *object.Tuple:
		return v.Items, true
	case *object.List:
		return v.Items, true
	}
	return nil, false
}

// smallInt returns v as a machine integer, if it is an int or bool that fits.
func smallInt(v object.Value) (int64, bool) {
	i, ok := integer(v)
	if !ok || !i.IsInt64() {
		return 0, false
	}
	return i.Int64(), true
}

// shapeTuple returns a shape as the language sees it.
func shapeTuple(shape []int64) *object.Tuple {
	vs := make([]object.Value, len(shape))
	for i, d := range shape {
		vs[i] = object.MakeInt(d)
	}
	return object.NewTuple(vs...)
}

// tensorTuple returns a tuple of device values.
func tensorTuple(xs []*Tensor) *object.Tuple {
	vs := make([]object.Value, len(xs))
	for i, x := range xs {
		vs[i] = x
	}
	return object.NewTuple(vs...)
}
