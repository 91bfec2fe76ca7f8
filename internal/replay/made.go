package replay

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// A recording of a launch at the size at which a library uses it is large, and its floats are random numbers.
// peer/dry.py --thin leaves them out: the launch then says how many bytes a storage has, and they are made
// here. Integers, which are often indices, are always recorded.

// maxMade bounds the storages of a launch that are made: more than a test needs, less than a GPU has.
const maxMade = 16 << 30

// period is the number of elements after which made values repeat: a prime, so that rows differ.
const period = 65521

// fill makes the storages that the recording leaves out.
func (c *Case) fill(sizes map[string]int64) error {
	total := int64(0)
	for name, n := range sizes {
		if total += n; n < 0 || total > maxMade {
			return fmt.Errorf("storage %q of %d bytes is too large to be made", name, n)
		}
		if _, ok := c.Before[name]; ok {
			return fmt.Errorf("storage %q is both recorded and made", name)
		}
		c.Before[name] = make([]byte, n)
	}
	made := map[string]bool{}
	c.tensors(func(a *Arg) {
		if _, ok := sizes[a.Storage]; ok && !made[a.Storage] {
			made[a.Storage] = true
			normal(c.Before[a.Storage], elementOf(a.Dtype), uint64(len(made)))
		}
	})
	return nil
}

// normal fills memory with normally distributed floats of a type; other types keep their zeros.
func normal(data []byte, e element, seed uint64) {
	if e.format == nil || e.size == 0 {
		return
	}
	r := rand.New(rand.NewPCG(seed, 1))
	n := min(len(data)/e.size, period) * e.size
	var word [8]byte
	for i := 0; i < n; i += e.size {
		binary.LittleEndian.PutUint64(word[:], e.format.Encode(r.NormFloat64()))
		copy(data[i:i+e.size], word[:])
	}
	for i := n; i < len(data) && n > 0; i += n {
		copy(data[i:], data[:n])
	}
}
