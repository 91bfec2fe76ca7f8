package selftest

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// device opens a device; those that compile need LLVM.
func device(t *testing.T, name string) *nereid.Device {
	t.Helper()
	if name != "interp" {
		txtest.LLVMTool(t, "opt")
	}
	dev, err := nereid.OpenDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	return dev
}

// TestKinds runs some configs of every kind on every sort of device.
func TestKinds(t *testing.T) {
	for name, configs := range map[string]int{"interp": 12, "cpu": 2, "sim:90": 3, "sim:gfx942": 2,
		"sim:gfx1100": 2} {
		for _, k := range kinds {
			configs := configs
			if name == "sim:90" && k.name == "edges" {
				configs *= 4 // its copy engine is what knows of edges
			}
			t.Run(name+"/"+k.name, func(t *testing.T) {
				t.Parallel()
				sum, err := Run(t.Context(), Options{Device: device(t, name), Seed: 1, Configs: configs,
					Runs: 2, Jobs: 1, Only: []string{k.name}})
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range sum.Failures {
					t.Error(f)
				}
				if total := sum.Total(); total.Configs != configs || total.Refused == configs {
					t.Errorf("%+v: want %d configs that are not all refused", total, configs)
				}
			})
		}
	}
}

// planted returns a run of one config on the interpreter with a kind that a fault was planted in.
func planted(t *testing.T, k kind) Failure {
	t.Helper()
	k.name = "planted"
	kinds = append(kinds, &k)
	defer func() { kinds = kinds[:len(kinds)-1] }()
	sum, err := Run(t.Context(), Options{Device: device(t, "interp"), Seed: 1, Configs: 1, Runs: 3,
		Only: []string{"planted"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(sum.Failures) != 1 {
		t.Fatalf("%d failures: want 1", len(sum.Failures))
	}
	return sum.Failures[0]
}

// TestWrong plants a reference that differs in one element: all runs must be found wrong, and alike.
func TestWrong(t *testing.T) {
	f := planted(t, kind{file: "copies.py", weight: 1, draw: drawCopy, work: func(e *env,
		c Config) (*work, error) {
		w, err := copyWork(e, c)
		if err == nil {
			w.outs[0].want.bytes[1] ^= 1
		}
		return w, err
	}})
	if f.Wrong != 3 || f.Outcomes != 1 || f.Elements != 1 || !strings.Contains(f.First, "first element 0") {
		t.Errorf("%+v: want 3 wrong runs with one result, 1 element", f)
	}
	if !strings.Contains(f.Repeat(), "--only planted --seed 1 --runs 3 --config rows=") {
		t.Errorf("the command %q does not repeat it", f.Repeat())
	}
}

// TestUnsteady plants a kernel that leaves something else at each run.
func TestUnsteady(t *testing.T) {
	f := planted(t, kind{file: "copies.py", weight: 1, draw: drawCopy, work: unsteady})
	if f.Wrong != 3 || f.Outcomes != 3 || !strings.Contains(f.String(), "with 3 different results") {
		t.Errorf("%+v: want 3 wrong runs with 3 results", f)
	}
}

// unsteady makes the work of a kernel that adds to a counter which nothing resets.
func unsteady(e *env, c Config) (*work, error) {
	counter, err := upload(e.dev, nereid.Int32, make([]byte, 4))
	if err != nil {
		return nil, err
	}
	e.owned = append(e.owned, counter)
	want, err := e.image(binary.LittleEndian.AppendUint32(nil, 77))
	if err != nil {
		return nil, err
	}
	o, err := e.output("out", nereid.Int32, 1, want)
	if err != nil {
		return nil, err
	}
	return &work{kernel: "count", outs: []*output{o},
		launches: []launch{{nereid.Grid{1}, []any{counter, o.tensor}}},
		source: "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef count(n, out):\n" +
			"    tl.store(out, tl.atomic_add(n, 1))\n"}, nil
}

// TestBroken plants a kernel that does not compile: an error is a failure, a refusal is none.
func TestBroken(t *testing.T) {
	f := planted(t, kind{file: "copies.py", weight: 1, draw: drawCopy, work: func(e *env,
		c Config) (*work, error) {
		w, err := copyWork(e, c)
		w.launches[0].args = w.launches[0].args[:2]
		return w, err
	}})
	if f.Err == "" || f.Lost || f.Wrong != 0 {
		t.Errorf("%+v: want an error", f)
	}
}

// TestLost loses the device: the blame is on the config whose kernel was under way, and nothing more runs.
func TestLost(t *testing.T) {
	for _, flying := range []bool{true, false} {
		s := &suite{Options: Options{Device: device(t, "interp"), Seed: 1, Runs: 2}, kinds: kinds[:1]}
		if err := s.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		var ctx context.Context
		ctx, s.cancel = context.WithCancel(t.Context())
		s.judge.place.gpu = true
		closed, err := nereid.NewTensor(s.Device, nereid.Int32, 2)
		if err != nil {
			t.Fatal(err)
		}
		closed.Close() // as if it could not be read any more
		tr := &trial{suite: s, kind: s.kinds[0], result: closed, flying: flying}
		tr.blame(context.Canceled, tr.isLost())
		if ctx.Err() == nil || flying != (len(s.sum.Failures) == 1) || flying == (s.lost.Err != "") {
			t.Errorf("flying %v: failures %v, first sign %+v", flying, s.sum.Failures, s.lost)
		}
		if flying && !strings.Contains(s.sum.Failures[0].String(), "the device is lost: ") {
			t.Errorf("%v does not say that the device is lost", s.sum.Failures[0])
		}
	}
}

// TestJudge has kernels of the device compare memory, as on a GPU, and sees to it that they find a difference
// in each place.
func TestJudge(t *testing.T) {
	j, err := newJudge(t.Context(), device(t, "cpu"), nereid.Config{})
	if err != nil {
		t.Fatal(err)
	}
	j.place.judges = true
	if err := j.probe(t.Context()); err != nil {
		t.Error(err)
	}
	j.compare = j.restore // compares nothing, and has parameters of the same types
	if err := j.probe(t.Context()); err == nil {
		t.Error("a judge that compares nothing is trusted")
	}
}

// TestReference compares the host's products with a plain loop.
func TestReference(t *testing.T) {
	s := size{19, 23, 131}
	r := random(1, "reference")
	a, b := signs(r, s.m*s.k), signs(r, s.n*s.k)
	want := make([]int32, s.m*s.n)
	for i := range want {
		for k := range s.k {
			want[i] += a[i/s.n*s.k+k] * b[i%s.n*s.k+k]
		}
	}
	if got := multiplySigns(a, b, s); !slices.Equal(got, want) {
		t.Error("multiplySigns differs")
	}
	if got := multiply(a, transposed(b, s.n, s.k), s); !slices.Equal(got, want) {
		t.Error("multiply differs")
	}
}

// TestConfigs draws configs for every sort of device: each can be parsed back, and is drawn again by the same
// seed.
func TestConfigs(t *testing.T) {
	for _, p := range []*place{
		{gpu: true, tma: true, chip: chip.CUDA(90)},
		{chip: chip.CUDA(80)},
		{chip: chip.Of("hip", "gfx942")},
		{chip: chip.Of("hip", "gfx1100")},
		{chip: chip.Of("", "")},
	} {
		for _, k := range kinds {
			for i := range uint64(200) {
				draw := func() Config { return k.draw(rand.New(rand.NewPCG(i, 1)), p) }
				c := draw()
				back, err := ParseConfig(c.String())
				if err != nil || !slices.Equal(c, back) || !slices.Equal(c, draw()) {
					t.Fatalf("%s is parsed as %s: %v", c, back, err)
				}
				if err := back.check(draw()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if _, err := ParseConfig("m=1,n"); err == nil {
		t.Error("a config without a value is parsed")
	}
}

// TestInterrupted ends a run by its context: what ran until then is told, and nothing has failed.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	sum, err := Run(ctx, Options{Device: device(t, "interp"), Seed: 1, Configs: 1000, Runs: 1, Jobs: 1,
		Only: []string{"copies"}, Step: func(string, string) {
			if n++; n == 5 {
				cancel()
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if total := sum.Total(); total.Configs < 4 || total.Configs > 5 || len(sum.Failures) > 0 {
		t.Errorf("%+v, %v: want 4 or 5 configs and no failure", total, sum.Failures)
	}
}
