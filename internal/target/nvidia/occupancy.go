package nvidia

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/scf"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// The number of programs that an SM runs at once depends on their registers, in steps. The assembler does not
// know what a program waits for:
//
//   - It may save registers without letting more programs run, by loading less at once: on an SM with 65,536
//     registers, programs of 256 threads with 110 registers each run two at a time, and so do those with 128.
//   - It may use a few too many for one more program, which would hide the latency of the loads in a loop.
//     A few values on the stack are a small price for it.
//
// So a kernel is assembled again with a number of programs as its goal if that can gain something.
//
// The assembler may also give up on a large kernel and keep nearly everything on the stack with most
// registers unused. With fewer optimizations it then does ten times as well. On a huge kernel it would take
// minutes first.

const registersPerSM = 65536

// sm holds the limits of an SM of a compute capability.
type sm struct{ programs, threads, shared int }

var sms = map[int]sm{
	75: {16, 1024, 64 << 10}, 80: {32, 2048, 164 << 10}, 86: {16, 1536, 100 << 10},
	87: {16, 2048, 164 << 10}, 89: {24, 1536, 100 << 10}, 90: {32, 2048, 228 << 10},
}

// SharedPerBlock returns the most bytes of shared memory that a block can have: an SM's, less one KiB that
// the system keeps from sm_80 on.
func (c Compiler) SharedPerBlock() int {
	if c.Capability < 80 {
		return sms[c.Capability].shared
	}
	return sms[c.Capability].shared - 1<<10
}

// assembler assembles PTX, with fewer optimizations if plain. It has to see the whole program: an assembler
// of relocatable code, as the driver's linker has one, does not weigh registers against the number of
// programs on an SM, and takes up to twice as many.
type assembler func(ptx []byte, plain bool) (*assembled, error)

// assembled is code with what it takes of an SM and what the assembler says of it.
type assembled struct {
	cubin  []byte         // nil if the assembler is the driver's, which does not give it away
	module *driver.Module // the loaded code; nil if the assembler is not the driver's
	ptx    []byte
	plain  bool
	use    use
	log    string
}

// drop gives up code in favor of other.
func (a *assembled) drop(other *assembled) *assembled {
	if a.module != nil {
		_ = a.module.Unload() // at worst its memory stays
	}
	return other
}

// assembleBest assembles with an assembler of any kind, several times if that can gain something.
func (c Compiler) assembleBest(code *Code, assemble assembler) (*assembled, error) {
	best, err := c.assembleOften(code, assemble)
	if err == nil {
		code.rules.Made(best.ptx)
		code.rules.Made(fmt.Append(nil, best.plain, best.use))
	}
	return best, err
}

func (c Compiler) assembleOften(code *Code, assemble assembler) (*assembled, error) {
	if rules.Holds(code.rules, rules.HugePTX, len(code.PTX)) {
		return assemble(code.PTX, true)
	}
	first, alone := code.PTX, withGoal(code.PTX, c.alone(code))
	if alone != nil {
		first = alone
	} else if one := withGoal(code.PTX, 1); one != nil && !multiplies(code.PTX) && !bounded(code.PTX) {
		first = one
	}
	best, err := assemble(first, false)
	if err != nil {
		return nil, err
	}
	if one := withGoal(code.PTX, 1); !bytes.Equal(first, one) {
		best = withRegisters(code, best, one, assemble)
	}
	stack := best.use.stack
	if gaveUp(code, best.use) {
		plain, err := assemble(code.PTX, true)
		if err == nil && rules.HoldsShare(code.rules, rules.PlainStack, plain.use.stack, stack) {
			return best.drop(plain), nil
		} else if err == nil {
			plain.drop(best)
		}
	}
	if alone != nil {
		return best, nil
	}
	for _, goal := range c.goals(code, best.use.registers) {
		next, err := assemble(withGoal(code.PTX, goal.programs), false)
		if err != nil {
			break
		}
		if next.use.stack > stack+goal.spill || strings.Contains(next.log, inTurn) {
			next.drop(best)
			break
		}
		best = best.drop(next)
	}
	return c.withMorePrograms(code, best, assemble), nil
}

