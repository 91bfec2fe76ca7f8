//go:build unix

package pass_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this process so far: unlike the clock, it does not count the waits of a
// busy machine.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
