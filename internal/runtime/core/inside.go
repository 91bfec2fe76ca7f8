package core

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// What packages of this module ask of devices, streams and tensors, and users do not see.

// QueueOf returns the device's own stream behind a stream.
func QueueOf(s *Stream) device.Stream { return s.s }

// BackendOf returns the device's implementation.
func BackendOf(d *Device) device.Device { return d.b }

// CapturedBy reports whether Capture is recording the stream. release, which may be nil, is then called when
// the graph is closed.
func CapturedBy(s *Stream, release func()) bool {
	h := s.graph.Load()
	if h != nil && release != nil {
		*h = append(*h, release)
	}
	return h != nil
}

// HostBytes returns the memory of a contiguous tensor, shared, or nil if the host has no access to it.
func HostBytes(t *Tensor) ([]byte, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if err := checkShape(t.DType, t.Shape); err != nil {
		return nil, err
	}
	n := t.Len() * t.DType.Size()
	if t.offset < 0 || n > t.buf.Size()-t.offset {
		return nil, fmt.Errorf("nereid: a tensor of shape %v is larger than its memory of %d bytes", t.Shape,
			t.buf.Size())
	}
	data := t.buf.Host()
	if data == nil {
		return nil, nil
	}
	return data[t.offset : t.offset+n : t.offset+n], nil
}

// Closed reports whether a stream is closed.
func Closed(s *Stream) bool { return s.closed.Load() }

// On returns the device of a tensor's memory, nil for the host.
func On(t *Tensor) *Device { return t.on() }

// Bytes returns the bytes of a tensor from its first element to its last.
func Bytes(t *Tensor) ([]byte, error) { return t.bytes() }

// Clone returns a tensor like another, with its contents, in memory of the same kind. The caller closes it.
func Clone(t *Tensor) (*Tensor, error) { return t.clone() }

// Strides returns the strides of a tensor, those of its shape if the caller changed that.
func Strides(t *Tensor) []int { return t.strides() }

// Zero fills a tensor with zeros; ZeroOn does so before the next launch on a stream.
func Zero(t *Tensor) error { return t.zero() }

// ZeroOn fills a tensor with zeros before the next launch on a stream.
func ZeroOn(s *Stream, t *Tensor) error { return s.zero(t) }

// Overlaps reports whether two tensors share memory. With orEqual, tensors that begin at the same address do
// not count.
func Overlaps(a, b *args.Tensor, orEqual bool) bool {
	return (*Tensor)(unsafe.Pointer(a)).overlaps((*Tensor)(unsafe.Pointer(b)), orEqual)
}

// TimesOn returns the durations of runs of f, in their order.
func TimesOn(s *Stream, warmup, rep time.Duration, f func() error) ([]time.Duration, error) {
	return s.times(warmup, rep, f)
}

// GraphTimesOn returns the durations of runs of f that are captured and replayed.
func GraphTimesOn(s *Stream, rep time.Duration, f func() error) ([]time.Duration, error) {
	return s.graphTimes(rep, f)
}

// Runs returns nil if a device runs code of a stage compiled for a machine, or else why not.
func Runs(d *Device, stage, machine string) error {
	if err := d.usable(); err != nil {
		return err
	}
	return device.Runs(d.b, stage, machine)
}

// Launched returns the facts of the code that a stream launched last, zeros if it does not know.
func Launched(s *Stream) (f device.Facts) {
	if x, ok := s.s.(device.Launched); ok {
		f = x.Launched()
	}
	return f
}

// Built returns the model of a device, its driver, and the compiler with all that code depends on.
func Built(d *Device) (model, driver, compiler string) {
	model, compiler = d.b.Info(), cache.Build()
	if m, ok := d.b.(device.Modelled); ok {
		model, driver = m.Model()
	}
	if k, ok := d.b.(device.Keeper); ok {
		compiler += " " + k.Fingerprint()
	}
	return model, driver, compiler
}

// Saver saves the contents of tensors between launches on a stream.
type Saver struct {
	S     *Stream                   // on which the launches are
	saved map[*Tensor]device.Buffer // contents, on the device
}

// Save saves the contents of a tensor and returns a function that restores them: in order with the stream's
// work where the device can, in memory that all calls share.
func (v *Saver) Save(t *Tensor) (back func() error, err error) {
	q, ok := v.S.queue(t)
	if !ok {
		data, err := t.bytes()
		if err != nil {
			return nil, err
		}
		return func() error { return errors.Join(v.S.Sync(), t.CopyBytesFrom(data)) }, nil
	}
	n := t.size()
	copied := v.saved[t]
	if copied == nil {
		if copied, err = v.S.dev.b.Alloc(n); err != nil {
			return nil, err
		}
		if v.saved == nil {
			v.saved = map[*Tensor]device.Buffer{}
		}
		v.saved[t] = copied
	}
	if err := q.Copy(copied, 0, t.buf, t.offset, n); err != nil {
		return nil, err
	}
	return func() error { return q.Copy(t.buf, t.offset, copied, 0, n) }, nil
}

// Release frees the memory of what is saved.
func (v *Saver) Release() {
	if len(v.saved) > 0 {
		_ = v.S.Sync()
	}
	for _, b := range v.saved {
		b.Close()
	}
	v.saved = nil
}

// Broken returns a tensor with an error: that of every use, see Tensor.Err.
func Broken(err error) *Tensor { return broken(Invalid, nil, err) }

// CheckShape returns an error for shapes that no memory can hold.
func CheckShape(dt DType, shape []int) error { return checkShape(dt, shape) }
