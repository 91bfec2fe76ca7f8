package object

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Keys of dictionaries. Two values that are equal in Python have equal keys in Go; where the reverse does not
// hold (an instance whose class writes its own __hash__ and __eq__) the key is a looseKey and candidates are
// compared.
type (
	bigKey   string // an int beyond 64 bits, in hexadecimal
	tupleKey string // the keys of the items, one after the other
	setKey   string // of a frozenset, in sorted order
	looseKey int64  // what __hash__ returned
)

// HashKey returns a key that is comparable in Go, the same for values that are equal.
func HashKey(in *Interp, v Value) (any, error) {
	key, _, err := in.hashKey(v)
	return key, err
}

// hashKey returns the key of v; exact says that equal keys mean equal values.
func (in *Interp) hashKey(v Value) (key any, exact bool, err error) {
	switch v := v.(type) {
	case Str:
		return string(v), true, in.scan(len(v))
	case Int:
		if v.big != nil {
			return bigKey(v.big.Text(16)), true, nil
		}
		return v.small, true, nil
	case Bool:
		return int64(boolInt(bool(v))), true, nil
	case Float:
		return floatKey(float64(v)), true, nil
	case Bytes, NoneType, EllipsisType:
		return v, true, nil
	case *Tuple:
		return in.tupleHash(v.Items)
	case *Set:
		return in.setHash(v)
	case *Instance:
		return in.instanceHash(v)
	case *List, *Dict, *Slice:
		return nil, false, Errorf(TypeError, "unhashable type: '%s'", v.TypeName())
	case *Range:
		n := BigInt(v.size())
		if n.Sign() == 0 {
			return in.tupleHash([]Value{n})
		}
		if n.Cmp(MakeInt(1)) == 0 {
			return in.tupleHash([]Value{n, v.Start})
		}
		return in.tupleHash([]Value{n, v.Start, v.Step})
	case *BoundMethod:
		return in.tupleHash([]Value{v.Self, v.Fn})
	case HasHash:
		key, err := v.HashKey()
		return key, true, err
	}
	if !reflect.TypeOf(v).Comparable() {
		return nil, false, Errorf(TypeError, "unhashable type: '%s'", v.TypeName())
	}
	return v, true, nil
}

func floatKey(f float64) any {
	if f == math.Trunc(f) && !math.IsInf(f, 0) {
		if f >= -1<<63 && f < 1<<63 {
			return int64(f)
		}
		n, _ := big.NewFloat(f).Int(nil)
		return bigKey(n.Text(16))
	}
	return f
}

func (in *Interp) tupleHash(items []Value) (any, bool, error) {
	if err := in.Enter(); err != nil {
		return nil, false, err
	}
	defer in.Leave()
	if err := in.Work(len(items)); err != nil {
		return nil, false, err
	}
	var b strings.Builder
	exact := true
	for _, x := range items {
		key, e, err := in.hashKey(x)
		if err != nil {
			return nil, false, err
		}
		exact = exact && e
		in.encodeKey(&b, key)
	}
	if err := in.Alloc(b.Len()); err != nil {
		return nil, false, err
	}
	return tupleKey(b.String()), exact, nil
}

func (in *Interp) setHash(s *Set) (any, bool, error) {
	if !s.Frozen {
		return nil, false, Errorf(TypeError, "unhashable type: 'set'")
	}
	if err := in.Enter(); err != nil {
		return nil, false, err
	}
	defer in.Leave()
	var keys []string
	exact := true
	for x := range s.All() {
		key, e, err := in.hashKey(x)
		if err != nil {
			return nil, false, err
		}
		exact = exact && e
		var b strings.Builder
		in.encodeKey(&b, key)
		keys = append(keys, b.String())
		if err := in.Alloc(2*b.Len() + ValueSize); err != nil {
			return nil, false, err
		}
	}
	slices.Sort(keys)
	return setKey(strings.Join(keys, "")), exact, nil
}

// encodeKey writes a key so that different keys give different text.
func (in *Interp) encodeKey(b *strings.Builder, key any) {
	switch k := key.(type) {
	case int64:
		fmt.Fprintf(b, "i%d,", k)
	case float64:
		fmt.Fprintf(b, "f%x,", math.Float64bits(k))
	case string:
		fmt.Fprintf(b, "s%d:%s", len(k), k)
	case Bytes:
		fmt.Fprintf(b, "b%d:%s", len(k), string(k))
	case bigKey:
		fmt.Fprintf(b, "B%s,", string(k))
	case tupleKey:
		fmt.Fprintf(b, "(%d:%s", len(k), string(k))
	case setKey:
		fmt.Fprintf(b, "{%d:%s", len(k), string(k))
	default:
		fmt.Fprintf(b, "o%d,", in.idOf(key))
	}
}

// instanceHash follows Python: a class with __eq__ and without __hash__ has no hashable instances.
func (in *Interp) instanceHash(v *Instance) (any, bool, error) {
	hash, owner := v.Class.FindIn("__hash__")
	_, eqOwner := v.Class.FindIn("__eq__")
	if hash == nil || eqOwner != nil && v.Class.before(eqOwner, owner) && !isBuiltinClass(eqOwner) {
		if eqOwner == nil || isBuiltinClass(eqOwner) {
			if v.Payload != nil {
				return in.hashKey(v.Payload)
			}
			return v, true, nil
		}
		return nil, false, Errorf(TypeError, "unhashable type: '%s'", v.Class.Name)
	}
	if hash == None {
		return nil, false, Errorf(TypeError, "unhashable type: '%s'", v.Class.Name)
	}
	if isBuiltinClass(owner) {
		if v.Payload != nil {
			return in.hashKey(v.Payload)
		}
		return v, true, nil
	}
	r, err := in.CallSpecial(v, hash)
	if err != nil {
		return nil, false, err
	}
	n, ok := r.(Int)
	if !ok {
		return nil, false, Errorf(TypeError, "__hash__ method should return an integer")
	}
	return looseKey(hashInt(n)), false, nil
}

// Hash returns hash(v): Python's number for numbers, some number for others.
func Hash(in *Interp, v Value) (Int, error) {
	key, _, err := in.hashKey(v)
	if err != nil {
		return Int{}, err
	}
	switch k := key.(type) {
	case int64:
		return MakeInt(hashInt(MakeInt(k))), nil
	case looseKey:
		return MakeInt(int64(k)), nil
	case bigKey:
		n, _ := new(big.Int).SetString(string(k), 16)
		return MakeInt(hashInt(BigInt(n))), nil
	}
	if key == any(None) {
		return MakeInt(0xfca86420), nil
	}
	var b strings.Builder
	in.encodeKey(&b, key)
	h := fnv.New64a()
	h.Write([]byte(b.String()))
	return MakeInt(int64(h.Sum64() >> 2)), nil
}

var hashModulus = big.NewInt(1<<61 - 1)

// hashInt returns the hash of an int: its value modulo 2**61-1, with its sign, and never -1.
func hashInt(n Int) int64 {
	var h int64
	if v, ok := n.Int64(); ok {
		h = v % (1<<61 - 1)
	} else {
		h = new(big.Int).Rem(n.Big(), hashModulus).Int64()
	}
	if h == -1 {
		return -2
	}
	return h
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func itoa(n int) string { return strconv.Itoa(n) }
