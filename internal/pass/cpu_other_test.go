//go:build !unix

package pass_test

import "time"

var processStart = time.Now()

// cpuTime is the time since the start: the best there is without asking the system.
func cpuTime() time.Duration { return time.Since(processStart) }
