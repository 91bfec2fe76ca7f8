package embed

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/nereid-lang/nereid"
)

// Block is the number of tokens that texts are padded to a multiple of. A batch is a power of two of blocks,
// so that few shapes occur, for which everything is compiled at the start.
const Block = 32

// inputs are the inputs of a forward pass.
type inputs struct {
	blocks            int
	host              []int32
	device            *nereid.Tensor
	tokens, positions field // of each row
	lengths, table    field // of each block: its text's tokens, and the blocks that these are in
	// shares, [blocks, rows], has the part that each row has in the mean of a text.
	shares *nereid.Tensor
	part   []float32 // shares, on the host
}

// field is a part of the integers among the inputs, on the device and on the host.
type field struct {
	*nereid.Tensor
	host []int32
}

func (b *inputs) rows() int { return b.blocks * Block }

// longest returns how many blocks a text has at most.
func (m *Model) longest() int { return blocksOf(m.Limit + 2) }

func blocksOf(tokens int) int { return (tokens + Block - 1) / Block }

// batch returns the inputs of a number of blocks, in which nothing is but padding: blocks that are texts of
// one token, and that no mean has a part of.
func (m *Model) batch(blocks int) (*inputs, error) {
	b := m.batches[blocks]
	if b == nil {
		b = &inputs{blocks: blocks}
		if err := m.allocate(b); err != nil {
			return nil, err
		}
		m.batches[blocks] = b
	}
	clear(b.host)
	clear(b.part)
	for i := range b.tokens.host {
		b.tokens.host[i] = int32(m.tok.Pad)
	}
	for i := range b.lengths.host {
		b.lengths.host[i] = 1
	}
	return b, nil
}

// allocate makes the tensors of a batch: the integers are views of one, which is filled at once.
func (m *Model) allocate(b *inputs) (err error) {
	rows, width := b.rows(), m.longest()
	fields := []*field{&b.tokens, &b.positions, &b.lengths, &b.table}
	sizes := []int{rows, rows, b.blocks, b.blocks * width}
	at := 0
	for _, n := range sizes {
		at += align(n)
	}
	b.host, b.part = make([]int32, at), make([]float32, b.blocks*rows)
	if b.device, err = nereid.NewTensor(m.dev, nereid.Int32, at); err != nil {
		return err
	}
	m.memory = append(m.memory, b.device)
	at = 0
	for i, f := range fields {
		f.host, f.Tensor = b.host[at:at+sizes[i]], b.device.Slice(0, at, at+sizes[i], 1)
		at += align(sizes[i])
	}
	b.table.Tensor = b.table.Reshape(b.blocks, width)
	if b.shares, err = nereid.NewTensor(m.dev, nereid.Float32, b.blocks, rows); err != nil {
		return err
	}
	m.memory = append(m.memory, b.shares)
	return nil
}

// align returns the place of a field behind one of n integers, aligned as other operands are.
func align(n int) int { return (n + 63) / 64 * 64 }

// add puts a text at a block, and gives it a row of the means.
func (b *inputs) add(text, at int, ids []int) {
	n, width := blocksOf(len(ids)), b.table.Shape[1]
	for i, id := range ids {
		row := at*Block + i
		b.tokens.host[row], b.positions.host[row] = int32(id), int32(i)
		b.part[text*b.rows()+row] = 1 / float32(len(ids))
	}
	for i := at; i < at+n; i++ {
		b.lengths.host[i] = int32(len(ids))
		for j := range n {
			b.table.host[i*width+j] = int32(at + j)
		}
	}
}

// Embed returns a vector of length 1 for each text, which is given by its tokens. ctx may end it between
// batches.
func (m *Model) Embed(ctx context.Context, texts [][]int) ([][]float32, error) {
	for i, ids := range texts {
		if err := m.check(ids); err != nil {
			return nil, fmt.Errorf("embed: text %d: %w", i, err)
		}
	}
	var out [][]float32
	for len(out) < len(texts) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list, err := m.some(texts[len(out):])
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// check returns an error for a text that the model cannot read.
func (m *Model) check(ids []int) error {
	if len(ids) > m.Limit {
		return fmt.Errorf("it has %d tokens, more than %d", len(ids), m.Limit)
	}
	for _, id := range ids {
		if id < 0 || id >= m.tok.Size() {
			return fmt.Errorf("token %d of a vocabulary of %d", id, m.tok.Size())
		}
	}
	return nil
}

// some computes the vectors of as many of the first texts as are a batch.
func (m *Model) some(texts [][]int) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, blocks := 0, 0
	for n < len(texts) && blocks+blocksOf(len(texts[n])+2) <= m.blocks {
		blocks += blocksOf(len(texts[n]) + 2)
		n++
	}
	b, err := m.batch(pow2(blocks))
	if err != nil {
		return nil, err
	}
	at := 0
	for i, text := range texts[:n] {
		ids := append(append([]int{m.tok.Begin}, text...), m.tok.End)
		b.add(i, at, ids)
		at += blocksOf(len(ids))
	}
	return m.run(b, n)
}

// run computes a batch and reads the vectors of its texts.
func (m *Model) run(b *inputs, texts int) ([][]float32, error) {
	if err := nereid.CopyFrom(b.device, b.host); err != nil {
		return nil, err
	}
	if err := nereid.CopyFrom(b.shares, b.part); err != nil {
		return nil, err
	}
	means := m.forward(b)
	if err := means.Err(); err != nil {
		return nil, err
	}
	all := make([]float32, means.Len())
	if err := nereid.CopyTo(all, means); err != nil {
		return nil, err
	}
	out := make([][]float32, texts)
	for i := range out {
		out[i] = normalize(all[i*m.Dim : (i+1)*m.Dim])
	}
	return out, nil
}

// normalize divides a vector by its length.
func normalize(x []float32) []float32 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	scale := 1 / max(math.Sqrt(sum), 1e-12)
	for i, v := range x {
		x[i] = float32(float64(v) * scale)
	}
	return x
}

// Warm runs every shape of batches, so that later calls compile nothing.
func (m *Model) Warm() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n := 1; n <= m.blocks; n *= 2 {
		b, err := m.batch(n)
		if err != nil {
			return err
		}
		if _, err := m.run(b, 0); err != nil {
			return err
		}
	}
	m.warm = true
	return nil
}

// pow2 returns the smallest power of two that is at least n, which is at least 1.
func pow2(n int) int { return 1 << bits.Len(uint(n-1)) }
