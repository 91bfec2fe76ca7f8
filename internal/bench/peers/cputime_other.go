//go:build !linux

package peers

import "time"

// threads and cpuTime know nothing here.
func threads() []int { return nil }

func cpuTime([]int) time.Duration { return 0 }
