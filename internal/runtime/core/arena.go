package core

import (
	"errors"
	"fmt"
	"sync"
)

// Arena is memory of a device for the scratch tensors of launches: it is allocated once, tensors are taken
// from it one behind the other, and Reset takes all of them back.
type Arena struct {
	mu     sync.Mutex
	memory *Tensor
	whole  *Tensor // all of its memory, as bytes, from an aligned address on
	used   int     // bytes taken, with what aligns them
	peak   int     // the most that used was
}

// arenaAlign is the alignment of an arena's tensors in bytes: that of GPU allocations, so that launches are
// specialized as for tensors of their own.
const arenaAlign = 256

// NewArena returns an arena of a number of bytes. The caller closes it.
func NewArena(dev *Device, bytes int) (*Arena, error) {
	if bytes < 0 {
		return nil, fmt.Errorf("nereid: there is no arena of %d bytes", bytes)
	}
	t, err := NewTensor(dev, Uint8, bytes+arenaAlign)
	if err != nil {
		return nil, err
	}
	begin := int(-t.addr % arenaAlign)
	return &Arena{memory: t, whole: t.Slice(0, begin, begin+bytes, 1)}, nil
}

// Tensor returns a tensor of the arena. It holds what its memory held before: nothing is cleared. If there is
// not enough memory left, its Err says so.
func (a *Arena) Tensor(dt DType, shape ...int) *Tensor {
	if a == nil || a.whole == nil {
		return broken(dt, shape, errors.New("nereid: there is no arena: NewArena makes one"))
	}
	if err := errors.Join(a.memory.Err(), checkShape(dt, shape)); err != nil {
		return broken(dt, shape, err)
	}
	n := count(shape) * dt.Size()
	a.mu.Lock()
	defer a.mu.Unlock()
	begin := (a.used + arenaAlign - 1) / arenaAlign * arenaAlign
	if begin > a.whole.Len() || n > a.whole.Len()-begin {
		return broken(dt, shape, fmt.Errorf("nereid: a tensor of %d bytes does not fit into the arena, "+
			"which has %d bytes, %d of them taken", n, a.whole.Len(), a.used))
	}
	a.used = begin + n
	a.peak = max(a.peak, a.used)
	return a.whole.Slice(0, begin, begin+n, 1).As(dt).Reshape(shape...)
}

// Reset takes back all tensors: their memory goes to those that Tensor returns from now on. Launches of one
// stream run in order, so a launch may be given such memory while an earlier one on the same stream still
// uses it; work on other streams must be done.
func (a *Arena) Reset() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used = 0
}

// Peak returns the most bytes that were taken at once, which is how large the arena has to be.
func (a *Arena) Peak() int {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.peak
}

// Close frees the memory. Its tensors must not be used afterwards, and Tensor returns no more of them.
func (a *Arena) Close() error {
	if a == nil || a.memory == nil {
		return nil
	}
	return a.memory.Close()
}
