package nvidia

import (
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// flushBytes returns how much memory to clear between runs so that an L2 cache of that size is cold: at least
// four times as much, a power of two. On an H200 that is 256 MiB, which Triton's do_bench clears on every
// GPU.
func flushBytes(l2 int) int {
	if l2 <= 0 {
		return 256 << 20
	}
	n := 16 << 20
	for n < 4*l2 {
		n *= 2
	}
	return n
}

// flushed is the memory to clear.
type flushed struct {
	at    driver.DevicePtr
	bytes int
}

// Measure times f as Triton's do_bench does: estimate, warm up, then time each run between two events, with
// the L2 cache cleared before.
//
// A run begins when the one before has ended. With the next clearing in the queue already, an H200 records
// the end of a kernel half a microsecond later. Triton's launches mostly take the host longer than the
// clearing takes the GPU, so that nothing is queued behind them.
func (d *Device) Measure(bs device.Stream, warmup, rep time.Duration,
	f func() error) ([]time.Duration, error) {
	c, err := d.context()
	if err != nil {
		return nil, err
	}
	s := bs.(stream).s
	flush := flushed{bytes: flushBytes(d.dev.L2Bytes)}
	if flush.at, err = c.Alloc(flush.bytes); err != nil {
		return nil, err
	}
	defer c.Free(flush.at)
	timed := func(n int) ([]time.Duration, error) { return d.timed(s, flush, n, f) }
	return device.Bench(timed, warmup, rep, f)
}

// timed returns the durations of n runs of f.
func (d *Device) timed(s *driver.Stream, flush flushed, n int, f func() error) ([]time.Duration, error) {
	type pair struct{ start, end *driver.Event }
	var pairs []pair
	defer func() {
		for _, p := range pairs {
			p.start.Close()
			p.end.Close()
		}
	}()
	for range n { // created in advance, because creating one takes the host's time
		var p pair
		var err error
		if p.start, err = d.ctx.NewEvent(); err != nil {
			return nil, err
		}
		if p.end, err = d.ctx.NewEvent(); err != nil {
			p.start.Close()
			return nil, err
		}
		pairs = append(pairs, p)
	}
	for _, p := range pairs {
		if err := s.Fill(flush.at, 0, 1, flush.bytes); err != nil {
			return nil, err
		}
		if err := p.start.Record(s); err != nil {
			return nil, err
		}
		if err := f(); err != nil {
			return nil, err
		}
		if err := p.end.Record(s); err != nil {
			return nil, err
		}
		if err := p.end.Synchronize(); err != nil {
			return nil, err
		}
	}
	out := make([]time.Duration, n)
	for i, p := range pairs {
		t, err := p.end.Since(p.start)
		if err != nil {
			return nil, err
		}
		out[i] = t
	}
	return out, nil
}
