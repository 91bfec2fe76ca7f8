package memfuzz

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/interp"
	"github.com/nereid-lang/nereid/internal/target/nvidia/sim"
)

// Device is a device under test.
type Device struct {
	Name string
	dev  *nereid.Device
	// orders holds the orders in which warps run, see sim.Watch; the first also watches for races. Launches
	// on devices that have no say in it are repeated instead.
	orders   []uint64
	gpu      bool
	clusters bool
}

// Open opens a device by name, and the interpreter for judging.
func Open(name string) (*Device, error) {
	dev, err := nereid.OpenDevice(name)
	if err != nil {
		return nil, err
	}
	d := &Device{Name: name, dev: dev, orders: []uint64{0}, gpu: dev.Abilities().GPU,
		clusters: chip.Target(dev.Target()).Clusters}
	if d.gpu {
		d.orders = []uint64{0, 1, 2, 3}
	}
	return d, nil
}

// Diff is a difference between a device and the judge. Err is set when the kernel fails on the device.
type Diff struct {
	Device   string
	Order    uint64
	Err      error
	Elements []Element // the first of those that differ
	Count    int
}

// Element is an element of a tensor that differs.
type Element struct {
	Tensor    string
	At        int
	Got, Want string
}

func (d *Diff) String() string {
	if d.Err != nil {
		return fmt.Sprintf("%s fails: %v", d.Device, d.Err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (order %d) differs from the interpreter in %d elements:", d.Device, d.Order, d.Count)
	for _, e := range d.Elements {
		fmt.Fprintf(&b, " %s[%d] is %s, want %s;", e.Tensor, e.At, e.Got, e.Want)
	}
	return b.String()
}

// Judge compares devices with the interpreter.
type Judge struct{ interp *Device }

// NewJudge opens the interpreter. It runs what the front end makes, so that passes are judged as well, which
// all devices have in common.
func NewJudge() (*Judge, error) {
	dev := core.NewDevice(source{interp.NewDevice(interp.DeviceOptions{})})
	return &Judge{&Device{Name: "interp", dev: dev, orders: []uint64{0}}}, nil
}

// source is the interpreter of kernels before any pass.
type source struct{ *interp.Device }

// Compile takes the module as it is.
func (s source) Compile(ctx context.Context, in *target.Input) (target.Executable, error) {
	return s.Restore(ctx, in.Kernel, target.Code{Stage: "ttir", Data: target.Text(in.Module)})
}

// Compare runs a case on the interpreter and on devices and returns the first difference of each device. The
// error is one of the case: the interpreter refuses it.
func (j *Judge) Compare(ctx context.Context, c *Case, devices ...*Device) ([]*Diff, error) {
	k, err := c.kernel()
	if err != nil {
		return nil, err
	}
	want, err := c.launch(ctx, k, j.interp, 0)
	if err != nil {
		return nil, err
	}
	var out []*Diff
	for _, d := range devices {
		if c.Overlap && d.gpu {
			continue
		}
		if diff := c.compare(ctx, k, d, want); diff != nil {
			out = append(out, diff)
		}
	}
	return out, nil
}

func (c *Case) kernel() (*nereid.Kernel, error) {
	m, err := nereid.Parse("kernel.py", []byte(c.Source), nereid.With(nereid.Config{}))
	if err != nil {
		return nil, err
	}
	return m.Kernel("kernel")
}

// compare runs a case on a device, in each of its orders, until there is a difference.
func (c *Case) compare(ctx context.Context, k *nereid.Kernel, d *Device, want map[string][]byte) *Diff {
	for _, order := range d.orders {
		got, err := c.launch(ctx, k, d, order)
		if err != nil {
			return &Diff{Device: d.Name, Order: order, Err: err}
		}
		if diff := c.differences(got, want); diff != nil {
			diff.Device, diff.Order = d.Name, order
			return diff
		}
	}
	return nil
}

// launch returns the memory after a launch on fresh memory.
func (c *Case) launch(ctx context.Context, k *nereid.Kernel, d *Device, order uint64) (map[string][]byte,
	error) {
	s, err := d.dev.NewStream(sim.WithWatch(ctx, sim.Watch{Races: order == 0, Order: order}))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	memory := c.memory()
	if err := k.Launch(s, nereid.Grid{c.Grid}, c.args(memory, d.clusters)...); err != nil {
		return nil, err
	}
	return memory, s.Sync()
}

// shown is how many elements a difference names.
const shown = 6

// differences compares memory bit by bit; only floats that are no numbers equal each other whatever their
// bits.
func (c *Case) differences(got, want map[string][]byte) *Diff {
	d := &Diff{}
	for _, a := range c.Args {
		g, w := got[a.Name], want[a.Name]
		if bytes.Equal(g, w) {
			continue
		}
		dt, _ := nereid.DTypeOf(string(a.Type))
		for i, n := 0, dt.Size(); i < len(w); i += n {
			if bytes.Equal(g[i:i+n], w[i:i+n]) {
				continue
			}
			x, y := dt.Decode(bits(g[i:i+n])), dt.Decode(bits(w[i:i+n]))
			if dt.IsFloat() && math.IsNaN(x) && math.IsNaN(y) {
				continue
			}
			if d.Count++; len(d.Elements) < shown {
				d.Elements = append(d.Elements, Element{a.Name, i/n - a.Offset, fmt.Sprint(x), fmt.Sprint(y)})
			}
		}
	}
	if d.Count == 0 {
		return nil
	}
	return d
}

func bits(b []byte) uint64 {
	var word [8]byte
	copy(word[:], b)
	return binary.LittleEndian.Uint64(word[:])
}
