package model

import (
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/ops"
)

// Block is the number of tokens that attention computes together while a prompt is read. Prompts are padded
// to whole blocks, so that few shapes occur, for which everything is compiled at the start. On a CPU, where
// each token of padding takes as long as others, short prompts are one shorter block.
const (
	Block      = 32
	shortBlock = 8
)

// Row is the next token of a sequence whose earlier ones are in the cache.
type Row struct {
	Token, Position int
	Pages           []int32 // of the cache, for positions up to this one
}

// Prediction is what the model expects as the next token.
type Prediction struct {
	Token int
	// Top has the likeliest tokens (Candidates, or the whole vocabulary if that is smaller), the likeliest
	// first, if they were asked for.
	Top []Candidate
}

// Candidates is how many of the likeliest tokens a prediction has.
const Candidates = 256

// Candidate is a token with the logarithm of its probability.
type Candidate struct {
	Token   int
	LogProb float64
}

// shape is the shape of a batch: so many blocks of so many tokens.
type shape struct{ blocks, queries int }

// inputs are the inputs of a forward pass: views of one tensor on the device, of i32, which is filled at
// once.
type inputs struct {
	shape
	all            bool // logits of all tokens of a prompt are wanted
	host           []int32
	device         *nereid.Tensor
	tokens, slots  field // of each token; the slot is where the cache has its key and value
	lengths, table field // of each block: as ops.PagedAttention has them
	wanted         field // the row of a prompt whose logits are wanted
	// graph is the forward pass as a CUDA graph, logits and best its results, and arena the state of the
	// arena behind it.
	graph        *nereid.Graph
	logits, best *nereid.Tensor
	arena        ops.Mark
}

// field is a part of the inputs, on the device and on the host.
type field struct {
	*nereid.Tensor
	host     []int32
	from, to int
}

// batch returns the inputs of a shape, empty.
func (m *Model) batch(blocks, queries int) (*inputs, error) {
	key := shape{blocks, queries}
	if b := m.batches[key]; b != nil {
		clear(b.host)
		return b, nil
	}
	// The last block of a prompt may reach over the end of the context.
	rows, width := blocks*queries, (m.Context+Block+PageSize-1)/PageSize
	b := &inputs{shape: key}
	fields := []*field{&b.tokens, &b.slots, &b.lengths, &b.wanted, &b.table}
	at := 0
	for i, n := range []int{rows, rows, blocks, 1, blocks * width} {
		fields[i].from, fields[i].to = at, at+n
		at += (n + 63) / 64 * 64 // aligned as the memory of other operands is
	}
	var err error
	if b.device, err = nereid.NewTensor(m.dev, nereid.Int32, at); err != nil {
		return nil, err
	}
	m.memory = append(m.memory, b.device)
	b.host = make([]int32, at)
	for _, f := range fields {
		f.host, f.Tensor = b.host[f.from:f.to], b.device.Slice(0, f.from, f.to, 1)
	}
	b.table.Tensor = b.table.Reshape(blocks, width)
	m.batches[key] = b
	return b, nil
}

// fill sets the inputs of one token.
func (b *inputs) fill(row, token, slot int) {
	b.tokens.host[row], b.slots.host[row] = int32(token), int32(slot)
}

// block sets the inputs of one block.
func (b *inputs) block(i, length int, pages []int32) {
	copy(b.table.host[i*b.table.Shape[1]:], pages)
	b.lengths.host[i] = int32(length)
}

// Decode predicts the tokens that follow some rows, with candidates if top says so.
func (m *Model) Decode(rows []Row, top bool) ([]Prediction, error) {
	b, err := m.batch(pow2(len(rows)), 1)
	if err != nil {
		return nil, err
	}
	for i := range b.blocks {
		if i >= len(rows) { // padding: a token that goes nowhere
			b.fill(i, 0, -1)
			b.block(i, 1, nil)
			continue
		}
		r := rows[i]
		if err := m.check(r.Token, r.Position, r.Pages); err != nil {
			return nil, err
		}
		b.fill(i, r.Token, slot(r.Pages, r.Position))
		b.block(i, r.Position+1, r.Pages)
	}
	return m.predict(b, len(rows), top)
}

// Prefill puts tokens of one sequence, from a position on, into the cache and predicts the next one.
func (m *Model) Prefill(tokens []int, start int, pages []int32, top bool) (Prediction, error) {
	b, err := m.prompt(tokens, start, pages)
	if err != nil {
		return Prediction{}, err
	}
	list, err := m.predict(b, 1, top)
	if err != nil {
		return Prediction{}, err
	}
	return list[0], nil
}

