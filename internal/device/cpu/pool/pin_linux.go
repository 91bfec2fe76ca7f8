package pool

// processors returns the processors for the workers of a pool: the last ones that the process may use, except
// for the first, which is left to the caller. They are 0 if there are fewer than threads.
func processors(threads int) []int {
	out := make([]int, threads-1)
	set, ok := affinity()
	if !ok || set.count() < threads {
		return out
	}
	for cpu, i := 64*len(set)-1, 0; i < len(out); cpu-- {
		if set[cpu/64]>>(cpu%64)&1 == 1 {
			out[i] = cpu
			i++
		}
	}
	return out
}

// pin keeps the calling thread on a processor, as well as the system allows.
func pin(cpu int) {
	var set cpuSet
	set.add(cpu)
	setAffinity(&set)
}
