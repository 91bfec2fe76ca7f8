package bench

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/kernels"
)

// BenchmarkChecked reports how many times as long the kernels take in checked mode on the CPU, or on the
// device that NEREID_TEST_DEVICE names. A kernel is launched both ways in turn, and the shortest launch of
// each counts: other work on the machine makes launches longer, the long ones above all, and none shorter.
//
//	go test ./internal/bench -run '^$' -bench Checked -cpu 1
func BenchmarkChecked(b *testing.B) {
	name := cmp.Or(os.Getenv("NEREID_TEST_DEVICE"), "cpu")
	dev := txtest.Device(b, name, nereid.OpenDevice)
	s := &Suite{Device: dev, Small: name == "cpu", Out: io.Discard}
	s.Only = slices.DeleteFunc(s.Names(), func(name string) bool {
		return name == "compile" || name == "launch"
	})
	seen := map[string]bool{}
	s.timer = func(file, kernel string, grid nereid.Grid, args ...any) (time.Duration, error) {
		first := args[0].(*nereid.Tensor)
		name := fmt.Sprint(kernel, " ", first.DType, first.Shape)
		if seen[name] { // options of the launch, which the CPU does not have
			return 1, nil
		}
		seen[name] = true
		var launch [2]func() error
		for i := range launch {
			k, err := loadChecked(file, kernel, i == 1)
			if err != nil {
				return 0, err
			}
			launch[i] = func() error {
				return errors.Join(k.Launch(s.stream, grid, args...), s.stream.Sync())
			}
		}
		b.Run(name, func(b *testing.B) { compareLaunches(b, launch[0], launch[1]) })
		return 1, nil
	}
	if err := s.Run(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// loadChecked loads a kernel, in checked mode or not.
func loadChecked(file, kernel string, check bool) (*nereid.Kernel, error) {
	m, err := nereid.LoadFS(kernels.Files, file, nereid.With(nereid.Config{Check: check}))
	if err != nil {
		return nil, err
	}
	return m.Kernel(kernel)
}

// compareLaunches launches two kernels in turn and reports the shortest time of each and their ratio.
func compareLaunches(b *testing.B, x, y func() error) {
	for _, f := range []func() error{x, y, x, y} { // compiles, and learns what a program costs
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
	best := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		for i, f := range []func() error{x, y} {
			start := time.Now()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			best[i] = min(best[i], time.Since(start))
		}
	}
	b.ReportMetric(1e6*best[0].Seconds(), "µs-unchecked")
	b.ReportMetric(1e6*best[1].Seconds(), "µs-checked")
	b.ReportMetric(best[1].Seconds()/best[0].Seconds(), "times")
}
