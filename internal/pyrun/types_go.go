package pyrun

import (
	"fmt"
	"math/big"
)

func uintValue(v uint64) Value { return BigInt(new(big.Int).SetUint64(v)) }

func fromGoContainer(x any) Value {
	switch v := x.(type) {
	case *big.Int:
		return BigInt(v)
	case []byte:
		return Bytes(v)
	case []Value:
		return &List{Items: v}
	case []string:
		return listOf(v)
	case []int:
		return listOf(v)
	case []int64:
		return listOf(v)
	case []float64:
		return listOf(v)
	case []any:
		return listOf(v)
	case map[string]Value:
		return dictOf(v)
	case map[string]any:
		d := NewDict()
		for _, k := range sortedKeys(v) {
			d.SetStr(k, FromGo(v[k]))
		}
		return d
	case map[string]string:
		d := NewDict()
		for _, k := range sortedKeys(v) {
			d.SetStr(k, Str(v[k]))
		}
		return d
	}
	return Str(fmt.Sprint(x))
}

func listOf[T any](items []T) *List {
	l := &List{}
	for _, x := range items {
		l.Items = append(l.Items, FromGo(x))
	}
	return l
}
