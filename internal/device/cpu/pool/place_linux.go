package pool

import (
	"math/bits"
	"runtime"
	"syscall"
	"unsafe"
)

// here returns the processor on which the calling thread runs, or -1.
func here() int {
	var cpu uint32
	if _, _, errno := syscall.RawSyscall(getcpu, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return -1
	}
	return int(cpu)
}

// settle takes the calling thread's processor and returns it. If it is taken, the thread moves to another one
// that it may use, if there is one. It is moved, not pinned: it may run wherever it could before.
func (p *places) settle() int {
	runtime.LockOSThread() // all calls are about one thread
	defer runtime.UnlockOSThread()
	cpu := here()
	allowed, to := p.take(cpu)
	if to != cpu {
		pin(to)
		setAffinity(&allowed)
	}
	return to
}

// take takes a processor, or another one that the calling thread may use if that one is taken. It returns the
// processor, and those that the thread may use if it is another one.
func (p *places) take(cpu int) (allowed cpuSet, to int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cpu < 0 || !p.taken.add(cpu) {
		return allowed, cpu
	}
	allowed, ok := affinity()
	to = allowed.next(&p.taken, cpu)
	if !ok || to < 0 {
		return allowed, cpu
	}
	p.taken.add(to)
	return allowed, to
}

// cpuSet is a set of processors, as the system has it.
type cpuSet [16]uint64

// add adds a processor and reports whether it was there already.
func (s *cpuSet) add(cpu int) bool {
	if cpu < 0 || cpu >= 64*len(s) {
		return false
	}
	word, bit := &s[cpu/64], uint64(1)<<(cpu%64)
	had := *word&bit != 0
	*word |= bit
	return had
}

// next returns the first processor behind a given one, of all in turn, that is in s and not in others, or -1.
func (s *cpuSet) next(others *cpuSet, cpu int) int {
	const all = 64 * len(s)
	for i := range all {
		at := (cpu + 1 + i) % all
		if (s[at/64]&^others[at/64])>>(at%64)&1 == 1 {
			return at
		}
	}
	return -1
}

func (s *cpuSet) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// affinity returns the processors that the calling thread may use.
func affinity() (set cpuSet, ok bool) {
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set),
		uintptr(unsafe.Pointer(&set)))
	return set, errno == 0
}

// setAffinity has the calling thread use some processors, as well as the system allows.
func setAffinity(set *cpuSet) {
	_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(*set),
		uintptr(unsafe.Pointer(set)))
}