// withMorePrograms returns code of a kernel without products of which an SM runs as many programs as the
// assembler's own choice of registers allows, if best, made for a goal, does not let it. That code takes all
// the registers that so many programs leave. A kernel that strides over the grid is launched with few
// programs.
//
// Threads that meet in a loop wait for the loads of an iteration before they meet. The registers of a goal do
// not let the loads of the next one begin, but other programs may run meanwhile: such a loop takes the
// assembler's own choice as it is if that lets more of them run, for at most a third of the registers. Those
// of a recurrence, which give up more, hold its state.
func (c Compiler) withMorePrograms(code *Code, best *assembled, assemble assembler) *assembled {
	machine, ok := sms[c.Capability]
	now := machine.running(code, best.use.registers)
	if !ok || now == 0 || now == machine.most(code) {
		return best
	}
	enough := rules.Holds(code.rules, rules.LoopPrograms, now) || machine.busy(code, now)
	meets := meetsInLoop(code.PTX)
	if enough && !meets && hasLoop(code.PTX) {
		return best
	}
	if code.strides || multiplies(code.PTX) || bounded(code.PTX) {
		return best
	}
	plain, err := assemble(code.PTX, false)
	if err != nil {
		return best
	}
	more := machine.running(code, plain.use.registers)
	waits := enough && meets
	lost, had := best.use.registers-plain.use.registers, best.use.registers
	switch {
	case more <= now || plain.use.stack > best.use.stack,
		waits && !rules.HoldsShare(code.rules, rules.WaitingRegisters, lost, had):
		best = plain.drop(best)
	case waits:
		best = best.drop(plain)
	default:
		best = withGoalIfNoStack(code, best.drop(plain), more, assemble)
	}
	return c.withOneMore(code, best, assemble)
}

// withGoalIfNoStack returns code for a number of programs unless it has more on the stack than best.
func withGoalIfNoStack(code *Code, best *assembled, programs int, assemble assembler) *assembled {
	next, err := assemble(withGoal(code.PTX, programs), false)
	if err != nil {
		return best
	}
	if next.use.stack > best.use.stack {
		return next.drop(best)
	}
	return best.drop(next)
}

// withOneMore returns code for one more block per SM than best has, if less than three quarters of an SM's
// threads run, and the block costs few registers and no spills: kernels that load, compute and store once
// lost up to a tenth of their speed by four spilled values. The cost is low if it is below an equal share of
// the registers among the blocks.
//
// A loop keeps its registers, which hold the state of a recurrence, unless blocks have many warps
// (rules.LoopWarps): those wait at the barriers of their reductions, and a second block fills the time.
func (c Compiler) withOneMore(code *Code, best *assembled, assemble assembler) *assembled {
	machine := sms[c.Capability]
	threads, taken := 32*code.NumWarps, roundUp(best.use.registers, 8)
	next := machine.running(code, taken) + 1
	room := registersPerSM / (next * threads) / 8 * 8
	if next > machine.most(code) || machine.busy(code, next-1) ||
		!rules.Holds(code.rules, rules.MostPrograms, next) {
		return best
	}
	cost := taken - room
	if hasLoop(code.PTX) {
		if !rules.HoldsShare(code.rules, rules.LoopRegisters, cost, taken) ||
			!rules.Holds(code.rules, rules.LoopWarps, code.NumWarps) {
			return best
		}
	} else if next*cost >= taken {
		return best
	}
	return withGoalIfNoStack(code, best, next, assemble)
}

// busy reports whether so many programs have nearly all of the threads that an SM has room for.
func (m sm) busy(code *Code, programs int) bool {
	return rules.Holds(code.rules, rules.BusyThreads, 100*programs*32*code.NumWarps/m.threads)
}

// multiplies reports whether a kernel multiplies matrices. For other kernels the assembler's own choice is a
// poor one: it saves registers by loading less at once. With one program as the goal it does not, and shows
// how many registers a kernel can use.
func multiplies(ptx []byte) bool { return bytes.Contains(ptx, []byte("mma.")) }