// prompt returns the inputs of Prefill.
func (m *Model) prompt(tokens []int, start int, pages []int32) (*inputs, error) {
	size := m.blockFor(len(tokens))
	blocks := pow2((len(tokens) + size - 1) / size)
	b, err := m.batch(blocks, size)
	if err != nil {
		return nil, err
	}
	for i := range blocks * size {
		if i >= len(tokens) {
			b.fill(i, 0, -1)
			continue
		}
		if err := m.check(tokens[i], start+i, pages); err != nil {
			return nil, err
		}
		b.fill(i, tokens[i], slot(pages, start+i))
	}
	for i := range blocks {
		if i*size < len(tokens) {
			b.block(i, start+(i+1)*size, pages)
		} else {
			b.block(i, size, nil)
		}
	}
	b.wanted.host[0] = int32(len(tokens) - 1)
	return b, nil
}

// blockFor returns the size of the blocks of so many tokens of a prompt.
func (m *Model) blockFor(tokens int) int {
	if !m.dev.Abilities().HostMemory {
		return Block
	}
	return min(max(pow2(tokens), shortBlock), Block)
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
func (m *Model) predict(b *inputs, rows int, top bool) ([]Prediction, error) {
	if err := nereid.CopyFrom(b.device, b.host); err != nil {
		return nil, err
	}
	if err := m.lead(runBatch, b); err != nil {
		return nil, err
	}
	if err := m.run(b); err != nil {
		return nil, err
	}
	list := make([]Prediction, rows)
	if !top {
		ids, err := read[int64](b.best)
		for i := range list {
			if err == nil {
				list[i].Token = int(ids[i])
			}
		}
		return list, err
	}
	return list, m.candidates(list, b.logits)
}

// candidates finds the likeliest tokens of each row: on the device, or here if that has the same memory.
func (m *Model) candidates(list []Prediction, logits *nereid.Tensor) error {
	if m.dev.Abilities().HostMemory {
		return m.candidatesHere(list, logits)
	}
	top := min(Candidates, m.Vocabulary)
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
			logProb := float64(v[i*top+j]) - float64(total[i])
			list[i].Top = append(list[i].Top, Candidate{int(ids[i*top+j]), logProb})
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

// Warm runs every shape of batches up to so many rows of Decode and tokens of Prefill, so that later calls
// compile nothing. On a GPU it records the forward passes as graphs.
func (m *Model) Warm(rows, tokens int) error {
	page := []int32{0}
	for n := 1; n <= pow2(rows); n *= 2 {
		list := make([]Row, n)
		for i := range list {
			list[i].Pages = page
		}
		for _, top := range []bool{false, true} {
			if _, err := m.Decode(list, top); err != nil {
				return err
			}
		}
		if err := m.record(m.batches[shape{n, 1}]); err != nil {
			return err
		}
	}
	pages := make([]int32, (tokens+PageSize-1)/PageSize)
	for n := m.blockFor(1); n <= max(pow2(tokens), Block); n *= 2 {
		for _, top := range []bool{false, true} {
			if _, err := m.Prefill(make([]int, min(n, tokens)), 0, pages, top); err != nil {
				return err
			}
		}
		size := min(n, Block)
		if err := m.record(m.batches[shape{n / size, size}]); err != nil {
			return err
		}
	}
	m.warm = true
	return nil
}

// record captures the forward pass of a batch as a graph, on devices that have them.
func (m *Model) record(b *inputs) (err error) {
	if m.OneByOne || !m.dev.Abilities().Graphs {
		return nil
	}
	if err := m.lead(recordBatch, b); err != nil {
		return err
	}
	b.graph, err = m.stream.Capture(func() error { return m.launch(b) })
	b.arena = m.s.Mark()
	return err
}

// launch launches the forward pass of a batch, and the search for the likeliest tokens.
func (m *Model) launch(b *inputs) (err error) {
	if b.logits, err = m.forward(b); err != nil {
		return err
	}
	b.best = ops.ArgMax(m.s, b.logits, -1)
	return b.best.Err()
}

// run runs a batch.
func (m *Model) run(b *inputs) error {
	if b.graph == nil {
		return m.launch(b)
	}
	m.s.Release(b.arena) // what comes next must not overwrite the results
	return b.graph.Launch(m.stream)
}
