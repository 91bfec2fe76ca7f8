package core

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// Launch is the state of a launch without a plan: its arguments, and the memory lent to the device.
type Launch struct {
	Dev      *Device         // where it runs
	On       *Stream         // nil if nothing is launched yet
	Nowhere  bool            // nothing will be launched: only the types of the arguments matter
	CheckAll bool            // launches check accesses, whatever their options
	Frame    Frame           // its arguments
	Mem      []device.Memory // memory of the arguments that are pointers

	lent []device.Buffer // host memory lent to the device for this launch
	done []func()        // functions to call at the end of the launch
}

// Work returns what the launch does.
func (l *Launch) Work(g Grid) *code.Work {
	return &code.Work{Grid: g, Words: l.Frame.Words, Mem: l.Mem, Held: &l.Frame.Matched}
}

// Release takes lent host memory back from the device.
func (l *Launch) Release() {
	for _, b := range l.lent {
		l.recordLent("from", b.Size(), func() { b.Close() })
	}
	for _, f := range l.done {
		f()
	}
	l.lent, l.done = nil, nil
}

// Checked reports whether the launch checks accesses against the bounds of its arguments.
func (l *Launch) Checked() bool {
	return l.Frame.Opts.Check || l.CheckAll || knob.Checked.Get()
}

// Address implements args.Lender: it returns the device's address of a tensor and records the memory of the
// word.
func (l *Launch) Address(param string, word int, core *args.Tensor) (uint64, error) {
	t := TensorOf(core)
	addr, err := l.address(param, t)
	if err == nil {
		l.Mem = append(l.Mem, memoryOf(word, t, addr))
	}
	return addr, err
}

// address returns the device's address of a tensor. Host memory is lent once, however many arguments share
// it. For a checked launch, devices with virtual addresses map a tensor that is part of its memory to
// separate addresses, from which the rest cannot be reached.
func (l *Launch) address(param string, t *Tensor) (uint64, error) {
	if err := t.Err(); err != nil {
		return 0, err
	}
	on := t.on()
	if on == gone { // closed since
		return 0, ErrClosedTensor
	}
	if on != nil && on != l.Dev && !l.Nowhere {
		return 0, fmt.Errorf("the tensor is on %s, and the launch on %s", on, l.Dev)
	}
	buf, addr := t.buf, t.addr
	if h, ok := buf.(device.HostBuffer); ok {
		var err error
		if buf, err = l.lend(param, h.Data, func() (device.Buffer, error) {
			return l.wrap(h.Data)
		}); err != nil {
			return 0, err
		}
		addr = buf.Addr() + uint64(t.offset)
	}
	whole, ok := buf.(device.Narrower)
	lo, hi := t.extent()
	if !ok || !l.Checked() || lo == 0 && hi == buf.Size() {
		return addr, nil
	}
	part, err := l.lend(param, buf.Host()[lo:hi], func() (device.Buffer, error) {
		return whole.Narrow(lo, hi)
	})
	if err != nil {
		return 0, err
	}
	return part.Addr() + uint64(t.offset-lo), nil
}

// lend returns the device's buffer for host memory: one lent before in this launch, or the result of give.
func (l *Launch) lend(param string, data []byte, give func() (device.Buffer, error)) (device.Buffer, error) {
	for _, b := range l.lent {
		if h := b.Host(); len(data) > 0 && len(h) == len(data) && &h[0] == &data[0] {
			return b, nil
		}
	}
	if err := l.lends(); err != nil {
		return nil, err
	}
	b, err := give()
	if err != nil {
		return nil, err
	}
	if n, ok := b.(device.Observed); ok {
		n.SetName(param)
	}
	l.lent = append(l.lent, b)
	return b, nil
}

// memoryOf returns the memory of a tensor at device address addr.
func memoryOf(word int, t *Tensor, addr uint64) device.Memory {
	lo, hi := t.extent()
	base := addr - uint64(t.offset)
	return device.Memory{
		Word: word, Lo: base + uint64(lo), Hi: base + uint64(hi), Base: base,
		End: base + uint64(t.buf.Size()),
	}
}

// Rebind records the memory of another tensor of the device for a word.
func (l *Launch) Rebind(word int, t *Tensor) {
	for i := range l.Mem {
		if l.Mem[i].Word == word {
			l.Mem[i] = memoryOf(word, t, t.addr)
		}
	}
}
