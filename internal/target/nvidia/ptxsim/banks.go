package ptxsim

// Shared memory has 32 banks, and word i of 4 bytes is in bank i%32. In one wavefront each bank delivers one
// word, to all lanes that ask for it. An access of a warp takes as many wavefronts as it wants words of the
// bank that it wants most words of. Lanes with 8 bytes each access memory by half warps, those with 16 bytes
// by quarters, and a matrix of ldmatrix or stmatrix is an access of its own.
//
// What is not counted: atomics, the shared memory of other blocks, bulk copies, and products of warp groups,
// whose matrices have the swizzles that the hardware knows.

// SharedAccess says how the threads of a launch accessed shared memory by one instruction.
type SharedAccess struct {
	PTXLine int
	PTX     string // the instruction

	// The place in the kernel's file; File is "" and Line 0 if the code says no lines.
	File         string
	Line, Column int // from 1

	Accesses   int64 // by a warp
	Wavefronts int64 // wavefronts that they took
	Ideal      int64 // wavefronts that they would take if their words were spread evenly over the banks
}

// Conflicts returns the wavefronts that bank conflicts cost.
func (a *SharedAccess) Conflicts() int64 { return a.Wavefronts - a.Ideal }

const (
	numBanks  = 32
	wordBytes = 4
)

// bankCounter counts the accesses of a launch, by instruction.
type bankCounter struct {
	counts []SharedAccess // the first three numbers alone
	words  []uint64       // words of a wavefront's lanes
}

func newBankCounter(m *Module, l *Launch) *bankCounter {
	if l.Banks == nil && l.Counts == nil {
		return nil
	}
	return &bankCounter{counts: make([]SharedAccess, len(m.code))}
}

// report returns the instructions that accessed shared memory, in the order of the code.
func (b *bankCounter) report(m *Module) (list []SharedAccess) {
	for i, a := range b.counts {
		if a.Accesses == 0 {
			continue
		}
		in := &m.code[i]
		a.PTXLine, a.PTX = in.line, in.text
		a.File, a.Line, a.Column = m.place(in.loc)
		list = append(list, a)
	}
	return list
}

// countShared counts an access of n bytes for each thread of act by the instruction that runs, if the launch
// counts. addr returns a thread's address in a space.
func (c *block) countShared(sp space, act []int32, n int, addr func(c *block, t int32) uint64) {
	b := c.banks
	if b == nil || sp != shared && sp != generic {
		return
	}
	lanes := int32(numBanks * wordBytes / max(n, wordBytes)) // that access memory at once
	counted := false
	for len(act) > 0 {
		group := act[0] / lanes
		b.words = b.words[:0]
		for len(act) > 0 && act[0]/lanes == group {
			a := addr(c, act[0])
			if sp == shared || a&windowMask == sharedBase {
				b.add(a, n)
			}
			act = act[1:]
		}
		counted = b.wave(c.at) || counted
	}
	if counted {
		b.counts[c.at].Accesses++
	}
}

// add adds the words of n bytes at an address to those of a wavefront.
func (b *bankCounter) add(addr uint64, n int) {
	for w := addr / wordBytes; w*wordBytes < addr+uint64(n); w++ {
		b.words = append(b.words, w)
	}
}

// wave counts the wavefronts of lanes that access memory at once; false if they access no shared memory.
func (b *bankCounter) wave(at int) bool {
	var banks [numBanks][]uint64
	most, all := 0, 0
	for _, w := range b.words {
		bank := &banks[w%numBanks]
		if !contains(*bank, w) {
			*bank = append(*bank, w)
			most, all = max(most, len(*bank)), all+1
		}
	}
	b.counts[at].Wavefronts += int64(most)
	b.counts[at].Ideal += int64((all + numBanks - 1) / numBanks)
	return all > 0
}

func contains(list []uint64, w uint64) bool {
	for _, x := range list {
		if x == w {
			return true
		}
	}
	return false
}

// matrix counts an access by ldmatrix or stmatrix to a matrix whose rows begin at the given addresses.
func (b *bankCounter) matrix(c *block, rows [8]uint64) {
	if b == nil {
		return
	}
	b.words = b.words[:0]
	for _, a := range rows {
		b.add(a, 16)
	}
	b.wave(c.at)
	b.counts[c.at].Accesses++
}
