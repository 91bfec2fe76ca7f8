package ptxsim

import "github.com/nereid-lang/nereid/internal/target/simcount"

// Of a warp's access to shared memory (package simcount), lanes with 8 bytes each access memory by half
// warps, those with 16 bytes by quarters, and a matrix of ldmatrix or stmatrix is an access of its own.
//
// What is not counted: atomics, the shared memory of other blocks, and bulk copies. What products of warp
// groups read is in the counts of instructions alone (operandWaves).

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

// bankCounter counts the accesses of a launch, by instruction.
type bankCounter struct {
	counts []SharedAccess // the first three numbers alone
	lanes  simcount.Banks
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
	// lanes that access memory at once
	lanes := int32(simcount.NumBanks * simcount.WordBytes / max(n, simcount.WordBytes))
	counted := false
	for len(act) > 0 {
		group := act[0] / lanes
		for len(act) > 0 && act[0]/lanes == group {
			a := addr(c, act[0])
			if sp == shared || a&windowMask == sharedBase {
				b.lanes.Add(a, n)
			}
			act = act[1:]
		}
		counted = b.wave(c.at) || counted
	}
	if counted {
		b.counts[c.at].Accesses++
	}
}

// wave counts the wavefronts of lanes that access memory at once; false if they access no shared memory.
func (b *bankCounter) wave(at int) bool {
	most, ideal := b.lanes.Wave()
	b.counts[at].Wavefronts += most
	b.counts[at].Ideal += ideal
	return most > 0
}

// matrix counts an access by ldmatrix or stmatrix to a matrix whose rows begin at the given addresses.
func (b *bankCounter) matrix(c *block, rows [8]uint64) {
	if b == nil {
		return
	}
	for _, a := range rows {
		b.lanes.Add(a, 16)
	}
	b.wave(c.at)
	b.counts[c.at].Accesses++
}
