package nereid_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid"
)

const hostCutKernel = `
import triton
import triton.language as tl

@triton.jit
def fill(x, n, y, scale, flag, B: tl.constexpr, MODE: tl.constexpr):
    p = tl.program_id(0)
    tl.store(x + p * 4, n * scale)
    tl.store(x + p * 4 + 1, B)
    tl.store(x + p * 4 + 2, 1 if MODE == "a" else 2)
    if y is not None:
        tl.store(y + p, flag.to(tl.int32) + 1)
`

// TestHostCut: the short cut of launches on the CPU gives the device what the long way would, for arguments
// that change from launch to launch in every respect.
func TestHostCut(t *testing.T) {
	dev, s := cpuStream(t)
	m, err := nereid.Parse("fill.py", []byte(hostCutKernel), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("fill")
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	host := [2][]float32{make([]float32, 16), make([]float32, 20)}
	own, err := nereid.NewTensor(dev, nereid.Float32, 16)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	places := []*nereid.Tensor{nereid.FromSlice(host[0]), nereid.FromSlice(host[1][1:17]), own}
	numbers := []any{1, 3, 16, 48, int32(5), 1 << 33, -16}
	flags := nereid.FromSlice(make([]int32, 4))
	byName := nereid.GridFunc(func(m nereid.Meta) nereid.Grid { return nereid.Grid{min(4, m.Int("B"))} })
	for i := range 400 {
		x, n := places[rnd.IntN(3)], numbers[rnd.IntN(len(numbers))]
		scale, flag, b := float64(rnd.IntN(4)), rnd.IntN(2) == 1, 1+rnd.IntN(2)
		mode := []string{"a", "b"}[rnd.IntN(2)]
		y, grid := any(flags), nereid.Programs(nereid.Grid{4})
		if rnd.IntN(3) == 0 {
			y = nil
		}
		if rnd.IntN(3) == 0 {
			grid = byName
		}
		list := []any{x, n, y, scale, flag, b, mode}
		if rnd.IntN(4) == 0 {
			list[5] = nereid.Arg("B", b)
		}
		for range 1 + rnd.IntN(3) {
			forget(t, x, flags)
			if err := k.Launch(s, grid, list...); err != nil {
				t.Fatalf("launch %d with %v: %v", i, list, err)
			}
			checkFilled(t, fmt.Sprintf("launch %d with %v", i, list), list, b)
		}
	}
	good := []any{own, 3, nil, 1.0, true, 1, "a"}
	for name, bad := range map[string][]any{
		"closed": {closedTensor(t, dev), 3, nil, 1.0, true, 1, "a"},
		"given":  {closedHost(t), 3, nil, 1.0, true, 1, "a"},
		"nil":    {nil, 3, nil, 1.0, true, 1, "a"},
		"short":  {own, 3, nil, 1.0, true, 1},
	} {
		for range 2 {
			if err := k.Launch(s, nereid.Grid{1}, good...); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.Launch(s, nereid.Grid{1}, bad...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := k.Launch(s, nereid.Grid{-1}, good...); err == nil {
		t.Error("a negative grid runs")
	}
}

// forget overwrites what earlier launches of fill have stored.
func forget(t *testing.T, x, flags *nereid.Tensor) {
	t.Helper()
	data, err := nereid.AsSlice[float32](x)
	if err != nil {
		t.Fatal(err)
	}
	y, err := nereid.AsSlice[int32](flags)
	if err != nil {
		t.Fatal(err)
	}
	data[0], data[1], data[2], y[0] = -1, -1, -1, -1
}

// checkFilled compares what a launch of fill has stored.
func checkFilled(t *testing.T, what string, list []any, b int) {
	t.Helper()
	x := list[0].(*nereid.Tensor)
	n := 0
	switch v := list[1].(type) {
	case int:
		n = v
	case int32:
		n = int(v)
	}
	mode := 2.0
	if list[6] == "a" {
		mode = 1
	}
	for i, want := range []float64{float64(n) * list[3].(float64), float64(b), mode} {
		if got := at(t, x, i); got != want {
			t.Fatalf("%s: element %d is %v, not %v", what, i, got, want)
		}
	}
	if y, ok := list[2].(*nereid.Tensor); ok {
		want := int32(1)
		if list[4] == true {
			want = 2
		}
		if data, err := nereid.AsSlice[int32](y); err != nil || data[0] != want {
			t.Fatalf("%s: the flag is %v, not %v: %v", what, data, want, err)
		}
	}
}

func closedTensor(t *testing.T, dev *nereid.Device) *nereid.Tensor {
	t.Helper()
	x, err := nereid.NewTensor(dev, nereid.Float32, 16)
	if err == nil {
		err = x.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func closedHost(t *testing.T) *nereid.Tensor {
	t.Helper()
	x := nereid.FromSlice(make([]float32, 16))
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return x
}
