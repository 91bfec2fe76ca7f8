package inflight

import "syscall"

var currentThread = syscall.NewLazyDLL("kernel32.dll").NewProc("GetCurrentThreadId")

// thread returns the number of the caller's thread.
func thread() int {
	n, _, _ := currentThread.Call()
	return int(n)
}
