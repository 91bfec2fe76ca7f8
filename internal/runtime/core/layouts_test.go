package core

import (
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// TestLayouts holds the structs that internal/runtime reads through its own types to beginning as those do.
func TestLayouts(t *testing.T) {
	var (
		tensor Tensor
		core   args.Tensor
		stream Stream
		queue  args.Stream
		device Device
		dev    args.Device
		desc   Descriptor
		plain  args.Descriptor
	)
	for name, at := range map[string][2]uintptr{
		"Tensor.DType":       {unsafe.Offsetof(tensor.DType), unsafe.Offsetof(core.Elem)},
		"Tensor.dev":         {unsafe.Offsetof(tensor.dev), unsafe.Offsetof(core.Dev)},
		"Tensor.addr":        {unsafe.Offsetof(tensor.addr), unsafe.Offsetof(core.Addr)},
		"Tensor.end":         {unsafe.Offsetof(tensor.end), unsafe.Offsetof(core.End)},
		"Tensor.Shape":       {unsafe.Offsetof(tensor.Shape), unsafe.Offsetof(core.Shape)},
		"Tensor.Strides":     {unsafe.Offsetof(tensor.Strides), unsafe.Offsetof(core.Strides)},
		"size of DType":      {unsafe.Sizeof(tensor.DType), unsafe.Sizeof(core.Elem)},
		"Stream.dev":         {unsafe.Offsetof(stream.dev), unsafe.Offsetof(queue.Dev)},
		"Stream.s":           {unsafe.Offsetof(stream.s), unsafe.Offsetof(queue.S)},
		"Stream.calls":       {unsafe.Offsetof(stream.calls), unsafe.Offsetof(queue.Calls)},
		"Stream.closed":      {unsafe.Offsetof(stream.closed), unsafe.Offsetof(queue.Closed)},
		"Device.b":           {unsafe.Offsetof(device.b), unsafe.Offsetof(dev.Backend)},
		"size of b":          {unsafe.Sizeof(device.b), unsafe.Sizeof(dev.Backend)},
		"Device.traits":      {unsafe.Offsetof(device.traits), unsafe.Offsetof(dev.Traits)},
		"Descriptor.Base":    {unsafe.Offsetof(desc.Base), unsafe.Offsetof(plain.Base)},
		"Descriptor.Shape":   {unsafe.Offsetof(desc.Shape), unsafe.Offsetof(plain.Shape)},
		"Descriptor.Strides": {unsafe.Offsetof(desc.Strides), unsafe.Offsetof(plain.Strides)},
		"Descriptor.Block":   {unsafe.Offsetof(desc.Block), unsafe.Offsetof(plain.Block)},
		"Descriptor.NaN":     {unsafe.Offsetof(desc.NaN), unsafe.Offsetof(plain.NaN)},
		"size of Descriptor": {unsafe.Sizeof(desc), unsafe.Sizeof(plain)},
	} {
		if at[0] != at[1] {
			t.Errorf("%s: %d here, %d in package args", name, at[0], at[1])
		}
	}
}

// TestLines holds what a launch on a GPU reads to whole cache lines: the allocator puts a struct whose size
// is a multiple of a line's at the beginning of one, and the fields are in the first line or two.
func TestLines(t *testing.T) {
	const line = 64
	var (
		stream Stream
		tensor Tensor
	)
	for name, at := range map[string][2]uintptr{ // end of the last field that is read, and how far it may be
		"Stream.closed": {unsafe.Offsetof(stream.closed) + unsafe.Sizeof(stream.closed), line},
		"Tensor.addr":   {unsafe.Offsetof(tensor.addr) + unsafe.Sizeof(tensor.addr), line},
	} {
		if at[0] > at[1] {
			t.Errorf("%s ends at %d, behind %d", name, at[0], at[1])
		}
	}
	if size := unsafe.Sizeof(stream); size%line != 0 {
		t.Errorf("a Stream has %d bytes", size)
	}
}
