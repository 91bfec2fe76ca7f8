package nereid

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"github.com/nereid-lang/nereid/internal/backend"
	"github.com/nereid-lang/nereid/internal/backend/interp"
	"github.com/nereid-lang/nereid/internal/lang"
)

// interpDevice is the interpreter as a device: Triton IR, executed in Go.
type interpDevice struct{ mem *interp.Memory }

func newInterp() backend.Backend { return &interpDevice{interp.NewMemory()} }

func (*interpDevice) Name() string        { return "interp" }
func (*interpDevice) Target() lang.Target { return lang.DefaultTarget }
func (*interpDevice) Stages() []string    { return []string{"source", "ttir"} }

func (*interpDevice) Info() string {
	return fmt.Sprintf("interpreter of Triton IR in Go, %d workers, checks every access", runtime.GOMAXPROCS(0))
}

func (d *interpDevice) Compile(ctx context.Context, in *backend.Input) (backend.Executable, error) {
	if err := in.TTIR(d.Target()); err != nil || in.Until == "ttir" {
		return nil, err
	}
	p, err := interp.Compile(in.Module, in.Kernel)
	if err != nil {
		return nil, err
	}
	return &interpKernel{d, p}, nil
}

func (d *interpDevice) Alloc(size int) (backend.Buffer, error) { return d.Wrap(make([]byte, size)) }

func (d *interpDevice) Wrap(data []byte) (backend.Buffer, error) {
	return &interpBuffer{hostBuffer{data}, d.mem, d.mem.Alloc(data, "")}, nil
}

func (*interpDevice) NewStream() (backend.Stream, error) { return hostStream{}, nil }

// Describe gives a descriptor a handle of the interpreter's.
func (d *interpDevice) Describe(t backend.Descriptor) ([]uint64, func(), error) {
	h := d.mem.Descriptor(interp.Descriptor{Base: t.Base, Shape: t.Shape, Strides: t.Strides, NaN: t.NaN})
	return []uint64{h}, func() { d.mem.FreeDescriptor(h) }, nil
}

// interpBuffer is host memory under a virtual address.
type interpBuffer struct {
	hostBuffer
	mem *interp.Memory
	b   *interp.Buffer
}

func (b *interpBuffer) Addr() uint64 { return b.b.Addr() }

func (b *interpBuffer) Close() error {
	b.mem.Free(b.b)
	return nil
}

type interpKernel struct {
	dev *interpDevice
	p   *interp.Program
}

func (k *interpKernel) Launch(ctx context.Context, _ backend.Stream, grid [3]int, args []uint64) error {
	return k.p.Run(ctx, k.dev.mem, grid, args, interp.Options{TF32: true, Stdout: os.Stdout})
}

func (*interpKernel) Close() error { return nil }

// hostStream is the stream of devices that run in the calling goroutine: nothing is ever pending.
type hostStream struct{}

func (hostStream) Sync() error  { return nil }
func (hostStream) Close() error { return nil }
