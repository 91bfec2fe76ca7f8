package peers

import (
	"syscall"
	"time"
	"unsafe"
)

// cpuTime is how long the process has had a processor, all threads together.
func cpuTime() time.Duration {
	const processCPU = 2 // CLOCK_PROCESS_CPUTIME_ID
	var t syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, processCPU, uintptr(unsafe.Pointer(&t)),
		0); e != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}
