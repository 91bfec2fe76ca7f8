package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
)

// Start is a process from its start to its end, measured: one that initialises the device and no more, and
// one that goes on to the first result of softmax, with its kernel in the cache.
type Start struct {
	Self   []string // the command that runs Begin in a process of its own; what to begin is added
	Out    io.Writer
	Rounds int // processes of each kind; 0: 11
}

// StartRow is a kind of process.
type StartRow struct {
	Kernel string      `json:"kernel"` // "start"
	What   string      `json:"what"`
	Unit   string      `json:"unit"`
	Nereid float64     `json:"nereid"`         // median from start to end
	Low    float64     `json:"low"`            // quartiles
	High   float64     `json:"high"`           //
	Over   float64     `json:"over,omitempty"` // the device alone
	Steps  []StartStep `json:"steps,omitempty"`
}

// StartStep is a part of it, by the process's own clock: of the process with the median time.
type StartStep struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"`
}

// What a process can begin.
const (
	StartDevice  = "device"
	StartSoftmax = "softmax"
)

// Run measures, the two kinds in turn.
func (s *Start) Run() error {
	rounds := s.Rounds
	if rounds == 0 {
		rounds = 11
	}
	if _, _, err := s.one(StartSoftmax); err != nil { // fills the cache
		return err
	}
	kinds := []string{StartDevice, StartSoftmax}
	type sample struct {
		ms    float64
		steps []StartStep
	}
	samples := map[string][]sample{}
	for range rounds {
		for _, what := range kinds {
			ms, report, err := s.one(what)
			if err != nil {
				return err
			}
			if what == StartSoftmax && !report.Found {
				return fmt.Errorf("the kernel is not in the cache: is NEREID_CACHE off, or the folder not " +
					"writable?")
			}
			samples[what] = append(samples[what], sample{ms, report.Steps})
		}
	}
	device := 0.0
	for _, what := range kinds {
		list := samples[what]
		slices.SortFunc(list, func(a, b sample) int {
			if a.ms < b.ms {
				return -1
			}
			return 1
		})
		mid := list[len(list)/2]
		row := StartRow{
			Kernel: "start", What: "process: " + what, Unit: "ms", Nereid: mid.ms, Low: list[len(list)/4].ms,
			High: list[len(list)*3/4].ms, Steps: mid.steps,
		}
		if what == StartDevice {
			device = mid.ms
		} else {
			row.Over = mid.ms - device
		}
		line, err := json.Marshal(row)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.Out, "%s\n", line)
	}
	return nil
}

// one is the time of one process, and what it says.
func (s *Start) one(what string) (ms float64, r startReport, err error) {
	cmd := exec.Command(s.Self[0], append(slices.Clone(s.Self[1:]), what)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	err = cmd.Run()
	took := time.Since(begin)
	if err != nil {
		return 0, r, fmt.Errorf("%s: %w\n%s", cmd, err, errs.Bytes())
	}
	return float64(took.Microseconds()) / 1000, r, json.Unmarshal(out.Bytes(), &r)
}

// startReport is what a process says of itself.
type startReport struct {
	Found bool        `json:"found"` // the kernel was in the cache
	Steps []StartStep `json:"steps"`
}

// Begin is what such a process does.
func Begin(device, what string, out io.Writer) error {
	var r startReport
	last := time.Now()
	step := func(name string) {
		now := time.Now()
		r.Steps = append(r.Steps, StartStep{name, float64(now.Sub(last).Microseconds()) / 1000})
		last = now
	}
	dev, err := nereid.OpenDevice(device)
	if err != nil {
		return err
	}
	step("open the device")
	s, err := dev.NewStream(context.Background())
	if err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	step("make its context")
	if what == StartSoftmax {
		if r.Found, err = firstResult(s, step); err != nil {
			return err
		}
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", line)
	return nil
}

// firstResult launches softmax and looks at what it gives.
func firstResult(s *nereid.Stream, step func(string)) (found bool, err error) {
	c := Softmax(16, 1000)
	conf := nereid.EnvConfig()
	conf.Hooks.AfterCompile = func(_ nereid.Variant, _ time.Duration, hit bool, _ error) { found = hit }
	m, err := nereid.LoadFS(kernels.Files, c.File, nereid.With(conf))
	if err != nil {
		return found, err
	}
	k, err := m.Kernel(c.Kernel)
	if err != nil {
		return found, err
	}
	step("read the kernel's file")
	if err := k.Launch(s, c.Grid, c.Args...); err != nil {
		return found, err
	}
	if err := s.Sync(); err != nil {
		return found, err
	}
	step("find the kernel and launch it")
	if strings.HasPrefix(s.Device().Info(), "Stub,") { // package stub's driver computes nothing
		return found, nil
	}
	_, err = c.Check(20)
	return found, err
}
