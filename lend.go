package nereid

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// release takes lent host memory back from the device.
func (l *launch) release() {
	for _, b := range l.lent {
		b.Close()
	}
	for _, f := range l.done {
		f()
	}
	l.lent, l.done = nil, nil
}

// checked reports whether the launch checks accesses against the bounds of its arguments.
func (l *launch) checked() bool {
	return l.frame.Opts.Check || l.k != nil && l.k.m.conf.Check || knob.Checked.Get()
}

// Address implements args.Lender: it returns the device's address of a tensor and records the memory of the
// word.
func (l *launch) Address(param string, word int, core *args.Tensor) (uint64, error) {
	t := tensorOf(core)
	addr, err := l.address(param, t)
	if err == nil {
		l.mem = append(l.mem, memoryOf(word, t, addr))
	}
	return addr, err
}

// address returns the device's address of a tensor. Host memory is lent once, however many arguments share
// it. For a checked launch, devices with virtual addresses map a tensor that is part of its memory to
// separate addresses, from which the rest cannot be reached.
func (l *launch) address(param string, t *Tensor) (uint64, error) {
	if err := t.Err(); err != nil {
		return 0, err
	}
	on := t.on()
	if on == gone { // closed since
		return 0, errClosedTensor
	}
	if on != nil && on != l.dev && !l.nowhere {
		return 0, fmt.Errorf("the tensor is on %s, and the launch on %s", on, l.dev)
	}
	buf, addr := t.buf, t.addr
	if h, ok := buf.(target.HostBuffer); ok {
		var err error
		if buf, err = l.lend(param, h.Data, func() (target.Buffer, error) {
			return l.dev.b.Wrap(h.Data)
		}); err != nil {
			return 0, err
		}
		addr = buf.Addr() + uint64(t.offset)
	}
	whole, ok := buf.(target.Narrower)
	lo, hi := t.extent()
	if !ok || !l.checked() || lo == 0 && hi == buf.Size() {
		return addr, nil
	}
	part, err := l.lend(param, buf.Host()[lo:hi], func() (target.Buffer, error) {
		return whole.Narrow(lo, hi)
	})
	if err != nil {
		return 0, err
	}
	return part.Addr() + uint64(t.offset-lo), nil
}

// lend returns the device's buffer for host memory: one lent before in this launch, or the result of give.
func (l *launch) lend(param string, data []byte, give func() (target.Buffer, error)) (target.Buffer, error) {
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
	if n, ok := b.(target.Labeled); ok {
		n.SetName(param)
	}
	l.lent = append(l.lent, b)
	return b, nil
}

// memoryOf returns the memory of a tensor at device address addr.
func memoryOf(word int, t *Tensor, addr uint64) target.Memory {
	lo, hi := t.extent()
	base := addr - uint64(t.offset)
	return target.Memory{
		Word: word, Lo: base + uint64(lo), Hi: base + uint64(hi), Base: base,
		End: base + uint64(t.buf.Size()),
	}
}

// rebind records the memory of another tensor of the device for a word.
func (l *launch) rebind(word int, t *Tensor) {
	for i := range l.mem {
		if l.mem[i].Word == word {
			l.mem[i] = memoryOf(word, t, t.addr)
		}
	}
}
