package peers

import (
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// threads returns the threads of the process, by the system's numbers.
func threads() (ids []int) {
	entries, _ := os.ReadDir("/proc/self/task")
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// cpuTime returns how long some threads have had a processor, all together, or 0 if one of them has ended.
// The clock of the whole process would miss up to a tick, 4 ms, of each thread that is running.
func cpuTime(ids []int) (sum time.Duration) {
	const perThread = 6 // the clock of a thread's processor time, as pthread_getcpuclockid names it
	for _, id := range ids {
		var t syscall.Timespec
		if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, uintptr(^id<<3|perThread),
			uintptr(unsafe.Pointer(&t)), 0); e != 0 {
			return 0
		}
		sum += time.Duration(t.Nano())
	}
	return sum
}
