package bench

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"

	"github.com/nereid-lang/nereid"
)

// Inputs are normally distributed, and each tensor has numbers of its own: attention of a tensor with itself,
// or a product of a matrix with itself, is quicker than with independent numbers, since most probabilities
// vanish and fewer bits change. peer/data.py makes the same numbers for the other side.
//
// Element i of the tensor with a seed is normals[place(seed, i)], rounded to the tensor's type.

// normals are the quantiles of the normal distribution in the middle of 65,536 equal parts, rounded to
// multiples of 1/4096, so that both sides have the same ones, however exact their functions are.
var normals = sync.OnceValue(func() *[1 << 16]float64 {
	var q [1 << 16]float64
	for i := range q {
		q[i] = math.RoundToEven(4096*math.Sqrt2*math.Erfinv((2*float64(i)+1)/(1<<16)-1)) / 4096
	}
	return &q
})

// place returns which of the normals element i of the tensor with a seed is.
func place(seed, i uint64) uint16 {
	x := (seed<<40 + i + 1) * 0x9e3779b97f4a7c15
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return uint16(x >> 48)
}

// input is a tensor of random numbers on a device.
type input struct {
	*nereid.Tensor
	seed   uint64
	values *[1 << 16]float64 // normals as the type has them
}

// at returns element i.
func (x *input) at(i int) float64 { return x.values[place(x.seed, uint64(i))] }

// encoded are the normals in a type: as values and as bits.
type encoded struct {
	values [1 << 16]float64
	bits   [1 << 16]uint64
}

func (s *Suite) encode(dt nereid.DType) *encoded {
	if e := s.types[dt]; e != nil {
		return e
	}
	e := &encoded{}
	for i, v := range normals() {
		e.bits[i] = dt.Encode(v)
		e.values[i] = dt.Decode(e.bits[i])
	}
	if s.types == nil {
		s.types = map[nereid.DType]*encoded{}
	}
	s.types[dt] = e
	return e
}

// room makes the tensors of a figure. After an error it makes no more.
type room struct {
	s    *Suite
	list []*nereid.Tensor
	err  error
}

// random returns the random tensor with a seed, nil after an error.
func (r *room) random(seed uint64, dt nereid.DType, shape ...int) *input {
	e := r.s.encode(dt)
	t := r.empty(dt, shape...)
	if r.err == nil {
		r.err = t.CopyBytesFrom(e.bytes(seed, t.Len(), dt.Size()))
	}
	return &input{t, seed, &e.values}
}

// empty returns a tensor for results, nil after an error.
func (r *room) empty(dt nereid.DType, shape ...int) *nereid.Tensor {
	if r.err != nil {
		return nil
	}
	var t *nereid.Tensor
	if t, r.err = nereid.NewTensor(r.s.Device, dt, shape...); r.err == nil {
		r.list = append(r.list, t)
	}
	return t
}

// free gives the tensors back.
func (r *room) free() {
	for _, t := range r.list {
		t.Close()
	}
}

// bytes returns n elements of so many bytes.
func (e *encoded) bytes(seed uint64, n, size int) []byte {
	out := make([]byte, n*size)
	part := (n + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	for at := 0; at < n; at += part {
		wait.Go(func() {
			var word [8]byte
			for i := at; i < min(at+part, n); i++ {
				binary.LittleEndian.PutUint64(word[:], e.bits[place(seed, uint64(i))])
				copy(out[i*size:], word[:size])
			}
		})
	}
	wait.Wait()
	return out
}
