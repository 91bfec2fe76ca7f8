package args

import (
	"fmt"
	"math/big"
	"reflect"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
)

// MaxDepth bounds nested tuples, because a slice can contain itself.
const MaxDepth = 100

var errTooDeep = fmt.Errorf("tuples are nested more than %d deep", MaxDepth)

// Constant returns a compile-time argument as a value of the compiler.
func Constant(v any) (pyrun.Value, error) { return constantIn(v, 0) }

func constantIn(v any, depth int) (pyrun.Value, error) {
	if depth++; depth > MaxDepth {
		return nil, errTooDeep
	}
	switch v := v.(type) {
	case nil:
		return pyrun.None, nil
	case pyrun.Value:
		return v, nil
	case string:
		return pyrun.Str(v), nil
	case bool:
		return pyrun.Bool(v), nil
	case dtype.Type:
		t := sem.ScalarOf(v)
		if t == nil {
			return nil, fmt.Errorf("%s is no element type", v)
		}
		return t, nil
	case Const:
		return constantIn(v.Value, depth)
	case *Tensor, *Descriptor:
		return nil, fmt.Errorf("a tensor cannot be a compile-time argument")
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return pyrun.MakeInt(r.Int()), nil
	case r.CanUint():
		return pyrun.BigInt(new(big.Int).SetUint64(r.Uint())), nil
	case r.CanFloat():
		return pyrun.Float(r.Float()), nil
	case r.Kind() == reflect.Bool:
		return pyrun.Bool(r.Bool()), nil
	case r.Kind() == reflect.String:
		return pyrun.Str(r.String()), nil
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		return constantTuple(r, depth)
	}
	return nil, fmt.Errorf("a %T cannot be a compile-time argument", v)
}

func constantTuple(r reflect.Value, depth int) (pyrun.Value, error) {
	items := make([]pyrun.Value, r.Len())
	for i := range items {
		c, err := constantIn(r.Index(i).Interface(), depth)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		items[i] = c
	}
	return pyrun.NewTuple(items...), nil
}

// Plain returns a compile-time value as an int64, float64, bool or string, or nil for all others.
func Plain(v pyrun.Value) any {
	switch v := v.(type) {
	case pyrun.Int:
		n, _ := v.Int64()
		return n
	case pyrun.Float:
		return float64(v)
	case pyrun.Bool:
		return bool(v)
	case pyrun.Str:
		return string(v)
	}
	return nil
}

// GoValue returns a compile-time value as a plain Go value if that loses nothing, else the value itself.
func GoValue(v pyrun.Value) any {
	if n, ok := v.(pyrun.Int); ok {
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
