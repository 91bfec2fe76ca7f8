package signature

import (
	"math"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/pytext"
)

// Const is a value of Python that is compiled in. A nil Const is None.
type Const struct {
	// Value is a bool, int64, uint64, float64, string, dtype.Type, *FuncRef or a []*Const, which is a tuple.
	// The front end puts its own values here where these do not suffice.
	Value any
	kind  string // name of its type in Python
	text  string // as signatures write it
}

// FuncRef stands for a jit function among compile-time arguments: it is found when the kernel is compiled.
type FuncRef struct {
	File string // "" for the kernel's own file
	Name string
}

// TypeName makes a FuncRef a value of the front end.
func (*FuncRef) TypeName() string { return "JITFunction" }

// Repr makes a FuncRef a value of the front end.
func (f *FuncRef) Repr() string { return f.File + ":" + f.Name }

// None is Python's None.
var None = &Const{kind: "NoneType", text: "None"}

// NewConst returns a constant of the front end, with the name of its type and its text in signatures.
func NewConst(value any, kind, text string) *Const { return &Const{value, kind, text} }

// Bool returns a bool.
func Bool(v bool) *Const { return &Const{v, "bool", pytext.Bool(v)} }

// Int returns an integer.
func Int(v int64) *Const { return &Const{v, "int", strconv.FormatInt(v, 10)} }

// Uint returns an integer that need not fit an int64.
func Uint(v uint64) *Const {
	if v <= math.MaxInt64 {
		return Int(int64(v))
	}
	return &Const{v, "int", strconv.FormatUint(v, 10)}
}

// Float returns a float.
func Float(v float64) *Const {
	text := pytext.Float(v)
	if math.IsInf(v, 0) || math.IsNaN(v) { // of which Python has no literals
		text = "float('" + text + "')"
	}
	return &Const{v, "float", text}
}

// Str returns a string.
func Str(v string) *Const { return &Const{v, "str", pytext.Quote(v)} }

// DType returns an element type.
func DType(v dtype.Type) *Const { return &Const{v, "dtype", CanonicalName(v)} }

// Func returns a jit function.
func Func(f *FuncRef) *Const { return &Const{f, f.TypeName(), "@" + f.File + ":" + f.Name} }

// Tuple returns a tuple.
func Tuple(items []*Const) *Const { return &Const{items, "tuple", tupleText(items)} }

func tupleText(items []*Const) string {
	texts := make([]string, len(items))
	for i, c := range items {
		texts[i] = c.Text()
	}
	if len(texts) == 1 {
		return "(" + texts[0] + ",)"
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// Unread returns a constant that is known by its text in a signature alone. It equals others of that text.
func Unread(text string) *Const {
	return &Const{text: text}
}

// Text returns the constant as signatures write it.
func (c *Const) Text() string {
	if c == nil {
		return "None"
	}
	return c.text
}

// Kind returns the name of the constant's type in Python, "" if it is known by its text alone.
func (c *Const) Kind() string {
	if c == nil {
		return "NoneType"
	}
	return c.kind
}

// Same reports whether two constants are the same value.
func (c *Const) Same(o *Const) bool {
	a, b := c.Kind(), o.Kind()
	return c.Text() == o.Text() && (a == b || a == "" || b == "")
}

// Plain returns the value as an int64, float64, bool or string, or nil for all others.
func (c *Const) Plain() any {
	if c == nil {
		return nil
	}
	switch c.Value.(type) {
	case int64, float64, bool, string:
		return c.Value
	}
	return nil
}
