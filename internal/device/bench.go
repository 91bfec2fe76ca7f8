package device

import "time"

// Bench measures f as Triton's do_bench does: estimate, warm up, then as many runs as fit into rep. timed
// returns the durations of n runs of f. The estimate includes what timed does between runs, such as clearing
// a cache, which takes longer than a small kernel.
func Bench(timed func(n int) ([]time.Duration, error), warmup, rep time.Duration,
	f func() error) ([]time.Duration, error) {
	const few = 5
	start := time.Now()
	if _, err := timed(few); err != nil {
		return nil, err
	}
	one := max(time.Since(start)/few, time.Microsecond)
	for range max(1, int(warmup/one)) {
		if err := f(); err != nil {
			return nil, err
		}
	}
	return timed(max(1, min(10000, int(rep/one))))
}
