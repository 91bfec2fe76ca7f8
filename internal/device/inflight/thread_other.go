//go:build !linux && !windows

package inflight

// thread returns 0: systems without these drivers capture nothing.
func thread() int { return 0 }
