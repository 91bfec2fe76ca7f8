package model

import (
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// Block is the number of tokens that attention computes together while a prompt is read. Prompts are padded to
// whole blocks, so that few shapes occur, for which everything is compiled at the start.
const Block = 32

// Row is the next token of a sequence whose earlier ones are in the cache.
type Row struct {
	Token, Position int
	Pages           []int32 // of the cache, for positions up to this one
}

// Prediction is what the model expects as the next token.
type Prediction struct {
	Token int
	// Top has the likeliest tokens, the likeliest first, if they were asked for.
	Top []Candidate
}

// Candidate is a token with the logarithm of its probability.
type Candidate struct {
	Token   int
	LogProb float64
}

// shape is the shape of a batch: so many blocks of so many tokens.
type shape struct{ blocks, queries int }

// inputs are the inputs of a forward pass: views of one tensor on the device, of i32, which is filled at once.
type inputs struct {
	shape
	host                     []int32
	device                   *nereid.Tensor
	tokens, positions, slots *nereid.Tensor // of each token; the slot is where the cache has its key and value
	lengths, table           *nereid.Tensor // of each block: as ops.PagedAttention has them
	wanted                   *nereid.Tensor // rows whose logits are wanted; nil: all
}

// batch returns the inputs of a shape, empty.
func (m *Model) batch(blocks, queries int) (*inputs, error) {
	key := shape{blocks, queries}
	if b := m.batches[key]; b != nil {
		clear(b.host)
		return b, nil
	}
	rows, width := blocks*queries, m.tableWidth()
	b := &inputs{shape: key, host: make([]int32, 4*rows+blocks+blocks*width)}
	var err error
	if b.device, err = nereid.NewTensor(m.dev, nereid.Int32, len(b.host)); err != nil {
		return nil, err
	}
	m.memory = append(m.memory, b.device)
	at := 0
	view := func(n int) *nereid.Tensor {
		at += n
		return b.device.Slice(0, at-n, at, 1)
	}
	b.table = view(blocks*width).Reshape(blocks, width)
	b.tokens, b.positions, b.slots, b.lengths = view(rows), view(rows), view(rows), view(blocks)
	if queries > 1 {
		b.wanted = view(1)
	}
	m.batches[key] = b
	return b, nil
}

// tableWidth returns the pages of the longest sequence. The last block of a prompt may reach over its end.
func (m *Model) tableWidth() int { return (m.Context + Block + PageSize - 1) / PageSize }

// fill sets the inputs of one token.
func (b *inputs) fill(row, token, position, slot int) {
	n := b.blocks * b.queries
	at := b.table.Len() + row
	b.host[at], b.host[at+n], b.host[at+2*n] = int32(token), int32(position), int32(slot)
}

// block sets the inputs of one block.
func (b *inputs) block(i, length int, pages []int32) {
	copy(b.host[i*b.table.Shape[1]:], pages)
	b.host[b.table.Len()+3*b.blocks*b.queries+i] = int32(length)
}

// Decode predicts the tokens that follow some rows; top is how many candidates of each are wanted.
func (m *Model) Decode(rows []Row, top int) ([]Prediction, error) {
	b, err := m.batch(pow2(len(rows)), 1)
	if err != nil {
		return nil, err
	}
	for i := range b.blocks {
		if i >= len(rows) { // padding: a token that goes nowhere
			b.fill(i, 0, 0, -1)
			b.block(i, 1, nil)
			continue
		}
		r := rows[i]
		if err := m.check(r.Token, r.Position, r.Pages); err != nil {
			return nil, err
		}
		b.fill(i, r.Token, r.Position, slot(r.Pages, r.Position))
		b.block(i, r.Position+1, r.Pages)
	}
	return m.predict(b, len(rows), top)
}

// Prefill puts tokens of one sequence, from a position on, into the cache and predicts the next one.
func (m *Model) Prefill(tokens []int, start int, pages []int32, top int) (Prediction, error) {
	blocks := pow2((len(tokens) + Block - 1) / Block)
	b, err := m.batch(blocks, Block)
	if err != nil {
		return Prediction{}, err
	}
	for i := range blocks * Block {
		if i >= len(tokens) {
			b.fill(i, 0, 0, -1)
			continue
		}
		if err := m.check(tokens[i], start+i, pages); err != nil {
			return Prediction{}, err
		}
		b.fill(i, tokens[i], start+i, slot(pages, start+i))
	}
	for i := range blocks {
		if i*Block < len(tokens) {
			b.block(i, start+(i+1)*Block, pages)
		} else {
			b.block(i, Block, nil)
		}
	}
	b.host[b.table.Len()+3*blocks*Block+blocks] = int32(len(tokens) - 1)
	list, err := m.predict(b, 1, top)
	if err != nil {
		return Prediction{}, err
	}
	return list[0], nil
}

// slot returns where the cache has the key and the value of a position.
func slot(pages []int32, position int) int {
	return int(pages[position/PageSize])*PageSize + position%PageSize
}

// check returns an error for a token that a batch cannot have.
func (m *Model) check(token, position int, pages []int32) error {
	switch {
	case token < 0 || token >= m.Vocabulary:
		return fmt.Errorf("model: token %d of a vocabulary of %d", token, m.Vocabulary)
	case position < 0 || position >= m.Context:
		return fmt.Errorf("model: position %d of a context of %d", position, m.Context)
	case position/PageSize >= len(pages):
		return fmt.Errorf("model: position %d, with %d pages", position, len(pages))
	}
	if page := pages[position/PageSize]; page < 0 || int(page) >= m.pages {
		return fmt.Errorf("model: page %d of %d", page, m.pages)
	}
	return nil
}

// predict runs a batch and reads the predictions of its first rows.
func (m *Model) predict(b *inputs, rows, top int) ([]Prediction, error) {
	if err := nereid.CopyFrom(b.device, b.host); err != nil {
		return nil, err
	}
	logits, err := m.forward(b)
	if err != nil {
		return nil, err
	}
	list := make([]Prediction, rows)
	if top == 0 {
		ids, err := read[int64](ops.ArgMax(m.s, logits, -1))
		for i := range list {
			if err == nil {
				list[i].Token = int(ids[i])
			}
		}
		return list, err
	}
	return list, m.candidates(list, logits, top)
}

// candidates reads the likeliest tokens of each row.
func (m *Model) candidates(list []Prediction, logits *nereid.Tensor, top int) error {
	top = min(top, m.Vocabulary)
	values, indices := ops.TopK(m.s, logits, top)
	v, err := read[float32](values)
	if err != nil {
		return err
	}
	ids, err := read[int64](indices)
	if err != nil {
		return err
	}
	total, err := read[float32](ops.LogSumExp(m.s, logits, -1))
	if err != nil {
		return err
	}
	for i := range list {
		list[i].Token = int(ids[i*top])
		for j := range top {
			list[i].Top = append(list[i].Top, Candidate{int(ids[i*top+j]), float64(v[i*top+j]) - float64(total[i])})
		}
	}
	return nil
}

// read returns the elements of a tensor of the device.
func read[T nereid.Element](t *nereid.Tensor) ([]T, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	out := make([]T, t.Len())
	return out, nereid.CopyTo(out, t)
}
