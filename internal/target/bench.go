package target

import "time"

// Bench measures f as Triton's do_bench does: estimate, warm up, then as many runs as fit into rep. timed
// returns the durations of n runs of f.
func Bench(timed func(n int) ([]time.Duration, error), warmup, rep time.Duration,
	f func() error) ([]time.Duration, error) {
	const few = 5
	first, err := timed(few)
	if err != nil {
		return nil, err
	}
	var mean time.Duration
	for _, t := range first {
		mean += t / few
	}
	mean = max(mean, time.Microsecond)
	for range max(1, int(warmup/mean)) {
		if err := f(); err != nil {
			return nil, err
		}
	}
	return timed(max(1, min(10000, int(rep/mean))))
}