// inTurn is in the log of ptxas if products of warp groups wait for each other for want of registers. The
// driver's log does not say so; nearly all such code has more than rules.GroupBytes on the stack.
const inTurn = "wgmma.mma_async instructions are serialized"

// withRegisters returns what the assembler makes of one, code with the goal of one program, if best keeps
// values on the stack with registers free, and one does not.
func withRegisters(code *Code, best *assembled, one []byte, assemble assembler) *assembled {
	if one == nil || !wastes(code, best.use) {
		return best
	}
	next, err := assemble(one, false)
	if err != nil {
		return best
	}
	percent := (100*next.use.stack + best.use.stack - 1) / max(1, best.use.stack)
	if !rules.Holds(code.rules, rules.KeptStack, percent) {
		return next.drop(best)
	}
	return best.drop(next)
}

// wastes reports whether a kernel has a deep stack although half of the registers that its threads could have
// are free.
func wastes(code *Code, u use) bool {
	return u.registers > 0 && !bounded(code.PTX) && rules.Holds(code.rules, rules.DeepStack, u.stack) &&
		rules.HoldsShare(code.rules, rules.FreeRegisters, u.registers, mostRegisters(code))
}

// mostRegisters returns the number of registers that a thread can have.
func mostRegisters(code *Code) int { return min(255, registersPerSM/(32*code.NumWarps)) }

// gaveUp reports whether a kernel wastes registers and fewer optimizations may halve its stack: in the order
// of the text, as many values are too many as would fill half of it. Assembling a large kernel again takes
// seconds.
func gaveUp(code *Code, u use) bool {
	const word = 4
	return wastes(code, u) && rules.HoldsShare(code.rules, rules.PressureStack,
		word*(pressure(code.PTX)-mostRegisters(code)), u.stack)
}

// bounded reports whether the kernel's author has limited its registers.
func bounded(ptx []byte) bool { return bytes.Contains(ptx, []byte("\n.maxnreg")) }

// alone returns 1 for a kernel of which an SM runs one program at a time whatever its registers, and for a
// recurrence: that goal needs no first attempt. Otherwise it returns 0.
func (c Compiler) alone(code *Code) int {
	machine, ok := sms[c.Capability]
	if ok && !bounded(code.PTX) && (machine.most(code) == 1 || code.recurs) {
		return 1
	}
	return 0
}

// most returns the number of programs that run at once if registers do not matter.
func (m sm) most(code *Code) int {
	most := min(m.programs, m.threads/(32*code.NumWarps), m.shared/(code.Shared+1024))
	if n := code.sharers(); n > 0 {
		most = min(most, n)
	}
	return most
}

// running returns the number of programs that run at once with that many registers for each thread, 0 if the
// number of registers is not known.
func (m sm) running(code *Code, registers int) int {
	if registers == 0 {
		return 0
	}
	return min(registersPerSM/(32*code.NumWarps*roundUp(registers, 8)), m.most(code))
}

// goal is a number of programs on an SM for which a kernel is assembled again, and how many bytes more on the
// stack that is worth.
type goal struct{ programs, spill int }

// spillFor returns how many bytes of spills one more block than that many per SM is worth. Kernels with few
// blocks per SM gain most by one more. With products of warp groups it is worth less, since the assembler
// serializes products around spills.
func spillFor(code *Code, programs int) (bytes int) {
	if rules.Holds(code.rules, rules.FewPrograms, programs) {
		bytes = rules.Get(code.rules, rules.FewBytes)
		bytes = min(bytes, bytes*code.NumWarps/rules.Get(code.rules, rules.FewWarps))
	}
	if code.hasGroups() {
		bytes = rules.Capped(code.rules, rules.GroupBytes, bytes)
	}
	return bytes
}

// hasGroups reports whether a kernel has products of warp groups.
func (k *Code) hasGroups() bool { return bytes.Contains(k.PTX, []byte("wgmma.")) }

// stridesOverGrid reports whether a kernel has a loop from the program's number on: it is launched with as
// many programs as the GPU runs at once, often one for each SM, and does not gain by room for more.
func stridesOverGrid(m *ir.Module) (found bool) {
	m.Op.Walk(func(op *ir.Op) bool {
		found = found || op.Def == scf.For && op.Operand(0).DefBy(tt.GetProgramID) != nil
		return !found
	})
	return found
}

