package nvidia

import (
	"bytes"
	"fmt"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/rules"
)

// The number of blocks that an SM runs at once falls in steps as their registers grow. The assembler does not
// know what a block waits for:
//
//   - It may save registers without letting more blocks run, by loading less at once: on an SM with 65,536
//     registers, blocks of 256 threads with 110 registers each run two at a time, and so do those with 128.
//   - It may use a few too many for one more block, which would hide the latency of the loads in a loop. A
//     few spilled values are a small price for it.
//
// So a kernel is assembled again with a number of blocks per SM as its goal (.minnctapersm) if that can gain
// something.
//
// The assembler may also give up on a large kernel and keep nearly everything on the stack with most
// registers unused. With fewer optimizations it then does ten times as well. On a huge kernel it would take
// minutes first.

const registersPerSM = 65536

// SharedPerBlock returns the most bytes of shared memory that a block can have.
func (c GPU) SharedPerBlock() int { return c.chip().SharedPerBlock }

// assembler assembles PTX, with fewer optimizations if plain. It has to see the whole program: an assembler
// of relocatable code, as the driver's linker has one, does not weigh registers against the number of
// blocks per SM, and takes up to twice as many.
type assembler func(ptx []byte, plain bool) (*assembled, error)

// assembled is code with its registers and spills.
type assembled struct {
	cubin  []byte         // nil if the assembler is the driver's, which does not give it away
	module *driver.Module // the loaded code; nil if the assembler is not the driver's
	ptx    []byte
	plain  bool
	use    use
}

// drop gives up code in favor of other.
func (a *assembled) drop(other *assembled) *assembled {
	if a.module != nil {
		_ = a.module.Unload() // at worst its memory stays
	}
	return other
}

// assembleBest assembles with an assembler of any kind, several times if that can gain something.
func (c GPU) assembleBest(code *Code, assemble assembler) (*assembled, error) {
	best, err := c.search(code, assemble).run()
	if err == nil {
		code.rules.Made(best.ptx)
		code.rules.Made(fmt.Append(nil, best.plain, best.use))
	}
	return best, err
}

// search looks for the best code that an assembler makes of a kernel.
type search struct {
	features
	code     *Code
	chip     chip.Chip
	assemble assembler
}

func (c GPU) search(code *Code, assemble assembler) *search {
	s := &search{code: code, chip: c.chip(), assemble: assemble}
	if !s.huge() { // whose text nobody asks about
		s.features = readFeatures(code.PTX)
	}
	return s
}

// huge reports whether assembling the kernel with all optimizations would take minutes.
func (s *search) huge() bool { return rules.Holds(s.code.rules, rules.HugePTX, s.bytes()) }

// bytes returns the length of the kernel's text with line information, by which rules are measured. Text that
// has none, of bundles and without NEREID_LINES, is about a sixteenth shorter: code must not be assembled in
// another way for that.
func (s *search) bytes() int {
	n := len(s.code.PTX)
	if !bytes.Contains(s.code.PTX, []byte("\t.loc\t")) {
		n += n / 16
	}
	return n
}

// withBlocks returns the PTX with a goal of so many blocks per SM, nil if it takes none.
func (s *search) withBlocks(n int) []byte { return s.withGoal(s.code.PTX, n) }

// run makes the attempts, each with what the one before has shown:
//
//  1. with a goal of one block per SM where that is the answer or shows how many registers the kernel wants,
//     or else as the assembler likes,
//  2. with registers that the first attempt left unused although it spilled, or with fewer optimizations,
//  3. for more blocks per SM.
func (s *search) run() (*assembled, error) {
	if s.huge() {
		return s.assemble(s.code.PTX, true)
	}
	one, first, alone := s.withBlocks(1), s.code.PTX, s.alone()
	if one != nil && (alone || !s.products && !s.bounded) {
		first = one
	}
	best, err := s.assemble(first, false)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(first, one) {
		best = s.withAllRegisters(best, one)
	}
	stack := best.use.stack
	if s.gaveUp(best.use) {
		plain, err := s.assemble(s.code.PTX, true)
		if err == nil && rules.HoldsShare(s.code.rules, rules.PlainStack, plain.use.stack, stack) {
			return best.drop(plain), nil
		} else if err == nil {
			plain.drop(best)
		}
	}
	if alone && one != nil {
		return best, nil
	}
	return s.withMoreBlocks(s.reachGoals(best, stack)), nil
}

// reachGoals assembles for one goal after the other, while the code spills little more than stack bytes.
func (s *search) reachGoals(best *assembled, stack int) *assembled {
	for _, goal := range s.goals(best.use.registers) {
		next, err := s.assemble(s.withBlocks(goal.blocks), false)
		if err != nil {
			break
		}
		if next.use.stack > stack+goal.spill {
			next.drop(best)
			break
		}
		best = best.drop(next)
	}
	return best
}

