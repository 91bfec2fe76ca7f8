package args

import (
	"fmt"
	"reflect"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// MaxDepth bounds nested tuples, because a slice can contain itself.
const MaxDepth = 100

var errTooDeep = fmt.Errorf("tuples are nested more than %d deep", MaxDepth)

// Constant returns a compile-time argument as a constant of a signature.
func Constant(v any) (*signature.Const, error) { return constantIn(v, 0) }

func constantIn(v any, depth int) (*signature.Const, error) {
	if depth++; depth > MaxDepth {
		return nil, errTooDeep
	}
	switch v := v.(type) {
	case nil:
		return signature.None, nil
	case *signature.Const:
		return v, nil
	case *signature.FuncRef:
		return signature.Func(v), nil
	case string:
		return signature.Str(v), nil
	case bool:
		return signature.Bool(v), nil
	case dtype.Type:
		if v.Size() == 0 {
			return nil, fmt.Errorf("%s is no element type", v)
		}
		return signature.DType(v), nil
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
		return signature.Int(r.Int()), nil
	case r.CanUint():
		return signature.Uint(r.Uint()), nil
	case r.CanFloat():
		return signature.Float(r.Float()), nil
	case r.Kind() == reflect.Bool:
		return signature.Bool(r.Bool()), nil
	case r.Kind() == reflect.String:
		return signature.Str(r.String()), nil
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		return constantTuple(r, depth)
	}
	return nil, fmt.Errorf("a %T cannot be a compile-time argument", v)
}

func constantTuple(r reflect.Value, depth int) (*signature.Const, error) {
	items := make([]*signature.Const, r.Len())
	for i := range items {
		c, err := constantIn(r.Index(i).Interface(), depth)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		items[i] = c
	}
	return signature.Tuple(items), nil
}
