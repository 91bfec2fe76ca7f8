package codegen

import (
	"fmt"
	"math"
	"math/big"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/signature"
)

// PointerAttr is the attribute of a function's descriptor argument with signature.Desc.Pointer.
const PointerAttr = tt.PointerAttr

// ParseSignature reads a signature, with its constants; see signature.Parse.
func ParseSignature(params []signature.Param, text string) ([]signature.Arg, error) {
	return signature.Parse(params, text, constant)
}

// SplitSignature returns the entries of a signature as text, one for each parameter, once they are known to
// make sense.
func SplitSignature(params []signature.Param, text string) ([]string, error) {
	return signature.Split(params, text, constant)
}

// words are constants that others write without Python's spelling: C++ has no value of the name None, prints
// booleans in lower case, and floats beyond all numbers as bare words.
var words = map[string]object.Value{
	"nullopt": object.None, "true": object.Bool(true), "false": object.Bool(false),
	"inf": object.Float(math.Inf(1)), "+inf": object.Float(math.Inf(1)), "-inf": object.Float(math.Inf(-1)),
	"nan": object.Float(math.NaN()),
}

// constant reads a Python literal, or one of words.
func constant(text string) (*signature.Const, error) {
	if v, ok := words[text]; ok {
		return ConstOf(v), nil
	}
	files := diag.NewFileSet()
	x, err := python.ParseExpr(files, "signature", []byte(text))
	if err != nil || !literal(x) {
		return nil, fmt.Errorf("%q is neither a type nor a Python literal", text)
	}
	in := pyrun.New(pyrun.Options{Files: files,
		Limits: object.Limits{MaxSteps: 10000, MaxBytes: 1 << 20}}).Interp
	v, err := pyrun.Eval(in, x, &pyrun.Env{})
	if err != nil {
		return nil, fmt.Errorf("%q has no value: %w", text, err)
	}
	return ConstOf(listsToTuples(v)), nil
}

// literal reports whether an expression is built of literals alone. `float("inf")` is allowed: Python has no
// literal for it.
func literal(e python.Expr) bool {
	ok := true
	python.Inspect(e, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Name:
			ok = ok && n.ID == "float"
		case *python.Attribute, *python.Lambda, *python.Subscript, *python.ListComp, *python.GeneratorExp,
			*python.SetComp, *python.DictComp:
			ok = false
		}
		return ok
	})
	return ok
}

// listsToTuples returns a constant as kernels see it: with tuples in place of lists.
func listsToTuples(v object.Value) object.Value {
	var items []object.Value
	switch v := v.(type) {
	case *object.List:
		items = v.Items
	case *object.Tuple:
		items = v.Items
	default:
		return v
	}
	out := make([]object.Value, len(items))
	for i, e := range items {
		out[i] = listsToTuples(e)
	}
	return object.NewTuple(out...)
}

// ConstOf returns a value of the front end as a constant of a signature.
func ConstOf(v object.Value) *signature.Const {
	switch v := v.(type) {
	case nil, object.NoneType:
		return signature.None
	case object.Bool:
		return signature.Bool(bool(v))
	case object.Int:
		if n, ok := v.Int64(); ok {
			return signature.Int(n)
		}
	case object.Float:
		return signature.Float(float64(v))
	case object.Str:
		return signature.Str(string(v))
	case *sem.DType:
		if t, ok := dtype.Parse(v.String()); ok && sem.ScalarOf(t) == v {
			return signature.DType(t)
		}
	case *signature.FuncRef:
		return signature.Func(v)
	case *object.Tuple:
		if v.Class == nil {
			items := make([]*signature.Const, len(v.Items))
			for i, e := range v.Items {
				items[i] = ConstOf(e)
			}
			return signature.Tuple(items)
		}
	}
	return signature.NewConst(v, v.TypeName(), world.Repr(v))
}

// ValueOf returns a constant of a signature as a value of the front end.
func ValueOf(c *signature.Const) object.Value {
	if c == nil {
		return object.None
	}
	switch v := c.Value.(type) {
	case bool:
		return object.Bool(v)
	case int64:
		return object.MakeInt(v)
	case uint64:
		return object.BigInt(new(big.Int).SetUint64(v))
	case float64:
		return object.Float(v)
	case string:
		return object.Str(v)
	case dtype.Type:
		return sem.ScalarOf(v)
	case []*signature.Const:
		items := make([]object.Value, len(v))
		for i, e := range v {
			items[i] = ValueOf(e)
		}
		return object.NewTuple(items...)
	case object.Value:
		return v
	}
	return object.None
}

// typeOf returns a type of a signature as the front end has it.
func typeOf(t signature.Type) sem.Type {
	if t.IsPointer() {
		return sem.PtrIn(typeOf(t.Pointee()), 1, t.IsConst())
	}
	return sem.ScalarOf(t.Elem)
}
