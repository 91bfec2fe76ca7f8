package nereid_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const sequenceKernels = `
import triton
import triton.language as tl

@triton.jit
def move(x, y, n, sx, sy, a, FLIP: tl.constexpr, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + i * sx, mask=i < n, other=0)
    if FLIP:
        v = -v
    tl.store(y + i * sy, v + a, mask=i < n)
`

// sequenceLaunch is a launch of move: arguments of one of the classes that code is specialized for, or that a
// short cut must tell apart.
type sequenceLaunch struct {
	n, sx, sy, a, block, warps int
	from, to                   int // elements at which x and y begin
	inPlace, flip, wide        bool
	more                       int // programs that have nothing to do
}

func drawSequence(r *rand.Rand) (l sequenceLaunch) {
	one := func(list ...int) int { return list[r.IntN(len(list))] }
	l = sequenceLaunch{n: one(0, 1, 15, 16, 17, 64, 100), sx: one(1, 1, 2, 3, 16), sy: one(1, 1, 2, 3, 16),
		a: one(0, 1, 1, 5, 16, -16, 1<<20), block: one(16, 64, 64), warps: one(1, 2, 4),
		from: one(0, 1, 4, 16), to: one(0, 1, 4, 16), flip: r.IntN(3) == 0, wide: r.IntN(3) == 0,
		more: one(0, 0, 1, 3)}
	if r.IntN(3) == 0 { // one program reads all before it writes
		l.inPlace, l.n, l.block = true, min(l.n, 64), 64
	}
	return l
}

const sequenceRoom = 2048

// want changes memory as the launch does.
func (l sequenceLaunch) want(x, y []int64) {
	read := make([]int64, l.n)
	for i := range read {
		if read[i] = x[l.from+i*l.sx]; l.flip {
			read[i] = -read[i]
		}
	}
	for i, v := range read {
		y[l.to+i*l.sy] = v + int64(l.a)
	}
}

// TestSequence runs launches of a kernel one after the other, with arguments drawn from all classes, so that
// each meets the plans, short cuts and compiled code that others left: aligned tensors and others, strides of
// 1, numbers that are 1 or multiples of 16, types, tensors that overlap, bound arguments that change.
func TestSequence(t *testing.T) {
	m, err := nereid.Parse("sequence.py", []byte(sequenceKernels), nereid.With(nereid.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	for device, launches := range map[string]int{"interp": 100, "cpu": 300, "sim:90": 150} {
		t.Run(device, func(t *testing.T) {
			t.Parallel()
			dev := txtest.Device(t, device, nereid.OpenDevice)
			k, err := m.Kernel("move")
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(7, 31))
			pool := make([]sequenceLaunch, 24)
			for i := range pool {
				pool[i] = drawSequence(r)
			}
			run := &sequence{k: k, dev: dev, s: txtest.Open(t, dev.NewStream, t.Context())}
			for i := range launches {
				l := pool[r.IntN(len(pool))]
				if r.IntN(4) == 0 { // a neighbour of an earlier one: one thing differs
					other := drawSequence(r)
					switch r.IntN(4) {
					case 0:
						l.a = other.a
					case 1:
						l.from = other.from
					case 2:
						l.sy = other.sy
					case 3:
						l.flip, l.warps = other.flip, other.warps
					}
				}
				l.inPlace = l.inPlace && device != "sim:90" // whose threads are in no order
				if err := run.once(l, i); err != nil {
					t.Fatalf("launch %d, %+v: %v", i, l, err)
				}
			}
		})
	}
}

// sequence runs launches on a device.
type sequence struct {
	k   *nereid.Kernel
	dev *nereid.Device
	s   *nereid.Stream
}

// once runs a launch and compares all memory.
func (q *sequence) once(l sequenceLaunch, number int) error {
	x, y := make([]int64, sequenceRoom), make([]int64, sequenceRoom)
	for i := range x {
		x[i], y[i] = int64(i*7%101+number), -1
	}
	from, err := q.upload(x, l.wide)
	if err != nil {
		return err
	}
	defer from.Close()
	to, size := from, 4
	if !l.inPlace {
		if to, err = q.upload(y, l.wide); err != nil {
			return err
		}
		defer to.Close()
	} else {
		y = x
	}
	if l.wide {
		size = 8
	}
	grid := nereid.Grid{(l.n+l.block-1)/l.block + l.more}
	args := []any{from.Offset(l.from * size), to.Offset(l.to * size), l.n, l.sx, l.sy, l.a, l.flip, l.block,
		nereid.Options{NumWarps: l.warps}}
	if err := q.launch(grid, args, number); err != nil {
		return err
	}
	l.want(x, y)
	for name, have := range map[string]struct {
		t    *nereid.Tensor
		want []int64
	}{"x": {from, x}, "y": {to, y}} {
		if err := sameNumbers(have.t, have.want); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// launch launches the kernel, at times with bound arguments.
func (q *sequence) launch(grid nereid.Grid, args []any, number int) error {
	if number%3 != 2 {
		if err := q.k.Launch(q.s, grid, args...); err != nil {
			return err
		}
		return q.s.Sync()
	}
	b, err := q.k.Bind(q.s, args...)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := b.Launch(grid); err != nil {
		return err
	}
	return q.s.Sync()
}

// upload makes a tensor of numbers.
func (q *sequence) upload(data []int64, wide bool) (*nereid.Tensor, error) {
	dt := nereid.Int32
	if wide {
		dt = nereid.Int64
	}
	t, err := nereid.NewTensor(q.dev, dt, len(data))
	if err != nil {
		return nil, err
	}
	raw := make([]byte, len(data)*dt.Size())
	for i, v := range data {
		for j := range dt.Size() {
			raw[i*dt.Size()+j] = byte(v >> (8 * j))
		}
	}
	return t, t.CopyBytesFrom(raw)
}

// sameNumbers compares a tensor with numbers.
func sameNumbers(t *nereid.Tensor, want []int64) error {
	size := t.DType.Size()
	raw := make([]byte, len(want)*size)
	if err := t.CopyBytesTo(raw); err != nil {
		return err
	}
	for i, w := range want {
		for j := range size {
			if raw[i*size+j] != byte(w>>(8*j)) {
				return fmt.Errorf("element %d has other bytes than %d", i, w)
			}
		}
	}
	return nil
}
