package model

import (
	"context"
	"errors"
	"fmt"

	"example.com/llm/gguf"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/ops"
	"github.com/nereid-lang/nereid/ops/parallel"
)

// ranks is this rank's part of a model that is spread over several devices. Each rank has some of the heads,
// with their part of the cache, and some of the columns between the two products of a feed forward layer;
// both end with a sum over all ranks. Embedding, norms and head are whole on each.
type ranks struct {
	size, rank     int
	heads, kvHeads int
	comm           *collective.Comm // nil if there is one rank
	control        *nereid.Tensor   // what rank 0 tells the others to do
}

// share computes this rank's share of a model.
func (r *ranks) share(c *Config, size int) error {
	r.size = max(size, 1)
	if size < 0 {
		return fmt.Errorf("model: %d ranks", size)
	}
	if c.KVHeads%r.size != 0 || c.FFN%r.size != 0 {
		return fmt.Errorf("model: %d heads of keys and values and %d columns of the feed forward layers cannot be "+
			"split over %d ranks: use a number of ranks that divides both", c.KVHeads, c.FFN, r.size)
	}
	r.heads, r.kvHeads = c.Heads/r.size, c.KVHeads/r.size
	return nil
}

// Splits returns an error if the model of a file cannot be split over so many ranks.
func Splits(f *gguf.File, size int) error {
	c, err := configOf(f)
	if err != nil {
		return err
	}
	return new(ranks).share(&c, size)
}

// The things that rank 0 tells the others to do, with a batch.
const (
	runBatch = iota + 1
	recordBatch
	end
)

// join opens this rank of the communicator.
func (m *Model) join(ctx context.Context, cfg collective.Config) (err error) {
	if cfg.Size <= 1 {
		return nil
	}
	m.ranks.rank = cfg.Rank
	cfg.Patience = -1 // ranks wait for rank 0, which waits for requests
	if ctx == nil {
		ctx = context.Background()
	}
	if m.ranks.control, err = nereid.NewTensor(m.dev, nereid.Int32, 4); err != nil {
		return err
	}
	m.memory = append(m.memory, m.ranks.control)
	m.ranks.comm, err = collective.Open(ctx, m.dev, cfg)
	return err
}

// close closes the communicator.
func (r *ranks) close() error {
	if r.comm == nil {
		return nil
	}
	return r.comm.Close()
}

// Err returns the error that has ended the ranks of a model: one of them is gone.
func (m *Model) Err() error {
	if m.ranks.comm == nil {
		return nil
	}
	return m.ranks.comm.Err()
}

// outputs returns this rank's rows of a tensor.
func (r *ranks) outputs(t gguf.Tensor) (gguf.Tensor, error) {
	if r.size == 1 || len(t.Shape) != 2 {
		return t, nil
	}
	from, to, err := parallel.Part(r.rank, r.size, t.Shape[0], 1)
	if err != nil {
		return t, err
	}
	row := len(t.Data) / t.Shape[0]
	t.Data, t.Shape = t.Data[from*row:to*row], []int{to - from, t.Shape[1]}
	return t, nil
}

// inputs returns this rank's columns of a tensor. Rows of quantized weights are cut between blocks.
func (r *ranks) inputs(t gguf.Tensor) (gguf.Tensor, error) {
	if r.size == 1 || len(t.Shape) != 2 {
		return t, nil
	}
	rows, cols := t.Shape[0], t.Shape[1]
	if f, ok := formats[t.Type]; ok {
		data, err := parallel.SplitInputs(r.rank, r.size, f, rows, cols, t.Data)
		t.Data, t.Shape = data, []int{rows, cols / r.size}
		return t, err
	}
	from, to, err := parallel.Part(r.rank, r.size, cols, 1)
	if err != nil {
		return t, err
	}
	element := floats[t.Type].Size()
	var data []byte
	for i := range rows {
		data = append(data, t.Data[(i*cols+from)*element:(i*cols+to)*element]...)
	}
	t.Data, t.Shape = data, []int{rows, to - from}
	return t, nil
}

// addUp stores in out the product of x with a matrix that is split by inputs, added up over all ranks, plus
// the residual, which rank 0 adds.
func (m *Model) addUp(w *matrix, out, x, residual *nereid.Tensor) error {
	var options []ops.MatMulOption
	if m.ranks.rank == 0 {
		options = append(options, ops.Plus(residual))
	}
	err := w.times(m.s.Into(out), x, options...).Err()
	if err != nil || m.ranks.comm == nil {
		return err
	}
	return m.ranks.comm.AllReduce(m.stream, out, out, collective.Sum)
}

// lead tells the other ranks to do something with a batch, whose inputs are on the device.
func (m *Model) lead(what int, b *inputs) error {
	c := m.ranks.comm
	if c == nil || c.Rank() > 0 {
		return nil
	}
	message := []int32{int32(what), 0, 0, 0}
	if b != nil {
		message[1], message[2] = int32(b.blocks), int32(b.queries)
	}
	if err := nereid.CopyFrom(m.ranks.control, message); err != nil {
		return err
	}
	if err := c.Broadcast(m.stream, m.ranks.control, 0); err != nil || what != runBatch {
		return err
	}
	return c.Broadcast(m.stream, b.device, 0)
}

// dismiss tells the other ranks to end, if they can be told.
func (m *Model) dismiss() error {
	if m.ranks.comm == nil || m.ranks.comm.Err() != nil {
		return nil
	}
	return m.lead(end, nil)
}

// Follow does what rank 0 tells, until that one closes the model.
func (m *Model) Follow() error {
	c := m.ranks.comm
	if c == nil || c.Rank() == 0 {
		return errors.New("model: rank 0 leads")
	}
	for {
		if err := c.Broadcast(m.stream, m.ranks.control, 0); err != nil {
			return err
		}
		message, err := read[int32](m.ranks.control)
		if err != nil {
			return err
		}
		if message[0] == end {
			return nil
		}
		if err := m.follow(message); err != nil {
			return err
		}
	}
}

// follow does one thing that rank 0 tells.
func (m *Model) follow(message []int32) error {
	b, err := m.batch(int(message[1]), int(message[2]))
	if err != nil {
		return err
	}
	if message[0] == recordBatch {
		return m.record(b)
	}
	if err := m.ranks.comm.Broadcast(m.stream, b.device, 0); err != nil {
		return err
	}
	return m.run(b)
}
