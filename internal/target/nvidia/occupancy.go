package nvidia

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// How many programs an SM runs at once depends on their registers, in steps. The assembler does not know what a program is waiting for:
//
//   - It may save registers that let no more programs run, by loading less at once: on an SM with 65,536 of them, programs of 256 threads
//     with 110 registers each run two at a time, and so do those with 128.
//   - It may use a few too many for one program more, which would hide the latency of the loads in a loop.
//
// So a kernel is assembled again, with a number of programs as its goal, where that has something to gain.
//
// And the assembler may give up on a large kernel, and keep nearly everything on the stack with most registers unused. With fewer
// optimisations it then does ten times as well. On a huge one it would think for minutes first.

// manyRegisters is from where on registers that are left over are worth the time of a second look.
const manyRegisters = 64

const registersPerSM = 65536

// hugePTX is the size in bytes from which on a kernel gets fewer optimisations: some 14,000 instructions.
const hugePTX = 600_000

// sm is what an SM of a compute capability has.
type sm struct{ programs, threads, shared int }

var sms = map[int]sm{
	75: {16, 1024, 64 << 10}, 80: {32, 2048, 164 << 10}, 86: {16, 1536, 100 << 10},
	87: {16, 2048, 164 << 10}, 89: {24, 1536, 100 << 10}, 90: {32, 2048, 228 << 10},
}

// SharedPerBlock is how many bytes of shared memory a block can have at most: an SM's but for a KiB that the system keeps from sm_80 on.
func (c Compiler) SharedPerBlock() int {
	if c.Capability < 80 {
		return sms[c.Capability].shared
	}
	return sms[c.Capability].shared - 1<<10
}

// assembler makes a cubin, with fewer optimisations if plain.
type assembler func(ptx []byte, plain bool) ([]byte, error)

// assembleBest makes a cubin with an assembler, of whatever kind.
func (c Compiler) assembleBest(code *Code, assemble assembler) ([]byte, error) {
	if len(code.PTX) > hugePTX {
		return assemble(code.PTX, true)
	}
	first, alone := code.PTX, withGoal(code.PTX, c.alone(code))
	if alone != nil {
		first = alone
	}
	cubin, err := assemble(first, false)
	if err != nil {
		return nil, err
	}
	use := cubinUse(cubin)
	if gaveUp(code, use) {
		if plain, err := assemble(code.PTX, true); err == nil && 2*cubinUse(plain).stack <= use.stack {
			return plain, nil
		}
	}
	if alone != nil {
		return cubin, nil
	}
	ptx := withGoal(code.PTX, c.goal(code, use.registers))
	if ptx == nil {
		return cubin, nil
	}
	if better, err := assemble(ptx, false); err == nil && cubinUse(better).stack <= use.stack {
		return better, nil
	}
	return cubin, nil
}

// deepStack is from how many bytes on a stack is more than a few values that did not fit.
const deepStack = 256

// gaveUp reports whether a kernel has a deep stack although half of the registers are free that its threads could have.
func gaveUp(code *Code, u use) bool {
	most := min(255, registersPerSM/(32*code.NumWarps))
	return u.stack >= deepStack && 0 < u.registers && u.registers <= most/2 && !bounded(code.PTX)
}

// bounded reports whether the kernel's author has set how many registers it takes.
func bounded(ptx []byte) bool { return bytes.Contains(ptx, []byte("\n.maxnreg")) }

// alone is 1 for a kernel of which an SM runs one program at a time whatever registers it takes: that goal needs no first look.
func (c Compiler) alone(code *Code) int {
	machine, ok := sms[c.Capability]
	if ok && !bounded(code.PTX) && machine.most(code) == 1 {
		return 1
	}
	return 0
}

// most is how many programs run at once where registers are no matter.
func (m sm) most(code *Code) int {
	return min(m.programs, m.threads/(32*code.NumWarps), m.shared/(code.Shared+1024))
}

// goal is the number of programs on an SM that a kernel whose threads take so many registers should be assembled for, or 0.
func (c Compiler) goal(code *Code, registers int) int {
	machine, ok := sms[c.Capability]
	if !ok || registers == 0 || bounded(code.PTX) {
		return 0
	}
	threads := 32 * code.NumWarps
	room := func(programs int) int { return min(255, registersPerSM/(programs*threads)/8*8) } // registers for each thread
	taken := roundUp(registers, 8)
	others := machine.most(code)
	programs := min(registersPerSM/(threads*taken), others)
	switch {
	case programs < 1:
		return 0
	case programs < others && 5*room(programs+1) >= 4*taken && waitsInLoop(code.PTX):
		return programs + 1 // for a fifth of the registers at most
	case registers > manyRegisters && room(programs) >= registers+8:
		return programs
	}
	return 0
}

// waitsInLoop reports whether a kernel has a loop without products of matrices, which keep what they add up in registers.
func waitsInLoop(ptx []byte) bool {
	if bytes.Contains(ptx, []byte("mma.")) {
		return false
	}
	seen := map[string]bool{}
	for line := range bytes.Lines(ptx) {
		text := strings.TrimSpace(string(line))
		if label, _, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(label, "$") {
			seen[label] = true
		}
		if _, target, ok := strings.Cut(text, "bra"); ok && seen[lastWord(target)] {
			return true
		}
	}
	return false
}

// lastWord is the label of what follows "bra": ".uni \t$L1;".
func lastWord(s string) string {
	words := strings.Fields(strings.TrimSuffix(s, ";"))
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// withGoal is the PTX with the number of programs that an SM should run, or nil for none.
func withGoal(ptx []byte, programs int) []byte {
	const size = "\n.reqntid "
	at := bytes.Index(ptx, []byte(size))
	if programs == 0 || at < 0 {
		return nil
	}
	end := at + len(size) + bytes.IndexByte(ptx[at+len(size):], '\n')
	return slices.Concat(ptx[:end], fmt.Appendf(nil, "\n.minnctapersm %d", programs), ptx[end:])
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// use is what a kernel takes: registers of a thread, and bytes of its stack, where registers are spilled to.
type use struct{ registers, stack int }

// cubinUse is what the cubin's kernel takes, zero when it does not say. The section .nv.info is a list of attributes: a byte for the
// format, one for the attribute, two for a value or the size of one that follows.
func cubinUse(cubin []byte) (u use) {
	const version = 20 // where NVIDIA has a number of its own in an ELF's header
	if len(cubin) < version+4 {
		return u
	}
	cubin = bytes.Clone(cubin)
	binary.LittleEndian.PutUint32(cubin[version:], uint32(elf.EV_CURRENT))
	file, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil {
		return u
	}
	section := file.Section(".nv.info")
	if section == nil {
		return u
	}
	data, err := section.Data()
	if err != nil {
		return u
	}
	const sized, registerCount, frameSize = 4, 0x2f, 0x11 // a value has the number of a symbol, and what it takes
	for len(data) >= 4 {
		format, attribute, size := data[0], data[1], int(binary.LittleEndian.Uint16(data[2:]))
		data = data[4:]
		if format != sized {
			continue
		}
		if size > len(data) {
			break
		}
		if size >= 8 {
			amount := int(binary.LittleEndian.Uint32(data[4:]))
			switch attribute {
			case registerCount:
				u.registers = max(u.registers, amount)
			case frameSize:
				u.stack = max(u.stack, amount)
			}
		}
		data = data[size:]
	}
	return u
}
