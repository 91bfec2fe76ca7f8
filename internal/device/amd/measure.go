package amd

import (
	"errors"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/amd/hip"
)

// flushBytes is the memory to clear between runs, so that caches are cold: the largest, that of an MI300, has
// 256 MiB.
const flushBytes = 512 << 20

// Measure times f as Triton's do_bench does: estimate, warm up, then time each run between two events, with
// the caches cleared before.
func (d *Device) Measure(bs device.Stream, warmup, rep time.Duration,
	f func() error) ([]time.Duration, error) {
	at, err := d.dev.Alloc(flushBytes)
	if err != nil {
		return nil, err
	}
	defer d.dev.Free(at)
	s := bs.(stream).s
	timed := func(n int) ([]time.Duration, error) {
		return d.timed(s, n, func() error { return s.Zero(at, flushBytes) }, f)
	}
	return device.Bench(timed, warmup, rep, f)
}

// timed returns the durations of n runs of f, with before in front of each.
func (d *Device) timed(s *hip.Stream, n int, before, f func() error) (out []time.Duration, err error) {
	marks := make([]*hip.Event, 2*n) // created in advance, because creating one takes the host's time
	defer func() {
		for _, e := range marks {
			if e != nil {
				err = errors.Join(err, e.Close())
			}
		}
	}()
	for i := range marks {
		if marks[i], err = d.dev.NewEvent(); err != nil {
			return nil, err
		}
	}
	for i := range n {
		if err := errors.Join(before(), marks[2*i].Record(s), f(), marks[2*i+1].Record(s)); err != nil {
			return nil, err
		}
	}
	if err := s.Synchronize(); err != nil {
		return nil, err
	}
	for i := range n {
		t, err := marks[2*i+1].Since(marks[2*i])
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
