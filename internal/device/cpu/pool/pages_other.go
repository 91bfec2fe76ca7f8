//go:build !linux

package pool

func inLargePages([]byte) {}
