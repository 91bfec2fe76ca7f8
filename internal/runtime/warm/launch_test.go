package warm

import (
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/inflight"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// recorder is a device.Launcher that keeps a copy of the words of the last launch.
type recorder struct {
	grid  [3]uint32
	n     int
	words [CutWords]uint64
	deep  int // bytes of stack that a launch takes, so that the stack moves
}

func (r *recorder) LaunchWords(_ device.Stream, x, y, z uint32, words []uint64, _ *uniform.Kept) error {
	if r.deep > 0 {
		sink.Add(uint32(deeper(r.deep)))
	}
	r.grid, r.n = [3]uint32{x, y, z}, copy(r.words[:], words)
	return nil
}

func (r *recorder) Closes() *atomic.Uint32        { return new(atomic.Uint32) }
func (r *recorder) ByHand() (device.ByHand, bool) { return device.ByHand{}, false }

var sink atomic.Uint32

// deeper takes a number of bytes of the stack.
func deeper(n int) byte {
	var room [1 << 10]byte
	room[n%len(room)] = byte(n)
	if n > len(room) {
		return room[n%7] + deeper(n-len(room))
	}
	return room[n%5]
}

// launches returns launches of a kernel with so many parameters by both short cuts: three tensors, numbers,
// and a constant.
func launches(t testing.TB, params int) (r *recorder, want []uint64, byArgs, byCut func() bool) {
	t.Helper()
	r = &recorder{}
	dev, count := &args.Device{}, &inflight.Count{}
	s := &args.Stream{Dev: dev, Calls: count}
	var (
		list    []any
		vals    []any
		tensors []*args.Tensor
		scalars []int64
		rules   []args.Rule
		classes []args.Class
		kinds   string
	)
	number := args.Rule{IntRule: args.IntRule{One: args.ClassOne, Align: args.ClassDiv16}}
	for i := range params {
		if i < 3 {
			x := &args.Tensor{Elem: dtype.Float32, Dev: args.PlaceOf(dev), Addr: uint64(1+i) << 12}
			list, vals, tensors = append(list, x), append(vals, x), append(tensors, x)
			rules, classes, kinds = append(rules, args.Rule{}), append(classes, x.Class()), kinds+"t"
			want = append(want, x.Addr)
			continue
		}
		v := 16 * (i + 1)
		list, vals, scalars = append(list, v), append(vals, v), append(scalars, int64(v))
		rules, classes, kinds = append(rules, number), append(classes, number.Class(int64(v))), kinds+"i"
		want = append(want, uint64(v))
	}
	p := &Plan{Launcher: r, Dev: dev, Words: params}
	p.Keep(&args.Look{Classes: classes}, device.Options{})
	a := NewArgCut(p, rules, list, vals)
	type consts struct{ Block int }
	block := consts{128}
	raw := NewRaw(block)
	var last LastCut
	last.Store(NewCut(p, kinds, rules, classes, &raw))
	if a == nil || last.Load() == nil {
		t.Fatal("no short cut")
	}
	grid := [3]int{7, 2, 0}
	byArgs = func() bool {
		done, err := a.Launch(s, &grid, list)
		return done && err == nil
	}
	byCut = func() bool {
		done, err := last.Launch(s, &grid, unsafe.Pointer(&block), tensors, scalars)
		return done && err == nil
	}
	return r, want, byArgs, byCut
}

// TestLaunchers: short cuts pass words and grid to the device's Launcher, also when its stack moves, and
// allocate nothing: the words stay on the caller's stack.
func TestLaunchers(t *testing.T) {
	for _, params := range []int{5, 17} {
		r, want, byArgs, byCut := launches(t, params)
		for name, launch := range map[string]func() bool{"ArgCut": byArgs, "Cut": byCut} {
			for _, deep := range []int{0, 1 << 20} {
				*r = recorder{deep: deep}
				done := make(chan bool)
				go func() { done <- launch() }() // its stack is small
				if !<-done || r.grid != [3]uint32{7, 2, 1} || !slices.Equal(r.words[:r.n], want) {
					t.Errorf("%s, %d parameters: grid %v, words %x, want %x", name, params, r.grid,
						r.words[:r.n], want)
				}
			}
			r.deep = 0
			if n := testing.AllocsPerRun(100, func() { launch() }); n != 0 {
				t.Errorf("%s, %d parameters: %v allocations", name, params, n)
			}
		}
	}
}

func BenchmarkLaunchers(b *testing.B) {
	for _, params := range []int{5, 17} {
		_, _, byArgs, byCut := launches(b, params)
		name := map[int]string{5: "5", 17: "17"}[params]
		b.Run("ArgCut"+name, func(b *testing.B) {
			for b.Loop() {
				byArgs()
			}
		})
		b.Run("Cut"+name, func(b *testing.B) {
			for b.Loop() {
				byCut()
			}
		})
	}
}
