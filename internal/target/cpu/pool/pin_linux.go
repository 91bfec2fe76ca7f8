package pool

import (
	"math/bits"
	"syscall"
	"unsafe"
)

// cpuSet is a set of processors, as the system has it.
type cpuSet [16]uint64

// processors returns the processors for the workers of a pool: the last ones that the process may use, except
// for the first, which is left to the caller. They are 0 if there are fewer than threads.
func processors(threads int) []int {
	out := make([]int, threads-1)
	var set cpuSet
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(set),
		uintptr(unsafe.Pointer(&set)))
	count := 0
	for _, w := range set {
		count += bits.OnesCount64(w)
	}
	if errno != 0 || count < threads {
		return out
	}
	for cpu, i := 64*len(set)-1, 0; i < len(out); cpu-- {
		if set[cpu/64]>>(cpu%64)&1 == 1 {
			out[i] = cpu
			i++
		}
	}
	return out
}

// pin keeps the calling thread on a processor, as well as the system allows.
func pin(cpu int) {
	var set cpuSet
	set[cpu/64] = 1 << (cpu % 64)
	_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(set),
		uintptr(unsafe.Pointer(&set)))
}
