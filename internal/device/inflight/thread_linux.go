package inflight

import "syscall"

// thread returns the number of the caller's thread.
func thread() int { return syscall.Gettid() }
