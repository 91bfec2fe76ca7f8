package nereid_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
)

const three = "BLOCK: 16, num_warps: 4; BLOCK: 32, num_warps: 4; BLOCK: 64, num_warps: 4"

// kept is the records of a folder as text.
func kept(t *testing.T, dir string) (text string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text += string(data)
	}
	return text
}

// A caller that gives up in the middle is no config's fault: what was measured is kept, the rest is
// measured by the next.
func TestTuneCancelled(t *testing.T) {
	for _, journal := range []bool{false, true} {
		dir := t.TempDir()
		o := nereid.TuneOptions{Dir: dir, Journal: journal}
		x := newTuned(t, "@triton.autotune("+two+")", o)
		ctx, cancel := context.WithCancel(t.Context())
		s, err := x.s.Device().NewStream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		conf := nereid.Config{Tune: o}
		conf.Tune.Warmup, conf.Tune.Rep = time.Microsecond, 100*time.Microsecond
		conf.Tune.Progress = func(nereid.Tuned) {
			if done++; done == 2 {
				cancel()
			}
		}
		m, err := nereid.Parse("k.py", []byte(tuneHead+"@triton.autotune("+two+")"+tuneBody),
			nereid.With(conf))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		err = k.Launch(s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "k is not tuned yet") {
			t.Errorf("error: %v", err)
		}
		if text := kept(t, dir); strings.Contains(text, "failed") || strings.Count(text, `"config"`) != 2 {
			t.Errorf("kept with journal %v: %s", journal, text)
		}
		x.launch(64)
		x.expect("BLOCK: 64, num_warps: 4")
	}
}

