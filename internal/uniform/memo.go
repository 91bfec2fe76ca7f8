package uniform

import (
	"math/bits"
	"sync/atomic"
)

// Memo runs a program at launches and remembers what it computed: most launches have the arguments of one
// shortly before, and to compare them takes a tenth of the time. It allocates nothing after NewMemo. Any
// number of goroutines may use it at once.
type Memo struct {
	program *Program
	n       uint8          // words that the program reads
	out     uint8          // words that it computes; 0 if it computes them each time
	params  uint8          // words before those
	reads   [mostRead]byte // which ones it reads

	last    atomic.Pointer[result] // result of the launch before, which is mostly that of the next one
	results [1 << memoBits]result
}

const (
	mostRead = 14
	mostKept = 32
	memoBits = 2
)

// result is what the program computed of a grid and of words. Its sequence number is odd while somebody
// writes it, and changes with each writing; readers look at it before and after.
type result struct {
	seq    atomic.Uint64
	recent atomic.Uint64 // hash of the launch that was computed last
	xy, z  atomic.Uint64
	words  [mostRead + mostKept]atomic.Uint64 // words that were read, then those that were computed
}

// NewMemo returns a memo of a program; nil for a nil program.
func NewMemo(p *Program) *Memo {
	if p == nil {
		return nil
	}
	var reads []byte
	for _, s := range p.Steps {
		if s.Op == Arg {
			reads = append(reads, byte(s.N)) // a kernel that is launched this way has few parameters
		}
	}
	m := &Memo{program: p}
	m.last.Store(&m.results[0])
	if len(reads) <= mostRead && p.Words() <= mostKept && p.Params < 1<<8 {
		m.n, m.out, m.params = uint8(copy(m.reads[:], reads)), uint8(p.Words()), uint8(p.Params)
	}
	return m // else without a word that it knows: it computes each time
}

// Words returns how many words the program computes.
func (m *Memo) Words() int {
	if m.out != 0 {
		return int(m.out)
	}
	return m.program.Words()
}

// Fill does what Program.Fill does, for a grid that has programs: an empty result is of none.
func (m *Memo) Fill(words []uint64, x, y, z uint32) {
	xy := uint64(x) | uint64(y)<<32
	if m.out == 0 || !m.recall(m.last.Load(), words, xy, uint64(z)) {
		m.find(words, x, y, z)
	}
}

// Kept says for which launch the words behind those of the arguments were computed, so that the next launch
// need not compute them again. One goroutine uses it at a time.
type Kept struct {
	memo  *Memo // nil if they are of no launch
	xy, z uint64
}

// Forget is called when an argument changes.
func (k *Kept) Forget() { k.memo = nil }

// Has reports whether the words are those that m computes for a grid.
func (k *Kept) Has(m *Memo, x, y, z uint32) bool {
	return k.memo == m && k.xy == uint64(x)|uint64(y)<<32 && k.z == uint64(z)
}

// Set says that the words are those that m has computed for a grid.
func (k *Kept) Set(m *Memo, x, y, z uint32) { *k = Kept{m, uint64(x) | uint64(y)<<32, uint64(z)} }

// find looks for the result by its hash, and computes it if it is not there.
func (m *Memo) find(words []uint64, x, y, z uint32) {
	if m.out == 0 {
		m.program.Fill(words, x, y, z)
		return
	}
	xy, h := uint64(x)|uint64(y)<<32, uint64(z)
	h += xy
	for _, at := range m.reads[:m.n] {
		h = bits.RotateLeft64(h, 13) ^ words[at]
	}
	h *= 0x9e3779b97f4a7c15
	r := &m.results[h>>(64-memoBits)]
	if m.recall(r, words, xy, uint64(z)) {
		m.last.Store(r)
		return
	}
	seq := r.seq.Load()
	m.program.Fill(words, x, y, z)
	m.keep(r, seq, h, words, xy, uint64(z))
}

// recall copies a result if it is that of a grid and of words.
func (m *Memo) recall(r *result, words []uint64, xy, z uint64) bool {
	seq := r.seq.Load()
	differ := r.xy.Load() ^ xy | r.z.Load() ^ z | seq&1
	known := r.words[:m.n]
	for i, at := range m.reads[:len(known)] {
		differ |= known[i].Load() ^ words[at]
	}
	if differ != 0 {
		return false
	}
	from := r.words[m.n:][:m.out]
	rest := words[m.params:][:len(from)]
	for i := range from {
		rest[i] = from[i].Load()
	}
	return r.seq.Load() == seq
}

// keep remembers a result the second time that it is computed: arguments that are new at each launch would
// make writing dearer than computing.
func (m *Memo) keep(r *result, seq, h uint64, words []uint64, xy, z uint64) {
	if r.recent.Load() != h {
		r.recent.Store(h)
		return
	}
	if seq&1 != 0 || !r.seq.CompareAndSwap(seq, seq+1) {
		return // somebody else writes
	}
	r.xy.Store(xy)
	r.z.Store(z)
	for i, at := range m.reads[:m.n] {
		r.words[i].Store(words[at])
	}
	for i, w := range words[m.program.Params:][:m.out] {
		r.words[int(m.n)+i].Store(w)
	}
	r.seq.Store(seq + 2)
}