// goals returns the goals for a kernel with that many registers. Each is tried if the one before was reached.
func (c Compiler) goals(code *Code, registers int) (out []goal) {
	machine, ok := sms[c.Capability]
	if !ok || registers == 0 || bounded(code.PTX) || withGoal(code.PTX, 1) == nil {
		return nil
	}
	threads := 32 * code.NumWarps
	// registers for each thread
	room := func(programs int) int { return min(255, registersPerSM/(programs*threads)/8*8) }
	taken := roundUp(registers, 8)
	others := machine.most(code)
	programs := machine.running(code, registers)
	if programs < 1 {
		return nil
	}
	tries, spill := 1, spillFor(code, programs)
	if rules.Holds(code.rules, rules.ShortPTX, len(code.PTX)) {
		tries = 3
	}
	spares := spare(code, taken, 2*programs*threads < machine.threads)
	for n := programs + 1; n <= others && len(out) < tries && spares(taken-room(n)); n++ {
		out = append(out, goal{n, spill})
	}
	if len(out) == 0 && room(programs) >= registers+8 &&
		rules.Holds(code.rules, rules.LeftoverRegisters, registers) {
		return []goal{{programs, 0}}
	}
	return out
}

// spare returns whether a kernel may lose so many of its registers for more blocks per SM. It needs a loop,
// which waits for loads, or a product. Few threads on an SM gain the most by more of them, and so does a
// kernel that loads once and multiplies once, with small accumulators. Programs of one warp that multiply in
// a loop are steps of a recurrence, of which there are few: they want registers. So do those that stride over
// the grid.
func spare(code *Code, registers int, few bool) func(lost int) bool {
	loop, rule := hasLoop(code.PTX), rules.SpareLoop
	switch mma := multiplies(code.PTX); {
	case code.strides, !mma && !loop, mma && loop && code.NumWarps == 1:
		return func(int) bool { return false }
	case few, mma && !loop && rules.Holds(code.rules, rules.FewRegisters, registers):
		rule = rules.SpareFew
	case mma:
		rule = rules.SpareProducts
	}
	return func(lost int) bool {
		return rules.HoldsShare(code.rules, rule, lost, registers, rules.F("warps", code.NumWarps))
	}
}

// hasLoop reports whether a kernel has a branch backwards.
func hasLoop(ptx []byte) bool {
	for range loops(ptx) {
		return true
	}
	return false
}

// meetsInLoop reports whether the threads of a program wait for each other in a loop.
func meetsInLoop(ptx []byte) bool {
	for body := range loops(ptx) {
		if bytes.Contains(body, []byte("bar.sync")) {
			return true
		}
	}
	return false
}

// loops returns the loops of a kernel, each from behind a label to a branch back to it.
func loops(ptx []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		begins, end := map[string]int{}, 0
		for line := range bytes.Lines(ptx) {
			text := strings.TrimSpace(string(line))
			end += len(line)
			if label, _, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(label, "$") {
				begins[label] = end
			}
			if _, target, ok := strings.Cut(text, "bra"); ok {
				if begin, ok := begins[lastWord(target)]; ok && !yield(ptx[begin:end]) {
					return
				}
			}
		}
	}
}

// lastWord returns the label in the text that follows "bra": ".uni \t$L1;".
func lastWord(s string) string {
	words := strings.Fields(strings.TrimSuffix(s, ";"))
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

// withGoal returns the PTX with the number of programs that an SM should run, or nil if programs is 0.
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

// use holds the registers of a thread and the bytes of its stack, to which registers are spilled.
type use struct{ registers, stack int }

// cubinUse returns the use of the cubin's kernel, zero if it does not say. The section .nv.info is a list of
// attributes: a byte for the format, one for the attribute, two for a value or the size of one that follows.
func cubinUse(cubin []byte) (u use) {
	const version = 20 // offset in the ELF header where NVIDIA has a number of its own
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
	// a value holds the number of a symbol, then the amount
	const sized, registerCount, frameSize = 4, 0x2f, 0x11
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