// Whoever waits for another's tuning can give up.
func TestTuneWaits(t *testing.T) {
	x := newTuned(t, "@triton.autotune("+two+")", nereid.TuneOptions{})
	hold, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	slow, err := nereid.Parse("k.py", []byte(tuneHead+"@triton.autotune("+two+")"+tuneBody),
		nereid.With(nereid.Config{Tune: nereid.TuneOptions{
			Rep: time.Microsecond, Progress: func(nereid.Tuned) { once.Do(func() { close(held) }); <-hold },
		}}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := slow.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(hold)
	wg.Go(func() {
		if err := k.Launch(x.s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64); err != nil {
			t.Error(err)
		}
	})
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	s, err := x.s.Device().NewStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.k.Launch(s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("error: %v", err)
	}
}

// A tuning that had too little time is not done again and again; one with time enough measures what is
// missing.
func TestTuneBudgetKept(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		budget time.Duration
		want   string
	}{
		{time.Nanosecond, "BLOCK: 16, num_warps: 4"},
		{time.Nanosecond, ""},
		{0, "BLOCK: 32, num_warps: 4; BLOCK: 64, num_warps: 4"},
		{0, ""},
		{time.Nanosecond, ""},
	} {
		x := newTuned(t, "@triton.autotune("+two+")", nereid.TuneOptions{Dir: dir, Budget: c.budget})
		x.launch(64)
		x.expect(c.want)
	}
}

// What a tuning has no time for is not compiled, either.
func TestTuneBudgetCompiles(t *testing.T) {
	compiled := make(chan string, 200)
	src := tuneHead + `
@triton.autotune(configs=[triton.Config({"BLOCK": 16, "EXTRA": e}) for e in range(100)], key=["n"])` +
		tuneBody
	m, err := nereid.Parse("k.py", []byte(src), nereid.With(nereid.Config{
		Tune: nereid.TuneOptions{Warmup: time.Microsecond, Rep: time.Microsecond, Budget: time.Nanosecond},
		Hooks: nereid.Hooks{BeforeCompile: func(context.Context, nereid.Variant) error {
			time.Sleep(5 * time.Millisecond)
			return nil
		}, AfterCompile: func(v nereid.Variant, _ time.Duration, _ bool, err error) {
			if err == nil {
				compiled <- v.Signature
			}
		}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(stream(t, "interp"), tuneGrid, nereid.FromSlice(make([]float32, 64)), 64); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // enough for 40 more on two cores
	if n := len(compiled); n > 20 {
		t.Errorf("%d configs were compiled, one was measured", n)
	}
}

// What one program refuses to compile, others may want: its refusal is not kept.
func TestTuneVeto(t *testing.T) {
	dir := t.TempDir()
	refuse := errors.New("not this one")
	m, err := nereid.Parse("k.py", []byte(tuneHead+"@triton.autotune("+two+")"+tuneBody),
		nereid.With(nereid.Config{
			Tune: nereid.TuneOptions{Dir: dir, Rep: 100 * time.Microsecond, Warmup: time.Microsecond},
			Hooks: nereid.Hooks{BeforeCompile: func(_ context.Context, v nereid.Variant) error {
				if strings.Contains(v.Signature, "32, 0") {
					return refuse
				}
				return nil
			}},
		}))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	x := newTuned(t, "@triton.autotune("+two+")", nereid.TuneOptions{Dir: dir})
	if err := k.Launch(x.s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64); err != nil {
		t.Fatal(err)
	}
	if text := kept(t, dir); strings.Contains(text, "not this one") || strings.Count(text, `"config"`) != 2 {
		t.Errorf("kept: %s", text)
	}
	x.launch(64)
	x.expect("BLOCK: 32, num_warps: 4")
}

// Times kept by one user's program are read by another's.
func TestTuneReadable(t *testing.T) {
	dir := t.TempDir()
	x := newTuned(t, "@triton.autotune("+two+")", nereid.TuneOptions{Dir: dir})
	x.launch(64)
	x.expect(three)
	files, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o044 != 0o044 {
			t.Error(info.Mode(), err)
		}
	}
}

// A decorator's warmup and rep are how long a config is measured, whatever the options say.
func TestTuneRep(t *testing.T) {
	x := newTuned(t, "@triton.autotune("+two+", warmup=40, rep=40)", nereid.TuneOptions{})
	begin := time.Now()
	x.launch(64)
	if took := time.Since(begin); took < 80*time.Millisecond {
		t.Errorf("tuned in %v", took)
	}
}

// tuneChild is a process of TestTuneProcesses: it prints how many configs it measured, and the choice.
func tuneChild(dir string) {
	measured := 0
	conf := nereid.Config{Tune: nereid.TuneOptions{
		Dir: dir, Rep: time.Millisecond, Warmup: time.Microsecond,
		Progress: func(nereid.Tuned) { measured++ },
		Done: func(best string, all []nereid.Tuned) {
			fmt.Printf("%d of %d measured, chose %s\n", measured, len(all), best)
		},
	}}
	t := &childT{}
	k := kernelOf(t, "k.py", tuneHead+"@triton.autotune("+two+")"+tuneBody, "k", nereid.With(conf))
	if err := k.Launch(stream(t, "interp"), tuneGrid, nereid.FromSlice(make([]float32, 64)), 64); err != nil {
		fmt.Println(err)
	}
}

// Processes that need a choice at the same time measure each config once between them, and make the same
// choice.
func TestTuneProcesses(t *testing.T) {
	dir := t.TempDir()
	outs := make([]string, 6)
	var wg sync.WaitGroup
	for i := range outs {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "NEREID_TEST_TUNE="+dir)
		wg.Go(func() {
			out, err := cmd.CombinedOutput()
			if outs[i] = string(out); err != nil {
				t.Error(err, outs[i])
			}
		})
	}
	wg.Wait()
	choices, measured := map[string]int{}, 0
	for _, out := range outs {
		n, choice, ok := strings.Cut(out, " of 3 measured, ")
		count, err := strconv.Atoi(n)
		if !ok || err != nil {
			t.Errorf("a process says %q", out)
		}
		measured += count
		choices[choice]++
	}
	if measured != 3 || len(choices) != 1 {
		t.Errorf("%d measurements, choices %v", measured, choices)
	}
}
