package selftest

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/nereid-lang/nereid"
)

// random returns a source of numbers that depends on the seed and on names alone.
func random(seed uint64, names ...string) *rand.Rand {
	h := fnv.New64a()
	for _, n := range names {
		h.Write([]byte(n + "\x00"))
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// signs returns n numbers of -1, 0 and 1.
func signs(r *rand.Rand, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(r.Uint32()%3) - 1
	}
	return out
}

// below returns n numbers from low up to high, without it.
func below(r *rand.Rand, n int, low, high int32) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = low + r.Int32N(high-low)
	}
	return out
}

// untouched is the number of an element that no kernel may write: its bits stay poison.
const untouched = math.MinInt32

// encode writes numbers as elements of a type. Whole numbers recur, so a table has most of their bits.
func encode(dt nereid.DType, values []int32) []byte {
	const reach = 1 << 12
	table := make([]uint64, 2*reach)
	for i := range table {
		table[i] = dt.Encode(float64(i - reach))
	}
	width, none := dt.Size(), poisoned(12)
	out := make([]byte, len(values)*width)
	for i, v := range values {
		switch {
		case v == untouched:
			copy(out[i*width:(i+1)*width], none[i*width%4:])
		case v >= -reach && v < reach:
			put(out[i*width:], width, table[v+reach])
		default:
			put(out[i*width:], width, dt.Encode(float64(v)))
		}
	}
	return out
}

// encodeOver writes numbers divided by another as elements of a type.
func encodeOver(dt nereid.DType, values []int32, by float64) []byte {
	width := dt.Size()
	out := make([]byte, len(values)*width)
	for i, v := range values {
		put(out[i*width:], width, dt.Encode(float64(v)/by))
	}
	return out
}

// put writes the bits of an element.
func put(to []byte, width int, bits uint64) {
	switch width {
	case 1:
		to[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(to, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(to, uint32(bits))
	default:
		binary.LittleEndian.PutUint64(to, bits)
	}
}

// take reads the bits of an element.
func take(from []byte, width int) uint64 {
	switch width {
	case 1:
		return uint64(from[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(from))
	case 4:
		return uint64(binary.LittleEndian.Uint32(from))
	}
	return binary.LittleEndian.Uint64(from)
}

// transposed returns a matrix of rows and columns by its columns.
func transposed(x []int32, rows, columns int) []int32 {
	out := make([]int32, len(x))
	for i := range rows {
		for j := range columns {
			out[j*rows+i] = x[i*columns+j]
		}
	}
	return out
}
