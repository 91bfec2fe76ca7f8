package genrt

import "github.com/nereid-lang/nereid"

// Opt is a compile-time argument whose default in the kernel is not Go's zero value. The zero Opt stands for
// that default; Set returns an Opt with a value.
type Opt[T comparable] struct {
	value T
	// 1 if value is set; a whole word, because warm launches compare structs without padding faster
	set uint64
}

// Set returns an argument with a value: Consts{GROUP: genrt.Set(4)}.
func Set[T comparable](v T) Opt[T] { return Opt[T]{v, 1} }

// Get returns the value; ok is false for the kernel's default.
func (o Opt[T]) Get() (v T, ok bool) { return o.value, o.set != 0 }

// Append appends the argument to a list for Kernel.Launch, unless it is the kernel's default.
func (o Opt[T]) Append(list []any, name string) []any {
	if o.set == 0 {
		return list
	}
	return append(list, nereid.Arg(name, o.value))
}

// AppendDType appends an element type to a list for Kernel.Launch, unless it is not set and the kernel's
// default applies.
func AppendDType(list []any, name string, t nereid.DType) []any {
	if t == nereid.Invalid {
		return list
	}
	return append(list, nereid.Arg(name, t))
}
