//go:build !linux

package pool

// InLargePages does nothing here.
func InLargePages([]byte) {}
