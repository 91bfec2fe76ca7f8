//go:build !linux

package pool

// cpuSet is empty here: threads are left where the system puts them.
type cpuSet struct{}

func (*cpuSet) add(int) bool { return false }

func (p *places) settle() int { return -1 }
