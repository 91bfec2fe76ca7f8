package genrt

import "github.com/nereid-lang/nereid"

// Opt is a compile-time argument for which the kernel has a default that is not Go's zero value. The zero Opt is that default;
// Set makes an Opt with a value.
type Opt[T comparable] struct {
	value T
	set   uint64 // 1 if value counts; a whole word: warm launches compare structs faster that have no padding
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

// AppendDType appends an element type to a list for Kernel.Launch, unless it is not set: then it is the kernel's default.
func AppendDType(list []any, name string, t nereid.DType) []any {
	if t == nereid.Invalid {
		return list
	}
	return append(list, nereid.Arg(name, t))
}
