package target

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/backend"
)

// Each device has memory of its own: an address of another is an error, which the stream tells later.
func TestDevices(t *testing.T) {
	k, err := parse("@triton.jit\ndef k(p, n):\n    tl.store(p, tl.load(p) + n)\n")
	if err != nil {
		t.Fatal(err)
	}
	var streams [2]*nereid.Stream
	var tensors [2]*nereid.Tensor
	for i := range 2 {
		dev, err := nereid.OpenDevice("c-device:" + string('0'+rune(i)))
		if err != nil {
			t.Fatal(err)
		}
		if streams[i], err = dev.NewStream(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer streams[i].Close()
		if tensors[i], err = nereid.NewTensor(dev, nereid.Float32, 4); err != nil {
			t.Fatal(err)
		}
		defer tensors[i].Close()
		for range 3 { // in order, though nothing waits
			if err := k.Launch(streams[i], nereid.Grid{1}, tensors[i], i+1); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 2 {
		if v, err := tensors[i].At(0); v != float64(3*(i+1)) || err != nil {
			t.Errorf("device %d: %v, %v", i, v, err)
		}
	}
	if err := k.Launch(streams[0], nereid.Grid{1}, tensors[1], 1); err == nil ||
		!strings.Contains(err.Error(), "c-device:1") {
		t.Error(err)
	}
	if _, err := nereid.OpenDevice("c-device:2"); err == nil ||
		!strings.Contains(err.Error(), "c-device:0, c-device:1") {
		t.Error(err)
	}
	stray := &deviceCode{&executable{kernel: "k"}, &cDevice{number: 7},
		[]backend.Param{{Name: "p", Pointer: true}}}
	if err := stray.Launch(t.Context(), [3]int{1, 1, 1}, []uint64{64}); err == nil ||
		!strings.Contains(err.Error(), "kernel k: argument p: 0 bytes at 0x40 are no memory of device 7") {
		t.Error(err)
	}
}

// The text that C is written of is MLIR's pretty form of TTGIR.
func TestPretty(t *testing.T) {
	k, err := parse("@triton.jit\ndef k(p):\n    i = tl.arange(0, 64)\n" +
		"    tl.store(p + i, tl.load(p + i) * 2)\n")
	if err != nil {
		t.Fatal(err)
	}
	c, err := k.CompileFor(t.Context(), "c-device", "*fp32", nereid.Options{Extra: "opt=0"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if text := string(c.Stage("ttgir")); !strings.Contains(text, "tt.load %") ||
		!strings.Contains(text, "#blocked") {
		t.Errorf("TTGIR is\n%s", text)
	}
	if text := string(c.Stage("c")); !strings.Contains(text, "*(float *)(uintptr_t)") {
		t.Errorf("C is\n%s", text)
	}
	_, err = Parse("module {\n  %a = tt.dot %b\n}\n")
	if err == nil || !strings.Contains(err.Error(), "line 2: tt.dot: this back end does not read") {
		t.Error(err)
	}
}

// Tuning restores memory by copies on the stream, in order with the launches: x is one more, not many.
func TestTuned(t *testing.T) {
	k, err := parse(`@triton.autotune(configs=[triton.Config({'B': 16}), triton.Config({'B': 32})], key=['n'],
                 restore_value=['p'], reset_to_zero=['q'])
@triton.jit
def k(p, q, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(p + i, tl.load(p + i, mask=i < n) + 1, mask=i < n)
    tl.store(q + i, tl.load(q + i, mask=i < n) + 1, mask=i < n)
`)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := nereid.OpenDevice("c-device:1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := dev.NewStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var x [2]*nereid.Tensor
	for i := range x {
		if x[i], err = nereid.FromSlice([]float32{7, 7, 7, 7}).To(dev); err != nil {
			t.Fatal(err)
		}
		defer x[i].Close()
	}
	if err := k.Launch(s, nereid.Grid{1}, x[0], x[1], 4); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{8, 1} {
		if v, err := x[i].At(3); v != want || err != nil {
			t.Errorf("tensor %d: %v, %v, want %v", i, v, err, want)
		}
	}
}
