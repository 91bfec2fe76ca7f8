package core

import (
	"errors"
	"io"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/timeline"
)

// Profile is a recording of what the process does with kernels.
type Profile struct{ log *timeline.Log }

// StartProfile begins to record launches, the time of kernels on their devices, compilations, tunings, copies
// and graphs, and writes them to w as a timeline that Perfetto and Chrome open and that package profile
// reads. Each event is one call of Write. A kernel whose first launch came before is not seen, so a program
// calls it first. There is one recording at a time; NEREID_TRACE begins one when the process starts.
// docs/PROFILING.md describes it.
func StartProfile(w io.Writer) (*Profile, error) {
	if w == nil {
		return nil, errors.New("nereid: a profile needs a writer")
	}
	l, err := timeline.Start(w)
	if err != nil {
		return nil, err
	}
	return &Profile{l}, nil
}

// Stop ends the recording once all work is done that was launched before, and returns the first error of a
// write. Stopping twice is harmless.
func (p *Profile) Stop() error {
	if p == nil || p.log == nil {
		return nil
	}
	return p.log.Stop()
}

// recordCopy copies n bytes to the tensor, or with in false from it, and records that.
func (t *Tensor) recordCopy(in bool, n int64, run func() error) error {
	l := timeline.On()
	if l == nil {
		return run()
	}
	start := time.Now()
	err := run()
	l.Drain() // a copy from a device waits for its work
	l.Span(timeline.Copy, copyName(in, t.on()), start, time.Now(), timeline.Arg{Key: "bytes", Value: n})
	return err
}

// copyName says in which direction is copied.
func copyName(in bool, d *Device) string {
	if in {
		return "to " + d.String()
	}
	return "from " + d.String()
}

// wrap lends host memory to the device, and records the copy if it is one.
func (l *Launch) wrap(data []byte) (b device.Buffer, err error) {
	l.recordLent("to", len(data), func() { b, err = l.Dev.b.Wrap(data) })
	return b, err
}

// recordLent runs what copies lent memory to a device or back, and records it where it is a copy.
func (l *Launch) recordLent(way string, n int, run func()) {
	log := timeline.On()
	if log == nil || !l.Dev.traits.CopiesHost {
		run()
		return
	}
	start := time.Now()
	run()
	log.Span(timeline.Copy, way+" "+l.Dev.String()+", lent", start, time.Now(),
		timeline.Arg{Key: "bytes", Value: int64(n)})
}
