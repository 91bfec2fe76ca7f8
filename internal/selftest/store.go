package selftest

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/nereid-lang/nereid"
)

// store holds memory that cases share: inputs and expected results, each made once.
type store struct {
	place *place
	mu    sync.Mutex
	all   map[string]func() (any, error)
}

func newStore(p *place) *store { return &store{place: p, all: map[string]func() (any, error){}} }

// once returns the value of a key, which make makes for the first caller.
func once[T any](s *store, key string, make func() (T, error)) (T, error) {
	s.mu.Lock()
	f := s.all[key]
	if f == nil {
		f = sync.OnceValues(func() (any, error) { return make() })
		s.all[key] = f
	}
	s.mu.Unlock()
	v, err := f()
	if err != nil {
		var none T
		return none, err
	}
	return v.(T), nil
}

// input returns a tensor of a type with numbers, which are made when a case first asks for it.
func (s *store) input(key string, dt nereid.DType, numbers func() ([]int32, error)) (*nereid.Tensor, error) {
	return once(s, "input "+dt.String()+" "+key, func() (*nereid.Tensor, error) {
		values, err := numbers()
		if err != nil {
			return nil, err
		}
		return upload(s.place.dev, dt, encode(dt, values))
	})
}

// numbers returns numbers that are made once.
func (s *store) numbers(key string, make func() ([]int32, error)) ([]int32, error) {
	return once(s, "numbers "+key, make)
}

// upload makes a tensor of bytes.
func upload(dev *nereid.Device, dt nereid.DType, data []byte) (*nereid.Tensor, error) {
	t, err := nereid.NewTensor(dev, dt, len(data)/dt.Size())
	if err != nil {
		return nil, err
	}
	return t, t.CopyBytesFrom(data)
}

// image is the content of an output with its guards: on a GPU in a tensor, elsewhere in Go's memory.
type image struct {
	bytes  []byte
	tensor *nereid.Tensor
}

// poison fills memory before a run where nothing else does. As a float of any type it is no small number.
const poison = 0x7a5ba7c3

// poisoned returns n bytes of poison.
func poisoned(n int) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint32(nil, poison), (n+3)/4)[:n]
}

// image makes the image of data between guards.
func (s *store) image(data []byte) (*image, error) {
	guard := s.place.guard()
	all := poisoned(guard + rounded(len(data)) + guard)
	copy(all[guard:], data)
	if !s.place.judges {
		return &image{bytes: all}, nil
	}
	t, err := upload(s.place.dev, nereid.Int32, all)
	return &image{tensor: t}, err
}

// Close frees the image's tensor.
func (m *image) Close() error {
	if m.tensor == nil {
		return nil
	}
	return m.tensor.Close()
}

// read returns the content.
func (m *image) read() ([]byte, error) {
	if m.tensor == nil {
		return m.bytes, nil
	}
	all := make([]byte, m.tensor.Len()*4)
	return all, m.tensor.CopyBytesTo(all)
}

// rounded returns a number of bytes as a multiple of 8: tensors are viewed as elements of any type.
func rounded(n int) int { return (n + 7) / 8 * 8 }
