package nereid_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/genrt"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const cutKernel = `
import triton
import triton.language as tl

@triton.jit
def cut(x_ptr, n, y_ptr, scale, flag, m: tl.int64, B: tl.constexpr, MODE: tl.constexpr):
    tl.store(x_ptr, n * scale + m)
    if y_ptr is not None:
        tl.store(y_ptr, flag)
`

// cutConsts has padding in the middle.
type cutConsts struct {
	B       int
	Wide    bool
	MODE    string
	Options nereid.Options
}

func (c cutConsts) args() []any {
	return []any{nereid.Arg("B", c.B), nereid.Arg("MODE", c.MODE), c.Options}
}

// cutArgs are the arguments of a launch.
type cutArgs struct {
	x, y   *nereid.Tensor
	n, m   int
	scale  float64
	flag   bool
	consts cutConsts
	grid   nereid.Grid
}

// key is what the specialisation depends on.
func (a *cutArgs) key() string {
	size := func(v int) string {
		switch {
		case v%16 == 0:
			return fmt.Sprint("div ", int64(v) == int64(int32(v)))
		default:
			return fmt.Sprint(int64(v) == int64(int32(v)))
		}
	}
	n := size(a.n)
	if a.n == 1 {
		n = "1"
	}
	return fmt.Sprint(a.x.DType, a.x == a.y, a.y != nil, " ", n, " ", a.m%16 == 0, a.consts.B, a.consts.MODE,
		a.consts.Options.NumWarps)
}

// words are those that the device is handed, up to the fifth.
func (a *cutArgs) words(t *testing.T, addr map[*nereid.Tensor]string) string {
	out := []string{addr[a.x]}
	if a.n != 1 {
		out = append(out, fmt.Sprintf("%x", uint64(a.n)))
	}
	if a.y != nil {
		out = append(out, addr[a.y])
	}
	flag := 0
	if a.flag {
		flag = 1
	}
	out = append(out, fmt.Sprintf("%x", math.Float32bits(float32(a.scale))), fmt.Sprint(flag),
		fmt.Sprintf("%x", uint64(a.m)))
	return strings.Join(out, ":")
}

// launchCut is what `nereid gen` writes.
func launchCut(typed *genrt.Typed[cutConsts], s *nereid.Stream, a *cutArgs) (again bool, err error) {
	grid, c := a.grid, a.consts
	if done, err := typed.Again(s, &grid, &c, []*nereid.Tensor{a.x, a.y},
		[]int64{int64(a.n), genrt.FloatWord(a.scale), genrt.BoolWord(a.flag), int64(a.m)}); done {
		return true, err
	}
	call := typed.Call(a.consts)
	call.Tensor(a.x)
	call.Int(int64(a.n))
	call.Tensor(a.y)
	call.Float(a.scale)
	call.Bool(a.flag)
	call.Int(int64(a.m))
	return false, call.Launch(s, grid)
}

// cutForms is the kernel, and the function that would be generated for it.
func cutForms(t *testing.T) (*nereid.Kernel, *genrt.Typed[cutConsts]) {
	t.Helper()
	m, err := nereid.Parse("cut.py", []byte(cutKernel), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("cut")
	if err != nil {
		t.Fatal(err)
	}
	load := func() (*nereid.Module, error) { return m, nil }
	return k, &genrt.Typed[cutConsts]{Load: load, Name: "cut", Consts: cutConsts.args, Kinds: "titfbi"}
}

// The short cuts of Launch and of generated functions hand the driver the same as every other way: launches
// whose arguments change from one to the next in every respect that matters, and in those that do not.
func TestCuts(t *testing.T) {
	os.Setenv("NEREID_STUB_PARAMS", "4") // as many as every launch has
	defer os.Unsetenv("NEREID_STUB_PARAMS")
	onStub(t, func(t *testing.T, s *nereid.Stream, calls func() map[string]int) {
		k, typed := cutForms(t)
		list := cutCases(t, s)
		addr := addresses(t, s, k, list, calls)
		functions, keys := map[string]string{}, map[string]string{}
		check := func(what string, a *cutArgs) {
			t.Helper()
			for line, n := range calls() {
				parts := strings.SplitN(strings.TrimPrefix(line, "launch:"), ":", 5)
				if len(parts) != 5 {
					continue
				}
				key := a.key() + " " + addr[a.x][len(addr[a.x])-1:]
				if a.y != nil {
					key += addr[a.y][len(addr[a.y])-1:]
				}
				if f := functions[key]; f != "" && f != parts[0] || keys[parts[0]] != "" &&
					keys[parts[0]] != key {
					t.Errorf("%s: %s runs %s, which is for %q", what, key, parts[0], keys[parts[0]])
				}
				functions[key], keys[parts[0]] = parts[0], key
				grid := fmt.Sprintf("%d:%d:%d", a.grid[0], max(a.grid[1], 1), max(a.grid[2], 1))
				if got := strings.Join(parts[1:4], ":"); got != grid || n != 1 {
					t.Errorf("%s: grid %s, want %s; %d times", what, got, grid, n)
				}
				if want := a.words(t, addr); !strings.HasPrefix(want+":", parts[4]+":") {
					t.Errorf("%s: words %s, want %s", what, parts[4], want)
				}
				return
			}
			t.Errorf("%s: no launch", what)
		}
		rnd, short := rand.New(rand.NewPCG(1, 2)), 0
		for range 400 {
			a := list[rnd.IntN(len(list))]
			for range 1 + rnd.IntN(2) {
				again, err := launchCut(typed, s, a)
				if err != nil {
					t.Fatal(err)
				}
				if again {
					short++
				}
				check("generated", a)
				if err := k.Launch(s, a.grid, a.list()...); err != nil {
					t.Fatal(err)
				}
				check("Launch", a)
			}
		}
		if short < 100 || short > 350 {
			t.Errorf("%d short cuts", short)
		}
		for _, grid := range []nereid.Grid{{-1}, {1, -1}} {
			a := *list[0]
			launchCut(typed, s, &a)
			a.grid = grid
			if _, err := launchCut(typed, s, &a); err == nil {
				t.Errorf("the grid %v is launched", grid)
			}
		}
	})
}

// list is the arguments as Launch takes them.
func (a *cutArgs) list() []any {
	var y any
	if a.y != nil {
		y = a.y
	}
	return []any{a.x, a.n, y, a.scale, a.flag, a.m, a.consts.B, a.consts.MODE, a.consts.Options}
}

// cutCases differ from the first in one respect each.
func cutCases(t *testing.T, s *nereid.Stream) []*cutArgs {
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
	if err != nil {
		t.Fatal(err)
	}
	y, err := nereid.NewTensor(s.Device(), nereid.Int32, 64)
	if err != nil {
		t.Fatal(err)
	}
	first := cutArgs{x: x, y: x, n: 32, m: 16, scale: 1.5, consts: cutConsts{B: 16, MODE: "a"},
		grid: nereid.Grid{1}}
	list := []*cutArgs{&first}
	for _, change := range []func(a *cutArgs){
		func(a *cutArgs) { a.x = x.Offset(4) }, func(a *cutArgs) { a.y = y }, func(a *cutArgs) { a.y = nil },
		func(a *cutArgs) {
			a.n = 1
		}, func(a *cutArgs) { a.n = 17 }, func(a *cutArgs) { a.n = 48 }, func(a *cutArgs) { a.n = -16 },
		func(a *cutArgs) {
			a.n = 1 << 40
		}, func(a *cutArgs) { a.n = 1<<40 + 1 }, func(a *cutArgs) { a.m = 1 }, func(a *cutArgs) { a.m = 3 },
		func(a *cutArgs) {
			a.scale = -2.25
		}, func(a *cutArgs) { a.flag = true }, func(a *cutArgs) { a.consts.B = 32 },
		func(a *cutArgs) {
			a.consts.MODE = "b"
		}, func(a *cutArgs) {
			a.consts.Options.NumWarps = 8
		}, func(a *cutArgs) { a.grid = nereid.Grid{2, 3, 4} },
	} {
		a := first
		change(&a)
		list = append(list, &a)
	}
	return list
}

// addresses are those of the tensors, as the driver is told of them by a launch through Bind.
func addresses(t *testing.T, s *nereid.Stream, k *nereid.Kernel, list []*cutArgs,
	calls func() map[string]int) map[*nereid.Tensor]string {
	addr := map[*nereid.Tensor]string{}
	for _, a := range list {
		for _, x := range []*nereid.Tensor{a.x, a.y} {
			if x == nil || addr[x] != "" {
				continue
			}
			b, err := k.Bind(s, x, 1, nil, 1.0, false, 16, 16, "a")
			if err != nil {
				t.Fatal(err)
			}
			calls()
			if err := b.Launch(nereid.Grid{1}); err != nil {
				t.Fatal(err)
			}
			for line := range calls() {
				if parts := strings.Split(line, ":"); parts[0] == "launch" {
					addr[x] = parts[5]
				}
			}
			b.Close()
		}
	}
	return addr
}

// Goroutines that launch the same kernel at once, each with arguments of its own.
func TestCutsAtOnce(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		k, typed := cutForms(t)
		list := cutCases(t, s)[:4]
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 200 {
					a := list[(g+i/5)%len(list)]
					if _, err := launchCut(typed, s, a); err != nil {
						t.Error(err)
					}
					if err := k.Launch(s, a.grid, a.list()...); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// Launches allocate nothing, whether they are like the one before or not.
func TestCutAllocations(t *testing.T) {
	if raceDetector {
		txtest.NotHere(t, "with the race detector, launches allocate")
	}
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		k := kernelOf(t, "cut.py", cutKernel, "cut", nereid.With(nereid.Config{}))
		m, err := nereid.Parse("cut.py", []byte(cutKernel), nereid.With(nereid.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		typed := &genrt.Typed[cutConsts]{Load: func() (*nereid.Module, error) {
			return m, nil
		}, Name: "cut", Consts: cutConsts.args, Kinds: "titfbi"}
		list := cutCases(t, s)
		grids, args := make([]nereid.Programs, len(list)), make([][]any, len(list))
		for i, a := range list {
			grids[i], args[i] = a.grid, a.list()
		}
		if n := testing.AllocsPerRun(20, func() {
			for i, a := range list {
				for range 2 {
					if _, err := launchCut(typed, s, a); err != nil {
						t.Fatal(err)
					}
					if err := k.Launch(s, grids[i], args[i]...); err != nil {
						t.Fatal(err)
					}
				}
			}
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// A bound kernel goes to the driver by its own short cut, which ends with the kernel and with the stream.
func TestBoundOnStub(t *testing.T) {
	onStub(t, func(t *testing.T, s *nereid.Stream, _ func() map[string]int) {
		x, _, _ := tensors(t, s.Device(), 16)
		own, err := s.Device().NewStream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		closed, err := stubKernel(t, "plain").Bind(own, x, 5)
		if err != nil {
			t.Fatal(err)
		}
		open, err := stubKernel(t, "plain").Bind(own, x, 5)
		if err != nil {
			t.Fatal(err)
		}
		grid := nereid.Grid{1}
		if err := errors.Join(closed.Launch(grid), open.Launch(grid), closed.Close(),
			open.Launch(grid)); err != nil {
			t.Fatal(err)
		}
		if err := closed.Launch(grid); !errors.Is(err, nereid.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
		if err := open.Launch(nereid.Grid{1, 1 << 17}); err == nil {
			t.Error("a grid that no GPU runs")
		}
		if err := own.Close(); err != nil {
			t.Fatal(err)
		}
		if err := open.Launch(grid); !errors.Is(err, nereid.ErrClosed) {
			t.Errorf("on a closed stream: %v", err)
		}
	})
}
