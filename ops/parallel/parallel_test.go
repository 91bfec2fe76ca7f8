package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/collective"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
	"github.com/nereid-lang/nereid/ops/parallel"
)

// ranks runs f for each rank of a communicator on the CPU, in goroutines.
func ranks(t *testing.T, n int, f func(s *ops.Stream, c *collective.Comm) error) {
	t.Helper()
	dev := txtest.Device(t, "cpu", nereid.OpenDevice)
	list := make([]*nereid.Device, n)
	for i := range list {
		list[i] = dev
	}
	comms, err := collective.Local(t.Context(), list...)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i, c := range comms {
		wg.Go(func() {
			stream, err := dev.NewStream(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			s := ops.On(stream)
			if err := errors.Join(f(s, c), s.Close(), c.Close(), stream.Close()); err != nil {
				t.Errorf("rank %d of %d: %v", i, n, err)
			}
		})
	}
	wg.Wait()
}

// random returns numbers from -1 to 1.
func random(dt nereid.DType, seed uint64, shape ...int) *nereid.Tensor {
	x := nereid.Rand(nereid.Float32, seed, shape...)
	v, _ := nereid.AsSlice[float32](x)
	for i := range v {
		v[i] = 2*v[i] - 1
	}
	return nereid.FromFloats(dt, v, shape...)
}

// TestProducts: a layer split by columns and the next one split by rows, on 2 and 4 ranks, are the layers of
// one rank; every rank has the same bits.
func TestProducts(t *testing.T) {
	const m, k, n = 5, 64, 96
	for _, dt := range []nereid.DType{nereid.Float32, nereid.BFloat16} {
		// Up to four products of bf16, of up to 8 each, are rounded before they are added.
		tolerance := map[nereid.DType]float64{nereid.Float32: 1e-5, nereid.BFloat16: 8e-2}[dt]
		x, w1, w2 := random(dt, 1, m, k), random(dt, 2, k, n), random(dt, 3, n, k)
		bias := random(dt, 4, k)
		for _, size := range []int{2, 4} {
			results := make([]*nereid.Tensor, size)
			ranks(t, size, func(s *ops.Stream, c *collective.Comm) error {
				want := ops.MatMul(s, ops.MatMul(s, x, w1, ops.ThenGELU), w2, ops.Bias(bias), ops.Plus(x))
				h := parallel.Columns(s, x, parallel.SplitColumns(c, w1), ops.ThenGELU)
				y := parallel.Rows(s, c, h, parallel.SplitRows(c, w2), parallel.Bias(bias), parallel.Plus(x))
				whole := parallel.GatherColumns(s, c, h)
				err := errors.Join(y.Err(), nereid.AllClose(y, want, tolerance, tolerance),
					nereid.AllClose(whole, ops.MatMul(s, x, w1, ops.ThenGELU), tolerance, tolerance))
				if err == nil {
					results[c.Rank()], err = y.To(nil)
				}
				return err
			})
			for i, y := range results[1:] {
				if err := nereid.AllClose(y, results[0], 0, 0); err != nil {
					t.Errorf("%s: rank %d has other results than rank 0: %v", dt, i+1, err)
				}
			}
		}
	}
}

// TestQuantized: weights in blocks are split between blocks, and never within one.
func TestQuantized(t *testing.T) {
	const m, rows, cols = 3, 32, 256
	for _, f := range []ops.Format{ops.Q4_1, ops.Q8_0} {
		data, _ := nereid.AsSlice[uint8](nereid.Rand(nereid.Uint8, 7, f.Bytes(rows, cols)))
		_, block := f.Block()
		for i := 0; i < len(data); i += block {
			data[i], data[i+1] = 0, 0x20 // a scale of 1/128
			if f == ops.Q4_1 {
				data[i+2], data[i+3] = 0, 0xa4 // a minimum of -1/64
			}
		}
		x, plus := random(nereid.Float32, 5, m, cols), random(nereid.Float32, 6, m, rows)
		for _, size := range []int{2, 4} {
			ranks(t, size, func(s *ops.Stream, c *collective.Comm) error {
				whole := ops.Quantized{Format: f, Rows: rows, Cols: cols, Data: nereid.FromSlice(data)}
				want := ops.MatMulQuantized(s, x, whole, ops.Plus(plus))
				part, err := parallel.SplitInputs(c.Rank(), size, f, rows, cols, data)
				if err != nil {
					return err
				}
				mine := ops.Quantized{Format: f, Rows: rows, Cols: cols / size, Data: nereid.FromSlice(part)}
				h, err := parallel.SplitColumns(c, x).To(nil)
				if err != nil {
					return err
				}
				y := parallel.RowsQuantized(s, c, h, mine, parallel.Plus(plus))
				return errors.Join(y.Err(), nereid.AllClose(y, want, 1e-4, 1e-4))
			})
		}
	}
}

// TestSplit: parts that are not whole are errors which say so.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(parallel.SplitInputs(0, 2, ops.Q4_K, 4, 256, nil)),
			"rows of 256 weights in blocks of 256 (Q4_K) cannot be split over 2 ranks"},
		{second(parallel.SplitInputs(0, 3, ops.Q4_1, 4, 64, nil)), "blocks of 32 (Q4_1) cannot be split over 3"},
		{second(parallel.SplitInputs(0, 2, ops.Q4_1, 4, 64, make([]byte, 3))), "has 160 bytes, not 3"},
		{part(2, 2, 8, 1), "rank 2 of 2"},
		{part(0, 3, 8, 1), "8 are not 3 equal parts"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
	ranks(t, 2, func(s *ops.Stream, c *collective.Comm) error {
		odd := random(nereid.Float32, 1, 3, 3)
		for _, w := range []*nereid.Tensor{parallel.SplitColumns(c, odd), parallel.SplitRows(c, odd),
			parallel.SplitRows(c, random(nereid.Float32, 1, 4))} {
			if w.Err() == nil {
				return fmt.Errorf("a part of %v", w.Shape)
			}
			if y := parallel.Rows(s, c, odd, w); y.Err() == nil {
				return errors.New("a product with a part that there is not")
			}
		}
		return nil
	})
}

func second(_ []byte, err error) error { return err }

func part(rank, ranks, n, unit int) error {
	_, _, err := parallel.Part(rank, ranks, n, unit)
	return err
}
