package conform

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// array is a tensor of bits, the last dimension fastest.
type array struct {
	dt    *dtype
	shape []int
	bits  []uint64
}

func newArray(dt *dtype, shape ...int) array {
	return array{dt, slices.Clone(shape), make([]uint64, product(shape))}
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func (a array) len() int                  { return len(a.bits) }
func (a array) float(i int) float64       { return a.dt.float(a.bits[i]) }
func (a array) int(i int) int64           { return a.dt.int(a.bits[i]) }
func (a array) setFloat(i int, x float64) { a.bits[i] = a.dt.bitsOf(x, nearest) }
func (a array) setInt(i int, x int64)     { a.bits[i] = uint64(x) & a.dt.mask() }

// reshape is the same elements in another shape.
func (a array) reshape(shape ...int) array {
	if product(shape) != a.len() {
		panic(fmt.Sprint("conform: cannot reshape ", a.shape, " to ", shape))
	}
	return array{a.dt, shape, a.bits}
}

// index calls f for every position of a shape, in order.
func index(shape []int, f func(flat int, at []int)) {
	at := make([]int, len(shape))
	for flat := range product(shape) {
		f(flat, at)
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				break
			}
			at[d] = 0
		}
	}
}

// flat is the position of coordinates.
func (a array) flat(at ...int) int {
	n := 0
	for d, i := range at {
		n = n*a.shape[d] + i
	}
	return n
}

// build is an array of a shape whose elements are bits given by their coordinates.
func build(dt *dtype, shape []int, f func(at []int) uint64) array {
	a := newArray(dt, shape...)
	index(shape, func(flat int, at []int) { a.bits[flat] = f(at) & dt.storage() })
	return a
}

// storage is the mask of the bits in memory.
func (d *dtype) storage() uint64 { return ^uint64(0) >> (64 - 8*d.size()) }

// each is an array of the same shape, element by element.
func (a array) each(dt *dtype, f func(bits uint64) uint64) array {
	out := newArray(dt, a.shape...)
	for i, b := range a.bits {
		out.bits[i] = f(b) & dt.storage()
	}
	return out
}

// permute moves dimensions: dimension i of the result is dimension dims[i] of a.
func (a array) permute(dims ...int) array {
	shape := make([]int, len(dims))
	for i, d := range dims {
		shape[i] = a.shape[d]
	}
	src := make([]int, len(dims))
	return build(a.dt, shape, func(at []int) uint64 {
		for i, d := range dims {
			src[d] = at[i]
		}
		return a.bits[a.flat(src...)]
	})
}

// broadcast stretches dimensions of size 1; missing ones are added in front.
func (a array) broadcast(shape ...int) array {
	for len(a.shape) < len(shape) {
		a = a.reshape(append([]int{1}, a.shape...)...)
	}
	src := make([]int, len(shape))
	return build(a.dt, shape, func(at []int) uint64 {
		for i := range src {
			src[i] = at[i]
			if a.shape[i] == 1 {
				src[i] = 0
			}
		}
		return a.bits[a.flat(src...)]
	})
}

// lines calls f with the elements along an axis, for all positions on the other axes in order. The axis is
// moved last.
func (a array) lines(axis int, f func(line []uint64)) {
	dims := []int{}
	for d := range a.shape {
		if d != axis {
			dims = append(dims, d)
		}
	}
	moved := a.permute(append(dims, axis)...)
	n := a.shape[axis]
	for i := 0; i < moved.len(); i += n {
		f(moved.bits[i : i+n])
	}
}

// without is a shape without an axis, or with 1 in its place.
func without(shape []int, axis int, keep bool) []int {
	out := slices.Clone(shape)
	if keep {
		out[axis] = 1
		return out
	}
	return slices.Delete(out, axis, axis+1)
}

// concat joins flat arrays.
func concat(arrays ...array) array {
	out := array{dt: arrays[0].dt}
	for _, a := range arrays {
		if a.dt != out.dt {
			panic("conform: concat of " + a.dt.sig + " and " + out.dt.sig)
		}
		out.bits = append(out.bits, a.bits...)
	}
	out.shape = []int{len(out.bits)}
	return out
}

func (a array) bytes() []byte {
	n := a.dt.size()
	out := make([]byte, n*a.len())
	var word [8]byte
	for i, b := range a.bits {
		binary.LittleEndian.PutUint64(word[:], b)
		copy(out[i*n:], word[:n])
	}
	return out
}

