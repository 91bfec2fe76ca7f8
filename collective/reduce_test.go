package collective

import (
	"encoding/binary"
	"errors"
	"math"
	"net"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid/run"
)

// bytesOfAll returns the bytes of numbers of a type.
func bytesOfAll(dt run.DType, list ...float64) (data []byte) {
	for _, v := range list {
		data = append(data, binary.LittleEndian.AppendUint64(nil, dt.Encode(v))[:dt.Size()]...)
	}
	return data
}

// TestAccumulators: elements of all ranks become one in the type's own way, also where there are more ranks
// than the type can count, and in a part that is shorter than the one before.
func TestAccumulators(t *testing.T) {
	for _, c := range []struct {
		dt    run.DType
		op    Op
		ranks int
		each  float64 // the element of every rank
		want  float64
	}{
		{run.Int8, Avg, 200, 0, 0}, {run.Int8, Sum, 100, -1, -100}, {run.Int8, Avg, 3, -5, -5},
		{run.Int8, Avg, 256, 1, 0}, {run.Uint8, Avg, 256, 0, 0}, {run.Uint8, Avg, 300, 1, 0},
		{run.Int16, Avg, 1 << 16, 0, 0}, {run.Int64, Avg, 3, -7, -7}, {run.Uint16, Max, 3, 7, 7},
		{run.Float16, Sum, 3, 0.5, 1.5}, {run.BFloat16, Prod, 3, 2, 8}, {run.Float8E5, Avg, 4, 1.5, 1.5},
		{run.Float32, Min, 2, -3, -3}, {run.Float64, Avg, 4, 0.25, 0.25}, {run.Bool, Max, 2, 1, 1},
	} {
		acc := newAccumulator(c.dt, c.op, c.ranks)
		for _, n := range []int{3, 2} {
			v := bytesOfAll(c.dt, slices.Repeat([]float64{c.each}, n)...)
			for range c.ranks {
				acc.add(v)
			}
			got := make([]byte, len(v))
			acc.store(got)
			if want := bytesOfAll(c.dt, slices.Repeat([]float64{c.want}, n)...); !slices.Equal(got, want) {
				t.Errorf("%s of %v of %d ranks, %s: %v, not %v", c.op, c.each, c.ranks, c.dt, got, want)
			}
		}
	}
}

// TestBF16: a float is rounded to the nearest bfloat16, ties to even, and a NaN stays one.
func TestBF16(t *testing.T) {
	for bits, want := range map[uint32]uint16{
		0x3f800000: 0x3f80, 0x3f808000: 0x3f80, 0x3f818000: 0x3f82, 0x3f808001: 0x3f81, 0x3f817fff: 0x3f81,
		0xbf818000: 0xbf82, 0x7f7fffff: 0x7f80, 0x7f800000: 0x7f80, 0x00008000: 0, 0x00018000: 2,
	} {
		if got := bf16(math.Float32frombits(bits)); got != want {
			t.Errorf("%#x is rounded to %#x, not %#x", bits, got, want)
		}
	}
	for _, bits := range []uint32{0x7f800001, 0xff800001, 0x7fc00000, 0x7fffffff} {
		if got := bf16(math.Float32frombits(bits)); got&0x7f80 != 0x7f80 || got&0x7f == 0 {
			t.Errorf("the NaN %#x becomes %#x", bits, got)
		}
	}
}

// TestDisagreement: ranks whose operations differ in anything are told, and nothing is reduced.
func TestDisagreement(t *testing.T) {
	want := header{kind: allReduce, op: Sum, dt: run.Float32, peer: 1, call: 7, count: 64}
	for what, change := range map[string]func(*header){
		"":     func(*header) {},
		"kind": func(h *header) { h.kind = reduce },
		"op":   func(h *header) { h.op = Max },
		"type": func(h *header) { h.dt = run.Int32 }, "root": func(h *header) { h.peer = 2 },
		"number": func(h *header) { h.call = 8 }, "size": func(h *header) { h.count = 32 },
	} {
		a, b := net.Pipe()
		sent := want
		change(&sent)
		go func() {
			_ = (&link{Conn: a}).write(&sent, nil)
		}()
		err := (&link{Conn: b, rank: 3}).expect(&want)
		var of *RankError
		if what == "" && err != nil || what != "" && (!errors.As(err, &of) || of.Rank != 3) {
			t.Errorf("another %s: %v", what, err)
		}
		a.Close()
		b.Close()
	}
}
