package nvidia

import (
	"errors"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// maxGuarded bounds how often a guard is computed, for programs and iterations.
const maxGuarded = 1 << 18

// guarded reports whether a guard is not negative in any program of a grid. Answers are kept, since a grid
// may have many programs.
func (k *Code) guarded(g gpucode.TileGuard, grid [3]int, words []uint64) bool {
	if k.guards == nil {
		return k.GuardHolds(g, grid, words)
	}
	key := guardKey{guard: &g[0], grid: grid}
	n := 0
	for i := 0; i < len(g); i += 2 {
		if g[i] != gpucode.GuardArg {
			continue
		}
		key.args[n] = k.number(words, int(g[i+1]))
		n++
	}
	if ok, known := k.guards.find(&key); known {
		return ok
	}
	ok := k.GuardHolds(g, grid, words)
	k.guards.keep(key, ok)
	return ok
}

// GuardHolds computes a guard for all programs of a grid; axes that the guard does not name count once.
func (k *Code) GuardHolds(g gpucode.TileGuard, grid [3]int, words []uint64) bool {
	over, count := [3]int{1, 1, 1}, 1
	for axis := range over {
		for i := 0; i < len(g); i += 2 {
			if g[i] == gpucode.GuardProgram && g[i+1] == int64(axis) {
				over[axis] = grid[axis]
			}
		}
		if over[axis] > maxGuarded {
			return false
		}
		count *= over[axis]
	}
	if count > maxGuarded {
		return false
	}
	r := guardRun{k: k, guard: g, grid: grid, words: words, left: maxGuarded}
	for z := range over[2] {
		for y := range over[1] {
			for x := range over[0] {
				if r.at = [3]int{x, y, z}; !r.holds(0, 0) {
					return false
				}
			}
		}
	}
	return true
}

// guardRun computes a guard for the programs of a launch.
type guardRun struct {
	k     *Code
	guard gpucode.TileGuard
	grid  [3]int
	words []uint64
	left  int // the remaining budget of programs and iterations

	at    [3]int                       // the program
	index [gpucode.MaxGuardLoops]int64 // variables of loops that are entered
}

// holds reports whether the guard is not negative for a program, from a step on, inside so many loops. What
// is not defined does not hold.
func (r *guardRun) holds(from, depth int) bool {
	if r.left--; r.left < 0 {
		return false
	}
	var stack [gpucode.MaxGuardStack]int64
	n := 0
	for i := from; i < len(r.guard); i += 2 {
		switch step, x := r.guard[i], r.guard[i+1]; step {
		case gpucode.GuardNumber:
			stack[n] = x
		case gpucode.GuardArg:
			stack[n] = r.k.number(r.words, int(x))
		case gpucode.GuardProgram:
			stack[n] = int64(r.at[x])
		case gpucode.GuardPrograms:
			stack[n] = int64(r.grid[x])
		case gpucode.GuardIndex:
			stack[n] = r.index[x]
		case gpucode.GuardEach:
			return r.each(stack[0], stack[1], stack[2], i+2, depth)
		default:
			n -= 2
			var ok bool
			if stack[n], ok = combine(step, stack[n], stack[n+1]); !ok {
				return false
			}
		}
		n++
	}
	return stack[0] >= 0
}

// each reports whether the guard holds in all iterations of a loop whose body begins at a step.
func (r *guardRun) each(first, end, by int64, body, depth int) bool {
	if by <= 0 || !isNarrow(first) || !isNarrow(end) || !isNarrow(by) {
		return false
	}
	for v := first; v < end; v += by {
		r.index[depth] = v
		if !r.holds(body, depth+1) {
			return false
		}
	}
	return true
}

// checkShort returns an error for a condition from a cache that names arguments which are not there.
func (k *Code) checkShort() error {
	ok := k.Short == nil || k.Short.Valid()
	for i := 0; ok && i < len(k.Short); i += 2 {
		ok = k.Short[i] != gpucode.GuardArg || int(k.Short[i+1]) < len(k.Params)-len(k.Maps)
	}
	if !ok {
		return errors.New("the kernel's description does not fit its loops")
	}
	return nil
}

// combine returns the result of a step with two operands, as 32-bit integers have it: what is larger is not
// defined.
func combine(step, x, y int64) (v int64, ok bool) {
	if y == 0 && (step == gpucode.GuardDiv || step == gpucode.GuardRem) {
		return 0, false
	}
	v = uniform.Apply(guardOps[step], x, y)
	return v, isNarrow(v)
}

var guardOps = [...]uniform.Op{
	gpucode.GuardAdd: uniform.Add, gpucode.GuardSub: uniform.Sub, gpucode.GuardMul: uniform.Mul,
	gpucode.GuardDiv: uniform.Div,
	gpucode.GuardRem: uniform.Rem, gpucode.GuardMin: uniform.Min, gpucode.GuardMax: uniform.Max,
}

func isNarrow(v int64) bool { return v == int64(int32(v)) }

// guardKey is a guard with all that it depends on.
type guardKey struct {
	guard *int64
	grid  [3]int
	args  [gpucode.MaxGuardArgs]int64
}

// guardTable keeps the last answers about guards. It is read and written without a lock.
type guardTable struct {
	slots [32]atomic.Pointer[guardAnswer]
	next  atomic.Uint32
}

type guardAnswer struct {
	guardKey
	ok bool
}

func (t *guardTable) find(key *guardKey) (ok, known bool) {
	for i := range t.slots {
		if a := t.slots[i].Load(); a != nil && a.guardKey == *key {
			return a.ok, true
		}
	}
	return false, false
}

func (t *guardTable) keep(key guardKey, ok bool) {
	n := t.next.Add(1)
	t.slots[n%uint32(len(t.slots))].Store(&guardAnswer{key, ok})
}