func fromBytes(dt *dtype, data []byte) array {
	n := dt.size()
	a := newArray(dt, len(data)/n)
	var word [8]byte
	for i := range a.bits {
		copy(word[:], data[i*n:(i+1)*n])
		a.bits[i] = binary.LittleEndian.Uint64(word[:])
	}
	return a
}

// ints and floats as arrays.
func ofInts(dt *dtype, xs ...int64) array {
	a := newArray(dt, len(xs))
	for i, x := range xs {
		a.setInt(i, x)
	}
	return a
}

func ofFloats(dt *dtype, xs ...float64) array {
	a := newArray(dt, len(xs))
	for i, x := range xs {
		a.setFloat(i, x)
	}
	return a
}

// source is where the data of a case come from: the same for the same name.
type source struct{ *rand.Rand }

func newSource(name string) source {
	h := fnv.New64a()
	h.Write([]byte(name))
	return source{rand.New(rand.NewPCG(h.Sum64(), 42))}
}

// any is values of every sort: the ends of the range, zeros, infinities, NaN, and random ones of all
// magnitudes.
func (s source) any(dt *dtype, shape ...int) array {
	a := newArray(dt, shape...)
	special := specials(dt)
	for i := range a.bits {
		if i < len(special) && a.len() >= 2*len(special) {
			a.bits[i] = special[i]
			continue
		}
		a.bits[i] = s.one(dt)
	}
	s.Shuffle(a.len(), func(i, j int) { a.bits[i], a.bits[j] = a.bits[j], a.bits[i] })
	return a
}

// one is a random value of a random magnitude.
func (s source) one(dt *dtype) uint64 {
	if dt.isFloat() {
		x := math.Ldexp(1+s.Float64(), s.IntN(9)-4)
		if s.IntN(2) == 0 {
			x = -x
		}
		return dt.bitsOf(x, nearest)
	}
	return s.Uint64() & dt.mask() >> s.IntN(dt.bits)
}

func specials(dt *dtype) []uint64 {
	if dt.isFloat() {
		return []uint64{
			0, 1 << (dt.bits - 1), dt.bitsOf(1, nearest), dt.bitsOf(-1, nearest), dt.largest(), dt.nan(),
			dt.bitsOf(math.Inf(1), saturate), dt.bitsOf(math.Inf(-1), saturate), 1 << dt.man,
		}
	}
	return []uint64{0, 1, dt.mask(), dt.mask() >> 1, dt.mask()>>1 + 1}
}

// finite is numbers of moderate size, no zeros among them.
func (s source) finite(dt *dtype, shape ...int) array {
	a := newArray(dt, shape...)
	for i := range a.bits {
		for a.bits[i] == 0 {
			a.bits[i] = s.one(dt)
		}
	}
	return a
}

// small is whole numbers from -4 to 4 (from 0 for unsigned types): their products and sums are exact in
// every type.
func (s source) small(dt *dtype, shape ...int) array { return s.between(dt, -4, 4, shape...) }

// between is whole numbers of a range, as far as the type has them.
func (s source) between(dt *dtype, lo, hi int, shape ...int) array {
	a := newArray(dt, shape...)
	if !dt.signed && !dt.isFloat() {
		lo = max(lo, 0)
	}
	if dt == i1 {
		hi = 1
	}
	for i := range a.bits {
		n := lo + s.IntN(hi-lo+1)
		if dt.isFloat() {
			a.setFloat(i, float64(n))
		} else {
			a.setInt(i, int64(n))
		}
	}
	return a
}

// uniform is floats of a range.
func (s source) uniform(dt *dtype, lo, hi float64, shape ...int) array {
	a := newArray(dt, shape...)
	for i := range a.bits {
		a.setFloat(i, lo+(hi-lo)*s.Float64())
	}
	return a
}

// distinct is whole numbers, no two alike, so that the order of all is plain.
func (s source) distinct(dt *dtype, shape ...int) array {
	a := newArray(dt, shape...)
	lo := 0
	if dt.signed || dt.isFloat() {
		lo = -a.len() / 2
	}
	for i, p := range s.Perm(a.len()) {
		if dt.isFloat() {
			a.setFloat(i, float64(p+lo))
		} else {
			a.setInt(i, int64(p+lo))
		}
	}
	return a
}

// count is 0, 1, 2 …
func count(dt *dtype, shape ...int) array {
	a := newArray(dt, shape...)
	for i := range a.bits {
		if dt.isFloat() {
			a.setFloat(i, float64(i))
		} else {
			a.setInt(i, int64(i))
		}
	}
	return a
}
