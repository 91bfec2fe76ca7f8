package args

import (
	"fmt"
	"math/big"
	"reflect"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// MaxDepth bounds nested tuples, because a slice can contain itself.
const MaxDepth = 100

var errTooDeep = fmt.Errorf("tuples are nested more than %d deep", MaxDepth)

// Constant returns a compile-time argument as a value of the compiler.
func Constant(v any) (object.Value, error) { return constantIn(v, 0) }

func constantIn(v any, depth int) (object.Value, error) {
	if depth++; depth > MaxDepth {
		return nil, errTooDeep
	}
	switch v := v.(type) {
	case nil:
		return object.None, nil
	case object.Value:
		return v, nil
	case string:
		return object.Str(v), nil
	case bool:
		return object.Bool(v), nil
	case dtype.Type:
		t := sem.ScalarOf(v)
		if t == nil {
			return nil, fmt.Errorf("%s is no element type", v)
		}
		return t, nil
	case Const:
		return constantIn(v.Value, depth)
	case Scalar:
		return v.value(), nil
	case *Tensor, *Descriptor:
		return nil, fmt.Errorf("a tensor cannot be a compile-time argument")
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return object.MakeInt(r.Int()), nil
	case r.CanUint():
		return object.BigInt(new(big.Int).SetUint64(r.Uint())), nil
	case r.CanFloat():
		return object.Float(r.Float()), nil
	case r.Kind() == reflect.Bool:
		return object.Bool(r.Bool()), nil
	case r.Kind() == reflect.String:
		return object.Str(r.String()), nil
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		return constantTuple(r, depth)
	}
	return nil, fmt.Errorf("a %T cannot be a compile-time argument", v)
}

func constantTuple(r reflect.Value, depth int) (object.Value, error) {
	items := make([]object.Value, r.Len())
	for i := range items {
		c, err := constantIn(r.Index(i).Interface(), depth)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		items[i] = c
	}
	return object.NewTuple(items...), nil
}

// Plain returns a compile-time value as an int64, float64, bool or string, or nil for all others.
func Plain(v object.Value) any {
	switch v := v.(type) {
	case object.Int:
		n, _ := v.Int64()
		return n
	case object.Float:
		return float64(v)
	case object.Bool:
		return bool(v)
	case object.Str:
		return string(v)
	}
	return nil
}

// GoValue returns a compile-time value as a plain Go value if that loses nothing, else the value itself.
func GoValue(v object.Value) any {
	if n, ok := v.(object.Int); ok {
		if i, ok := n.Int64(); ok {
			return i
		}
		return v
	}
	if p := Plain(v); p != nil {
		return p
	}
	return v
}
