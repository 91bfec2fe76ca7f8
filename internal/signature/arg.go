package signature

import (
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dtype"
)

// Arg describes an argument of a kernel before it is compiled: by a type, or by a value.
type Arg struct {
	Type  Type   // type of an argument of launches; the zero value for a constant, a tuple and a descriptor
	Const *Const // value of a constant; nil is None
	Div16 bool   // the value, or the address, is divisible by 16
	Small bool   // for a pointer: all that the kernel accesses lies within 2 GiB behind it
	Items []Arg  // items of a tuple
	Names []string
	Tuple bool
	Desc  *Desc // what is known of a tensor descriptor
}

// Typed reports whether launches pass a value of a type.
func (a *Arg) Typed() bool { return a.Type != Type{} }

// Constant reports whether the argument is compiled in: launches pass nothing for it.
func (a *Arg) Constant() bool { return !a.Typed() && !a.Tuple && a.Desc == nil }

// IsOne reports whether the argument is the number 1, for which integers are specialized.
func (a *Arg) IsOne() bool { return a.Constant() && a.Const.Text() == "1" }

// Desc is a tensor descriptor made by the host.
type Desc struct {
	Elem  dtype.Type
	Block []int64

	// Pointer says that the hardware cannot describe the tensor, because of its alignment, strides or sizes:
	// the kernel must use pointers.
	Pointer bool
}

// Param is a parameter of a kernel, as launches see it.
type Param struct {
	Name      string
	Constexpr bool
	Type      string // the scalar or pointer type that the annotation fixes, "i64", "*fp16", or ""
	Const     bool   // a pointer that is only read
	Default   *Const // nil if an argument is required
	Pos       diag.Span

	Var bool // *name: a tuple of all further arguments

	NoSpecialize, NoAlign bool // do_not_specialize, do_not_specialize_on_alignment

	AnyNumber, AnyAddress bool // the device has no code of its own for what is divisible by 16
}
