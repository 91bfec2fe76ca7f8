//go:build !linux

package pool

// processors returns no processors: threads are not pinned here.
func processors(threads int) []int { return make([]int, threads-1) }

func pin(int) {}
