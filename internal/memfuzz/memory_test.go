package memfuzz

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/txtest"
)

var (
	countFlag   = flag.Int("n", envCount(), "how many kernels TestMemory runs; NEREID_MEMFUZZ sets it, too")
	seedFlag    = flag.Uint64("seed", 1, "the seed of the kernels")
	firstFlag   = flag.Uint64("first", 0, "the first kernel of the seed")
	devicesFlag = flag.String("devices", "cpu,sim",
		"the devices to compare with the interpreter; sim is sim:90 and sim:80 in turn")
	workersFlag = flag.Int("workers", runtime.GOMAXPROCS(0), "how many kernels run at a time")
	timeFlag    = flag.Duration("time", 0, "when to end, however many kernels have run")
	shrinkFlag  = flag.Int("shrink", 600, "how many smaller kernels to try for each that differs")
	traceFlag   = flag.Bool("trace", false,
		"print the number of each kernel before it runs, to find one that ends the process")
	stopFlag = flag.Int("stop", 10, "how many differences to look for; 0 for all")
)

// envCount is the number of kernels that the environment asks for, or a few seconds' worth.
func envCount() int {
	if n, err := strconv.Atoi(os.Getenv("NEREID_MEMFUZZ")); err == nil {
		return n
	}
	return usualCount
}

const usualCount = 150

// TestMemory runs random kernels on all devices and compares memory. CI runs a few of them.
//
//	NEREID_MEMFUZZ=50000 go test ./internal/memfuzz -run TestMemory -timeout 0 -args -seed 7 -devices cpu,sim
func TestMemory(t *testing.T) { compareAll(t, *countFlag, false) }

// TestValues runs random kernels that compute.
//
//	NEREID_MEMFUZZ=5000 go test ./internal/memfuzz -run TestValues -timeout 0 -args -devices sim:90
func TestValues(t *testing.T) {
	count := *countFlag
	if count == usualCount {
		count = 50
	}
	compareAll(t, count, true)
}

func compareAll(t *testing.T, count int, values bool) {
	t.Helper()
	o := Options{
		Seed: *seedFlag, Values: values, First: *firstFlag, Count: count, Workers: *workersFlag,
		Time: *timeFlag, Shrink: *shrinkFlag, Stop: *stopFlag,
		Devices: here(t, strings.Split(*devicesFlag, ",")),
		Report:  func(f *Finding) { t.Errorf("%v", f) },
	}
	if *traceFlag {
		o.Begin = func(i uint64) { fmt.Fprintln(os.Stderr, "kernel", i) }
	}
	start := time.Now()
	ran, found, err := Run(t.Context(), o)
	if err != nil {
		t.Error(err)
	}
	took := time.Since(start)
	t.Logf("%d kernels on interp, %s: %d differences, %.1f s, %.0f kernels/s",
		ran, strings.Join(o.Devices, ", "), len(found), took.Seconds(), float64(ran)/took.Seconds())
}

// here returns the devices, all of which the test needs.
func here(t *testing.T, names []string) []string {
	t.Helper()
	for _, n := range names {
		txtest.Device(t, n, func(name string) ([][]*Device, error) { return openAll([]string{name}) })
	}
	return names
}

// TestCorpus runs the kernels that once differed.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.py")
	if err != nil || len(files) == 0 {
		t.Fatal("no files in testdata", err)
	}
	judge, err := NewJudge()
	if err != nil {
		t.Fatal(err)
	}
	var devices []*Device
	for _, turns := range must(openAll(here(t, []string{"cpu", "sim", "sim:gfx942"}))) {
		devices = append(devices, turns...)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".py"), func(t *testing.T) {
			t.Parallel()
			c, err := ReadCase(string(must(os.ReadFile(file))))
			if err != nil {
				t.Fatal(err)
			}
			diffs, err := judge.Compare(t.Context(), c, devices...)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range diffs {
				t.Error(d)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
