package gcnsim

import (
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
)

// atomicOp is an operation on memory: the new value of the old one, of n bytes, and of an operand.
type atomicOp func(old, v uint64) uint64

// atomicNames are the operations by the part of the name that says them, for GLOBAL and MUBUF.
var atomicNames = map[string]func(n int) atomicOp{
	"swap": plain(func(_, v uint64) uint64 {
		return v
	}), "wrxchg": plain(func(_, v uint64) uint64 { return v }),
	"add": plain(func(a, v uint64) uint64 {
		return a + v
	}), "sub": plain(func(a, v uint64) uint64 { return a - v }),
	"rsub": plain(func(a, v uint64) uint64 { return v - a }),
	"and": plain(func(a, v uint64) uint64 {
		return a & v
	}), "or": plain(func(a, v uint64) uint64 { return a | v }),
	"xor": plain(func(a, v uint64) uint64 { return a ^ v }),
	"umin": plain(func(a, v uint64) uint64 {
		return min(a, v)
	}), "umax": plain(func(a, v uint64) uint64 { return max(a, v) }),
	"smin": signedAtomic(func(a, v int64) int64 { return min(a, v) }),
	"smax": signedAtomic(func(a, v int64) int64 { return max(a, v) }),
	"inc":  plain(increment), "dec": plain(decrement),
	"add_f32":    plain(func(a, v uint64) uint64 { return fromF32(f32(a) + f32(v)) }),
	"min_f32":    plain(func(a, v uint64) uint64 { return fromF32(minNum(f32(a), f32(v))) }),
	"max_f32":    plain(func(a, v uint64) uint64 { return fromF32(maxNum(f32(a), f32(v))) }),
	"add_f64":    plain(func(a, v uint64) uint64 { return math.Float64bits(f64(a) + f64(v)) }),
	"min_f64":    plain(func(a, v uint64) uint64 { return math.Float64bits(minNum(f64(a), f64(v))) }),
	"max_f64":    plain(func(a, v uint64) uint64 { return math.Float64bits(maxNum(f64(a), f64(v))) }),
	"pk_add_f16": plain(pairwise(num.F16)), "pk_add_bf16": plain(pairwise(num.BF16)),
}

func plain(f atomicOp) func(int) atomicOp { return func(int) atomicOp { return f } }

func signedAtomic(f func(a, v int64) int64) func(int) atomicOp {
	return func(n int) atomicOp {
		shift := 64 - 8*n
		return func(a, v uint64) uint64 { return uint64(f(int64(a)<<shift>>shift, int64(v)<<shift>>shift)) }
	}
}

func increment(a, v uint64) uint64 {
	if a >= v {
		return 0
	}
	return a + 1
}

func decrement(a, v uint64) uint64 {
	if a == 0 || a > v {
		return v
	}
	return a - 1
}

// pairwise adds two halves of 32 bits.
func pairwise(f *num.Format) atomicOp {
	return func(a, v uint64) uint64 {
		lo := f.Encode(f.Decode(a&0xffff) + f.Decode(v&0xffff))
		return lo | f.Encode(f.Decode(a>>16&0xffff)+f.Decode(v>>16&0xffff))<<16
	}
}

// atomicOf returns the operation of a global or buffer atomic; compare says that it is a compare and swap.
func atomicOf(base string) (op atomicOp, n int, compare bool) {
	_, name, _ := strings.Cut(base, "_atomic_")
	n = 4
	if rest, ok := strings.CutSuffix(name, "_x2"); ok || strings.HasSuffix(name, "f64") {
		name, n = rest, 8
	}
	if name == "cmpswap" {
		return nil, n, true
	}
	if f := atomicNames[name]; f != nil {
		return f(n), n, false
	}
	return nil, 0, false
}

// ldsTypes are the words for signed and unsigned in names of LDS atomics.
var ldsTypes = map[byte]string{'i': "s", 'u': "u"}

// ldsAtomicOf returns the operation of an LDS atomic such as ds_max_rtn_i32.
func ldsAtomicOf(base string) (op atomicOp, n int) {
	name := strings.TrimPrefix(strings.Replace(base, "_rtn", "", 1), "ds_")
	i := strings.LastIndexByte(name, '_')
	if i < 0 {
		return nil, 0
	}
	typ := name[i+1:]
	n = 4
	if strings.HasSuffix(typ, "64") {
		n = 8
	}
	for _, key := range []string{name, ldsTypes[typ[0]] + name[:i], name[:i]} {
		if f := atomicNames[key]; f != nil {
			return f(n), n
		}
	}
	return nil, 0
}
