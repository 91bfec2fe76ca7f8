package conform

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestConformCPU runs a part of the cases on the CPU, another part at each commit, and those that always run.
// All of them: NEREID_TEST_PART=all.
func TestConformCPU(t *testing.T) {
	chosen, always := txtest.Sample(t, 48), chosenFor("cpu")
	dev := txtest.Device(t, "cpu", nereid.OpenDevice)
	var some []*testCase
	for i, c := range all() {
		if (chosen(i) || always[c.name]) && !c.refused && !c.compile {
			some = append(some, c)
		}
	}
	parallel(t, some, func(t *testing.T, c *testCase) {
		if err := c.run(dev); err != nil {
			t.Errorf("%v\n%s", err, c.show())
		}
	})
}

// TestKeptOperands multiplies by matrices that lie where those of the launch before lay, with other numbers,
// from several goroutines at once. Threads of the CPU keep the right operands that they have packed, which
// must serve one launch alone.
func TestKeptOperands(t *testing.T) {
	dev := txtest.Device(t, "cpu", nereid.OpenDevice)
	_, k := products(t, nereid.Config{Dump: t.TempDir()})
	if err := multiplyOften(t, k, dev, 0); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for worker := range 3 {
		wg.Go(func() {
			if err := multiplyOften(t, k, dev, worker); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// multiplyOften multiplies by 64 columns, which all programs share, and in every third round overwrites them
// with the product of one program, which has read them before.
func multiplyOften(t *testing.T, k *nereid.Kernel, dev *nereid.Device, worker int) error {
	const cols = 64
	x, y := newArray(f16, 256*cols), newArray(f16, cols*cols)
	a, b, c := lend(t, dev, x), lend(t, dev, y), lend(t, dev, x)
	s := txtest.Open(t, dev.NewStream, t.Context())
	for round := range 9 {
		rows, out := 256, c
		if round%3 == 2 {
			rows, out = cols, b
		}
		for i := range x.bits {
			x.setFloat(i, float64((i*7+round)%5-2))
		}
		for i := range y.bits {
			y.setFloat(i, float64((i*3+round*(worker+1))%7-3))
		}
		if err := errors.Join(write(a, x), write(b, y)); err != nil {
			return err
		}
		err := k.Launch(s, nereid.Grid{rows / 64}, a, b, out, rows, cols, cols, cols, 1, cols, 1, cols, 1,
			64, 64, 32, 8, "", nereid.Options{})
		if err := errors.Join(err, s.Sync()); err != nil {
			return err
		}
		if got := bytesOf(t, out)[:2*rows*cols]; !bytes.Equal(got, productOf(x, y, rows, cols)) {
			return fmt.Errorf("goroutine %d, round %d: the product is wrong", worker, round)
		}
	}
	return nil
}

// write fills a tensor that lend has made.
func write(to *nereid.Tensor, a array) error {
	return to.CopyBytesFrom(append(a.bytes(), make([]byte, pad*a.dt.size())...))
}

// productOf returns the bytes of the product of matrices, rows×n and n×n, whose sums are exact.
func productOf(x, y array, rows, n int) []byte {
	out := newArray(x.dt, rows*n)
	sums, right := make([]float64, n), make([]float64, n*n)
	for i := range right {
		right[i] = y.float(i)
	}
	for i := range rows {
		clear(sums)
		for k := range n {
			f := x.float(i*n + k)
			for j := range n {
				sums[j] += f * right[k*n+j]
			}
		}
		for j, v := range sums {
			out.setFloat(i*n+j, v)
		}
	}
	return out.bytes()
}
