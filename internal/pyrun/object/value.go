package object

import (
	"math/big"

	"github.com/nereid-lang/nereid/internal/python"
)

// Value is a Python object.
type Value interface {
	// TypeName is what Python's type(v).__name__ says.
	TypeName() string
}

type (
	// NoneType is the type of None.
	NoneType struct{}
	// Bool is True or False.
	Bool bool
	// Float is a float.
	Float float64
	// Str is a str.
	Str string
	// Bytes is a bytes.
	Bytes string
	// EllipsisType is the type of `...`.
	EllipsisType struct{}
)

// Int is an int of any size. The zero Int is 0.
type Int struct {
	small int64
	big   *big.Int // set only when the value does not fit small
}

// Tuple is a tuple, or a named one when Class is set.
type Tuple struct {
	Items []Value
	Class *NamedTuple // nil for a plain tuple
}

// List is a list.
type List struct{ Items []Value }

// Slice is a slice object; nil parts are None.
type Slice struct{ Lo, Hi, Step Value }

// Builtin is a function written in Go.
type Builtin struct {
	Name string
	Fn   func(in *Interp, args []Value, kws []Keyword) (Value, error)

	sig *Signature // nil when it is not known
}

// Signature returns the parameters of the function; nil when they are not known.
func (b *Builtin) Signature() *Signature { return b.sig }

// Keyword is a keyword argument.
type Keyword struct {
	Name  string
	Value Value
}

// None and `...`.
var (
	None     Value = NoneType{}
	Ellipsis Value = EllipsisType{}
)

func (NoneType) TypeName() string     { return "NoneType" }
func (Bool) TypeName() string         { return "bool" }
func (Int) TypeName() string          { return "int" }
func (Float) TypeName() string        { return "float" }
func (Str) TypeName() string          { return "str" }
func (Bytes) TypeName() string        { return "bytes" }
func (EllipsisType) TypeName() string { return "ellipsis" }
func (t *Tuple) TypeName() string {
	if t.Class != nil {
		return t.Class.Name
	}
	return "tuple"
}

func (*List) TypeName() string  { return "list" }
func (*Slice) TypeName() string { return "slice" }

func (*Builtin) TypeName() string { return "builtin_function_or_method" }

// MakeInt returns an int that fits a machine word.
func MakeInt(v int64) Int { return Int{small: v} }

// BigInt returns an int of any size.
func BigInt(v *big.Int) Int {
	if v.IsInt64() {
		return Int{small: v.Int64()}
	}
	return Int{big: v}
}

// Int64 returns the value; ok is false when it does not fit.
func (i Int) Int64() (v int64, ok bool) { return i.small, i.big == nil }

// Big returns the value.
func (i Int) Big() *big.Int {
	if i.big != nil {
		return i.big
	}
	return big.NewInt(i.small)
}

// NewTuple returns a plain tuple.
func NewTuple(items ...Value) *Tuple { return &Tuple{Items: items} }

// Optional interfaces of values that other packages define. A nil Value with a nil error means "not
// implemented", as Python's NotImplemented; the operation then tries the other operand and at last raises
// TypeError.
type (
	// HasAttr gives attributes: v.name. ok is false when there is no such attribute.
	HasAttr interface {
		Attr(in *Interp, name string) (v Value, ok bool, err error)
	}
	// Callable can be called.
	Callable interface {
		Call(in *Interp, args []Value, kws []Keyword) (Value, error)
	}
	// HasBinary takes part in `a op b`; reflected means that v is the right operand.
	HasBinary interface {
		Binary(in *Interp, op python.Operator, other Value, reflected bool) (Value, error)
	}
	// HasCompare takes part in comparisons.
	HasCompare interface {
		Compare(in *Interp, op python.CmpOperator, other Value) (Value, error)
	}
	// HasTruth has a truth value of its own.
	HasTruth interface{ Truth() (bool, error) }
	// HasItem can be indexed.
	HasItem interface {
		Item(in *Interp, index Value) (Value, error)
	}
	// HasIter can be iterated.
	HasIter interface {
		Iter(in *Interp) ([]Value, error)
	}
	// HasRepr has a repr of its own.
	HasRepr interface{ Repr() string }
	// HasStr has a str of its own.
	HasStr interface{ Str() string }
	// HasHash can be a key; the key must be comparable.
	HasHash interface{ HashKey() (any, error) }
	// IsInstance answers isinstance(x, class) for classes that other packages define.
	IsInstance interface{ HasInstance(x Value) (bool, error) }
)