// withMoreBlocks returns code of a kernel without products of which an SM runs as many blocks as the
// assembler's own choice of registers allows, if best, made for a goal, does not let it. That code takes all
// the registers that so many blocks leave.
//
// A kernel that strides over the grid is launched with few blocks, or with as many as all SMs have room for
// if registers do not matter: a block that finds no room then begins when another has walked over its whole
// share, and an SM works for two of them. It takes the assembler's own choice if that leaves room for all.
//
// Threads that meet at a barrier in a loop wait there for the loads of the iteration. With the registers of a
// goal, the loads of the next iteration cannot begin, but other blocks may run meanwhile: such a loop takes
// the assembler's own choice if more blocks run, for at most a third of the registers. A recurrence, which
// would give up more, holds its state in them.
func (s *search) withMoreBlocks(best *assembled) *assembled {
	now := s.running(best.use.registers)
	if !s.chip.Known() || now == 0 || now == s.most() {
		return best
	}
	enough := rules.Holds(s.code.rules, rules.LoopPrograms, now) || s.busy(now)
	if enough && !s.barrier && s.loop {
		return best
	}
	waits := enough && s.barrier
	if s.products || s.bounded || s.code.GridStride && (!waits || s.code.Persistent) {
		return best
	}
	plain, err := s.assemble(s.code.PTX, false)
	if err != nil {
		return best
	}
	more := s.running(plain.use.registers)
	lost, had := best.use.registers-plain.use.registers, best.use.registers
	switch {
	case more <= now || plain.use.stack > best.use.stack, s.code.GridStride && more < s.most(),
		waits && !rules.HoldsShare(s.code.rules, rules.WaitingRegisters, lost, had):
		best = plain.drop(best)
	case waits:
		best = best.drop(plain)
	default:
		best = s.unlessSpills(best.drop(plain), more)
	}
	return s.withOneMore(best)
}

