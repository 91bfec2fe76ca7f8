package nereid_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// Shapes, types and memory that do not go together are errors.
func TestBadTensors(t *testing.T) {
	for _, name := range []string{"interp", "cpu"} {
		dev := stream(t, name).Device()
		for _, c := range []struct {
			dev   *nereid.Device
			dt    nereid.DType
			shape []int
		}{
			{nil, nereid.Float32, []int{1}},
			{dev, nereid.Float32, []int{-5}},
			{dev, nereid.Float32, []int{-5, -5}},
			{dev, nereid.Float32, []int{1 << 40, 1 << 20}},
			{dev, nereid.Invalid, []int{5}},
			{dev, nereid.DType(200), []int{5}},
		} {
			if x, err := nereid.NewTensor(c.dev, c.dt, c.shape...); err == nil {
				t.Errorf("%s: there is a tensor %+v", name, x)
			}
		}
		if x, err := nereid.NewTensor(dev, nereid.Float32, 0, 1<<40); err != nil || x.Len() != 0 {
			t.Error(name, err)
		}
	}
	if n := nereid.FromBytes(nereid.Float8E5, make([]byte, 7)).Len(); n != 7 {
		t.Errorf("7 bytes are %d elements", n)
	}
	if s, err := nereid.AsSlice[float32](nereid.FromBytes(nereid.Float32, make([]byte, 8), 100)); err == nil {
		t.Errorf("%d elements in 8 bytes", len(s))
	}
	if s, err := nereid.AsSlice[float32](nereid.FromSlice([]float32{1, 2, 3}).Offset(4)); err == nil {
		t.Errorf("%v beyond the end", s)
	}
	if s, err := nereid.AsSlice[int8](nereid.FromBytes(nereid.Int8, []byte{1, 255})); err != nil ||
		len(s) != 2 || s[1] != -1 {
		t.Error(s, err)
	}
}

// So are descriptors that are not complete, stages that there are not, and callers that have given up.
func TestBadRequests(t *testing.T) {
	k := kernel(t, "scale")
	s := stream(t, "interp")
	x := nereid.FromSlice(make([]float32, 4))
	for _, d := range []*nereid.Descriptor{{}, {Base: x}, {Base: x, Shape: []int64{4}, Strides: []int64{1}},
		{Shape: []int64{4}, Strides: []int64{1}, Block: []int64{4}}} {
		if err := k.Launch(s, nereid.Grid{1}, d, 4, 1.0); err == nil ||
			!strings.Contains(err.Error(), "descriptor") {
			t.Errorf("%+v: %v", d, err)
		}
	}
	const signature = "*fp32:16, i32, fp32, None, 16, fp32"
	if _, err := k.CompileFor(t.Context(), "interp", signature, nereid.Options{}, "sass"); err == nil ||
		!strings.Contains(err.Error(), "source, ttir") {
		t.Error(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.Compile(gone, s.Device(), signature, nereid.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	late, err := s.Device().NewStream(gone)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(late, nereid.Grid{1}, x, 4, 1.0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A tensor of another device, one without memory, a grid that is none, a kernel bound to nothing: errors,
// not crashes.
func TestForeignTensors(t *testing.T) {
	k := kernel(t, "scale")
	s := stream(t, "cpu")
	other := stream(t, "interp")
	x, err := nereid.NewTensor(other.Device(), nereid.Float32, 4)
	if err != nil {
		t.Fatal(err)
	}
	for want, try := range map[string]func() error{
		"the tensor is on interp, and the launch on cpu": func() error {
			return k.Launch(s, nereid.Grid{1}, x, 4, 1.0)
		},
		"the tensor is on interp, and the launch on": func() error {
			_, err := k.Bind(s, x, 4, 1.0)
			return err
		},
		"the tensor has no memory": func() error {
			return k.Launch(s, nereid.Grid{1}, &nereid.Tensor{DType: nereid.Float32}, 4, 1.0)
		},
		"a nil function":      func() error { return k.Launch(other, nereid.GridFunc(nil), x, 4, 1.0) },
		"Bind needs a stream": func() error { _, err := k.Bind(nil, x, 4, 1.0); return err },
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := k.Source(t.Context(), x, 4, 1.0); err != nil {
		t.Error(err)
	}
}

// The short ways of launches like earlier ones find such a tensor too.
func TestForeignTensorsWarm(t *testing.T) {
	k := kernelOf(t, "vector_add.py", addSource(t), "add_kernel")
	s := stream(t, "cpu")
	x, y, out := tensors(t, s.Device(), 64)
	other, _, _ := tensors(t, stream(t, "interp").Device(), 64)
	bound, err := k.Bind(s, x, y, out, 64, 16)
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Close()
	consts := addConsts{BLOCK_SIZE: 16}
	for range 3 {
		if err := errors.Join(k.Launch(s, nereid.Grid{4}, x, y, out, 64, 16),
			launchAdd(s, nereid.Grid{4}, x, y, out, 64, consts)); err != nil {
			t.Fatal(err)
		}
		for i, err := range []error{
			k.Launch(s, nereid.Grid{4}, other, y, out, 64, 16),
			k.Launch(s, nereid.Grid{4}, x, other, out, 64, 16),
			k.Launch(s, nereid.Grid{4}, x, &nereid.Tensor{DType: nereid.Float32}, out, 64, 16),
			launchAdd(s, nereid.Grid{4}, x, &nereid.Tensor{DType: nereid.Float32}, out, 64, consts),
			launchAdd(s, nereid.Grid{4}, x, other, out, 64, consts), bound.SetTensor(1, other),
		} {
			if err == nil || !strings.Contains(err.Error(), "tensor") {
				t.Errorf("%d: %v", i, err)
			}
		}
		for _, grid := range []nereid.Programs{nereid.GridFunc(nil)} {
			if err := k.Launch(s, grid, x, y, out, 64, 16); err == nil ||
				!strings.Contains(err.Error(), "nil function") {
				t.Error(err)
			}
		}
	}
}

func addSource(t *testing.T) string {
	t.Helper()
	text, err := kernels.Files.ReadFile("vector_add.py")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
