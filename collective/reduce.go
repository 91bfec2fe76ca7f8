package collective

import (
	"encoding/binary"
	"math"
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/run"
)

// accumulator reduces elements of the ranks, one rank after the other. Floats of 8 and 16 bits are
// accumulated in fp32 and rounded once.
type accumulator interface {
	// add reduces the elements of one more rank, of as many bytes at each call up to store.
	add(elements []byte)
	// store writes the results, and begins anew.
	store(to []byte)
}

// newAccumulator returns an accumulator for elements of a type on a number of ranks.
func newAccumulator(dt run.DType, op Op, ranks int) accumulator {
	switch dt {
	case run.Float32:
		return &plain[float32]{op: op, ranks: float32(ranks)}
	case run.Float64:
		return &plain[float64]{op: op, ranks: float64(ranks)}
	case run.Int8:
		return &plain[int8]{op: op, ranks: int8(ranks), wide: int64(ranks)}
	case run.Int16:
		return &plain[int16]{op: op, ranks: int16(ranks), wide: int64(ranks)}
	case run.Int32:
		return &plain[int32]{op: op, ranks: int32(ranks)}
	case run.Int64:
		return &plain[int64]{op: op, ranks: int64(ranks)}
	case run.Uint16:
		return &plain[uint16]{op: op, ranks: uint16(ranks), wide: int64(ranks)}
	case run.Uint32:
		return &plain[uint32]{op: op, ranks: uint32(ranks)}
	case run.Uint64:
		return &plain[uint64]{op: op, ranks: uint64(ranks)}
	case run.Bool, run.Uint8:
		return &plain[uint8]{op: op, ranks: uint8(ranks), wide: int64(ranks)}
	}
	return &narrow{dt: dt, sum: plain[float32]{op: op, ranks: float32(ranks)}}
}

// number is a type that Go computes with.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// plain accumulates elements in their own type.
type plain[T number] struct {
	op    Op
	ranks T
	wide  int64 // the same for types that may not hold it, else 0
	begun bool
	acc   []T
}

func (p *plain[T]) add(elements []byte) { p.addAll(elementsOf[T](elements)) }

// addAll reduces elements.
func (p *plain[T]) addAll(v []T) {
	if !p.begun {
		p.acc, p.begun = append(p.acc[:0], v...), true
		return
	}
	acc := p.acc[:len(v)]
	switch p.op {
	case Prod:
		for i, x := range v {
			acc[i] *= x
		}
	case Min:
		for i, x := range v {
			acc[i] = min(acc[i], x)
		}
	case Max:
		for i, x := range v {
			acc[i] = max(acc[i], x)
		}
	default:
		for i, x := range v {
			acc[i] += x
		}
	}
}

// finish returns the results.
func (p *plain[T]) finish() []T {
	p.begun = false
	if p.op != Avg {
		return p.acc
	}
	if p.wide != 0 {
		for i, x := range p.acc {
			p.acc[i] = T(int64(x) / p.wide)
		}
		return p.acc
	}
	for i := range p.acc {
		p.acc[i] /= p.ranks
	}
	return p.acc
}

func (p *plain[T]) store(to []byte) { copy(elementsOf[T](to), p.finish()) }

// elementsOf returns bytes as elements. All buffers here begin at a multiple of the element's size.
func elementsOf[T number](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(T(0))))
}

// narrow accumulates floats of 8 and 16 bits in fp32.
type narrow struct {
	dt     run.DType
	sum    plain[float32]
	floats []float32
}

func (a *narrow) add(elements []byte) {
	size := a.dt.Size()
	table := decoded(a.dt)
	a.floats = a.floats[:0]
	for i := 0; i < len(elements); i += size {
		bits := int(elements[i])
		if size == 2 {
			bits = int(binary.NativeEndian.Uint16(elements[i:]))
		}
		a.floats = append(a.floats, table[bits])
	}
	a.sum.addAll(a.floats)
}

func (a *narrow) store(to []byte) {
	for i, v := range a.sum.finish() {
		switch a.dt {
		case run.BFloat16:
			binary.NativeEndian.PutUint16(to[2*i:], bf16(v))
		case run.Float16:
			binary.NativeEndian.PutUint16(to[2*i:], uint16(a.dt.Encode(float64(v))))
		default:
			to[i] = byte(a.dt.Encode(float64(v)))
		}
	}
}

// bf16 rounds to the nearest bfloat16, ties to even.
func bf16(v float32) uint16 {
	bits := math.Float32bits(v)
	if v != v {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

var tables sync.Map // of all values of a type, by run.DType

// decoded returns the values of all bit patterns of a type.
func decoded(dt run.DType) []float32 {
	if t, ok := tables.Load(dt); ok {
		return t.([]float32)
	}
	t := make([]float32, 1<<(8*dt.Size()))
	for i := range t {
		t[i] = float32(dt.Decode(uint64(i)))
	}
	tables.Store(dt, t)
	return t
}