// unlessSpills returns code for a number of blocks per SM unless it spills more than best.
func (s *search) unlessSpills(best *assembled, blocks int) *assembled {
	next, err := s.assemble(s.withBlocks(blocks), false)
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
func (s *search) withOneMore(best *assembled) *assembled {
	threads, taken := 32*s.code.NumWarps, RoundUp(best.use.registers, 8)
	next := s.running(taken) + 1
	room := registersPerSM / (next * threads) / 8 * 8
	if next > s.most() || s.busy(next-1) ||
		!rules.Holds(s.code.rules, rules.MostPrograms, next) {
		return best
	}
	cost := taken - room
	if s.loop {
		if !rules.HoldsShare(s.code.rules, rules.LoopRegisters, cost, taken) ||
			!rules.Holds(s.code.rules, rules.LoopWarps, s.code.NumWarps) {
			return best
		}
	} else if next*cost >= taken {
		return best
	}
	return s.unlessSpills(best, next)
}

// withAllRegisters returns what the assembler makes of one, the PTX with the goal of one block per SM, if
// best spills much, and one does not.
func (s *search) withAllRegisters(best *assembled, one []byte) *assembled {
	if one == nil || !s.spillsMuch(best.use) {
		return best
	}
	next, err := s.assemble(one, false)
	if err != nil {
		return best
	}
	percent := (100*next.use.stack + best.use.stack - 1) / max(1, best.use.stack)
	if !rules.Holds(s.code.rules, rules.KeptStack, percent) {
		return next.drop(best)
	}
	return best.drop(next)
}

// spillsMuch reports whether a kernel whose registers nobody bounded spills much.
func (s *search) spillsMuch(u use) bool {
	return u.registers > 0 && !s.bounded && rules.Holds(s.code.rules, rules.DeepStack, u.stack)
}

// mostRegisters returns the number of registers that a thread can have.
func mostRegisters(code *Code) int { return min(255, registersPerSM/(32*code.NumWarps)) }

// gaveUp reports whether a kernel spills much and fewer optimizations may halve its stack: in the order
// of the text, the values beyond a thread's registers would fill less than half of it. Assembling a large
// kernel again takes seconds.
func (s *search) gaveUp(u use) bool {
	const word = 4
	return s.spillsMuch(u) && rules.HoldsShare(s.code.rules, rules.PressureStack,
		word*(s.pressure()-mostRegisters(s.code)), u.stack)
}

// alone reports whether the goal of one block per SM needs no first attempt: an SM runs one block at a time
// whatever its registers, or the kernel is a recurrence.
func (s *search) alone() bool {
	return s.chip.Known() && !s.bounded && (s.most() == 1 || s.code.Recurrence)
}

// busy reports whether so many blocks have nearly all of the threads that an SM has room for.
func (s *search) busy(blocks int) bool {
	return rules.Holds(s.code.rules, rules.BusyThreads, 100*blocks*32*s.code.NumWarps/s.chip.ThreadsPerSM)
}

// most returns the number of blocks that an SM runs at once if registers do not matter.
func (s *search) most() int {
	c := &s.chip
	most := min(c.BlocksPerSM, c.ThreadsPerSM/(32*s.code.NumWarps), c.SharedPerSM/(s.code.Shared+1024))
	if n := s.code.sharers(); n > 0 {
		most = min(most, n)
	}
	return most
}

// running returns the number of blocks that an SM runs at once with that many registers for each thread, 0
// if the number of registers is not known.
func (s *search) running(registers int) int {
	if registers == 0 {
		return 0
	}
	return min(registersPerSM/(32*s.code.NumWarps*RoundUp(registers, 8)), s.most())
}

// goal is a number of blocks per SM for which a kernel is assembled again, and how many bytes of further
// spills it is worth.
type goal struct{ blocks, spill int }

// spillFor returns how many bytes of spills one more block than that many per SM is worth. Kernels with few
// blocks per SM gain most by one more. With products of warp groups it is worth less there, since the
// assembler serializes products around spills.
func (s *search) spillFor(blocks int) (bytes int) {
	switch {
	case rules.Holds(s.code.rules, rules.FewPrograms, blocks):
		bytes = rules.Get(s.code.rules, rules.FewBytes)
		if s.groups {
			bytes = rules.Capped(s.code.rules, rules.GroupBytes, bytes)
		}
	case rules.Holds(s.code.rules, rules.SomePrograms, blocks):
		bytes = rules.Get(s.code.rules, rules.SomeBytes)
	default:
		return 0
	}
	return min(bytes, bytes*s.code.NumWarps/rules.Get(s.code.rules, rules.FewWarps))
}

// goals returns the goals for a kernel with that many registers. Each is tried if the one before was reached.
func (s *search) goals(registers int) (out []goal) {
	if !s.chip.Known() || registers == 0 || s.bounded || s.goal == 0 {
		return nil
	}
	threads := 32 * s.code.NumWarps
	// registers for each thread
	room := func(blocks int) int { return min(255, registersPerSM/(blocks*threads)/8*8) }
	taken := RoundUp(registers, 8)
	most := s.most()
	blocks := s.running(registers)
	if blocks < 1 {
		return nil
	}
	tries := 1
	if rules.Holds(s.code.rules, rules.ShortPTX, s.bytes()) {
		tries = 3
	}
	spares := s.spares(taken, blocks)
	for n := blocks + 1; n <= most && len(out) < tries && spares(taken-room(n)); n++ {
		out = append(out, goal{n, s.spillFor(n - 1)})
	}
	if len(out) == 0 && room(blocks) >= registers+8 &&
		rules.Holds(s.code.rules, rules.LeftoverRegisters, registers) {
		return []goal{{blocks, 0}}
	}
	return out
}

// fewThreads reports whether so many threads are few for an SM: less than half of those that it has room for.
// In a loop with products, whose threads wait for each other in each iteration, half are few as well.
func (s *search) fewThreads(threads int) bool {
	if s.products && s.loop {
		return 2*threads <= s.chip.ThreadsPerSM
	}
	return 2*threads < s.chip.ThreadsPerSM
}

// spares returns whether a kernel that runs so many blocks per SM may lose so many of its registers for more
// of them. It needs a loop, which waits for loads, or a product. Few threads on an SM gain the most by more
// of them, and so does a kernel that loads once and multiplies once, with small accumulators. A loop with
// products of single warps gives up as much as any loop until three quarters of the threads run. Blocks of
// one warp that multiply in a loop are steps of a recurrence, of which there are few: they want registers. So
// do those that stride over the grid.
func (s *search) spares(registers, blocks int) func(lost int) bool {
	few := s.fewThreads(blocks * 32 * s.code.NumWarps)
	rule := rules.SpareLoop
	switch {
	case s.code.GridStride, !s.products && !s.loop, s.products && s.loop && s.code.NumWarps == 1:
		return func(int) bool { return false }
	case few, s.products && !s.loop && rules.Holds(s.code.rules, rules.FewRegisters, registers):
		rule = rules.SpareFew
	case s.products && (s.groups || !s.loop || s.busy(blocks)):
		rule = rules.SpareProducts
	}
	return func(lost int) bool {
		return rules.HoldsShare(s.code.rules, rule, lost, registers, rules.F("warps", s.code.NumWarps))
	}
}

func RoundUp(n, to int) int { return (n + to - 1) / to * to }
