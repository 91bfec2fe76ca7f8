package nereid_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// launchScale launches scale with n and a constant.
func launchScale(t testing.TB, s *nereid.Stream, conf nereid.Config, n, block int) error {
	t.Helper()
	x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kernelWith(t, "scale", conf).Launch(s, nereid.Grid{1}, x, n, 2.0, nereid.Arg("BLOCK", block))
}

// What a program launches is recorded; a manifest of it warms another process up; in strict mode nothing
// else is compiled.
func TestManifest(t *testing.T) {
	for _, device := range []string{"interp", "cpu", "sim:80"} {
		t.Run(device, func(t *testing.T) {
			s := stream(t, device)
			file := filepath.Join(t.TempDir(), "manifest.json")
			rec := &nereid.Recorder{File: file}
			for _, n := range []int{16, 32, 5, 1} {
				if err := launchScale(t, s, nereid.Config{Record: rec}, n, 16); err != nil {
					t.Fatal(err)
				}
			}
			m, err := nereid.ReadManifest(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Variants) != 3 || !strings.Contains(fmt.Sprint(m.Variants),
				"scale.py:scale(*fp32:16, i32:16, fp32, None, 16, fp32) num_warps=4 num_stages=3") {
				t.Fatalf("recorded: %v", m.Variants)
			}
			mod, err := nereid.Parse("scale.py", []byte(source), nereid.With(nereid.Config{Strict: true}))
			if err != nil {
				t.Fatal(err)
			}
			count := 0
			err = mod.Warmup(context.Background(), s.Device(),
				append(m.Variants, nereid.Variant{File: "other.py", Kernel: "k"}),
				func(done, total int, v nereid.Variant, err error) {
					count++
					if done != count || total != 3 || err != nil {
						t.Errorf("%d of %d: %s: %v", done, total, v, err)
					}
				})
			if err != nil || count != 3 {
				t.Fatal(count, err)
			}
			k, err := mod.Kernel("scale")
			if err != nil {
				t.Fatal(err)
			}
			x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{48, 7, 1} {
				if err := k.Launch(s, nereid.Grid{1}, x, n, 2.0, nereid.Arg("BLOCK", 16)); err != nil {
					t.Errorf("n = %d: %v", n, err)
				}
			}
			err = k.Launch(s, nereid.Grid{1}, x, 48, 2.0, nereid.Arg("BLOCK", 32))
			if !errors.Is(err, nereid.ErrNotCompiled) ||
				!strings.Contains(err.Error(), "scale.py:scale(*fp32:16, i32:16, fp32, None, 32, fp32)") {
				t.Errorf("strict mode says %v", err)
			}
		})
	}
}

// TestStrictAnyLaunch: code that was compiled ahead of time, for any grid, serves strict launches of few
// programs, for which there would be better code.
func TestStrictAnyLaunch(t *testing.T) {
	const text = `
import triton
import triton.language as tl

@triton.jit
def total(x, out, n):
    at, acc = tl.arange(0, 64), tl.zeros((64,), tl.float32)
    for i in range(0, n, 64):
        acc += tl.load(x + i + at)
    tl.store(out + at, acc)
`
	s, c := stream(t, "sim:90"), openCache(t, nereid.CacheOptions{})
	launch := func(conf nereid.Config, ahead []nereid.Variant) error {
		m, err := nereid.Parse("total.py", []byte(text), nereid.With(conf))
		if err != nil {
			t.Fatal(err)
		}
		if ahead != nil {
			return m.Warmup(context.Background(), s.Device(), ahead, nil)
		}
		k, err := m.Kernel("total")
		if err != nil {
			t.Fatal(err)
		}
		x := nereid.FromSlice(make([]float32, 256))
		return k.Launch(s, nereid.Grid{1}, x, nereid.FromSlice(make([]float32, 64)), 256)
	}
	var variants []nereid.Variant
	note := func(v nereid.Variant, _ time.Duration, _ bool, _ error) { variants = append(variants, v) }
	if err := launch(nereid.Config{Hooks: nereid.Hooks{AfterCompile: note}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := launch(nereid.Config{Cache: c, Strict: true}, nil); !errors.Is(err, nereid.ErrNotCompiled) {
		t.Error(err)
	}
	if err := launch(nereid.Config{Cache: c}, variants); err != nil {
		t.Fatal(err)
	}
	if err := launch(nereid.Config{Cache: c, Strict: true}, nil); err != nil {
		t.Error(err)
	}
}

// Strict mode takes what is in the cache; a damaged or foreign manifest is an error.
func TestStrict(t *testing.T) {
	s, c := stream(t, "cpu"), openCache(t, nereid.CacheOptions{})
	if err := launchScale(t, s, nereid.Config{Cache: c, Strict: true}, 16, 16); !errors.Is(err,
		nereid.ErrNotCompiled) {
		t.Error(err)
	}
	if err := launchScale(t, s, nereid.Config{Cache: c}, 16, 16); err != nil {
		t.Fatal(err)
	}
	if err := launchScale(t, s, nereid.Config{Cache: c, Strict: true}, 16, 16); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "{", "[]", `{"version": 2}`,
		`{"version": 1, "variants": [{"file": "k.py"}]}`,
		`{"version": 1, "variants": [{"file": "k.py", "kernel": "k", "options": {"num_wraps": 8}}]}`} {
		file := filepath.Join(t.TempDir(), "m.json")
		os.WriteFile(file, []byte(bad), 0o666)
		if _, err := nereid.ReadManifest(file); err == nil {
			t.Errorf("%q is taken for a manifest", bad)
		}
	}
	m, _ := nereid.Parse("scale.py", []byte(source))
	err := m.Warmup(context.Background(), s.Device(), []nereid.Variant{
		{Kernel: "none"}, {Kernel: "scale", Signature: "i32"},
		{Kernel: "scale", Signature: "*fp32, i32, fp32, None, 15, fp32"},
	}, nil)
	for _, want := range []string{"none", "scale", "power of 2"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	strict, _ := nereid.Parse("k.py", []byte(tuneHead+"@triton.autotune("+two+")"+tuneBody),
		nereid.With(nereid.Config{Strict: true}))
	k, err := strict.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	err = k.Launch(s, tuneGrid, nereid.FromSlice(make([]float32, 64)), 64)
	if !errors.Is(err, nereid.ErrNotCompiled) || !strings.Contains(err.Error(), "not tuned for 64, fp32") {
		t.Error(err)
	}
}

func TestCompileAndLaunchHooks(t *testing.T) {
	s, c := stream(t, "cpu"), openCache(t, nereid.CacheOptions{})
	var said []string
	note := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	var log bytes.Buffer
	refuse := errors.New("not today")
	conf := nereid.Config{
		Cache:  c,
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Hooks: nereid.Hooks{
			BeforeCompile: func(_ context.Context, v nereid.Variant) error {
				note("before %s", v.Kernel)
				if strings.Contains(v.Signature, " 32, ") {
					return refuse
				}
				return nil
			},
			AfterCompile: func(v nereid.Variant, took time.Duration, found bool, err error) {
				note("after %v %v", found, err)
			},
			Stage: func(v nereid.Variant, s nereid.Stage) { note("%s", s.Name) },
			BeforeLaunch: func(l nereid.Launching) {
				note("launch %s %v on %s", l.Variant.Kernel, l.Grid, l.Device)
			},
			AfterLaunch: func(l nereid.Launching, err error) { note("launched %v", err) },
		},
	}
	if err := launchScale(t, s, conf, 16, 16); err != nil {
		t.Fatal(err)
	}
	want := "source; before scale; ttir; linalg; llir; asm; after false <nil>; launch scale (1, 1, 1) on " +
		"cpu; launched <nil>"
	if got := strings.Join(said, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	said = nil
	if err := launchScale(t, s, conf, 16, 16); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(said, "; "),
		"source; after true <nil>; launch scale (1, 1, 1) on cpu; launched <nil>"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := launchScale(t, s, conf, 16, 32); !errors.Is(err, refuse) {
		t.Error(err)
	}
	for _, want := range []string{`msg="nereid: compiled" kernel=scale file=scale.py`,
		`msg="nereid: found in the cache"`, `level=WARN msg="nereid: not compiled"`, `err="not today"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in\n%s", want, &log)
		}
	}
}

// Compilations and launches are regions of an execution trace, with hooks and without.
func TestTrace(t *testing.T) {
	for _, hooks := range []nereid.Hooks{{}, {BeforeLaunch: func(nereid.Launching) {}}} {
		var b bytes.Buffer
		if err := trace.Start(&b); err != nil {
			txtest.NotHere(t, "another trace runs: %v", err)
		}
		err := launchScale(t, stream(t, "interp"), nereid.Config{Hooks: hooks}, 16, 16)
		trace.Stop()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"nereid compile scale", "nereid launch scale"} {
			if !bytes.Contains(b.Bytes(), []byte(want)) {
				t.Errorf("no region %q", want)
			}
		}
	}
}

// Options that make no sense are refused whatever the device.
func TestBadOptions(t *testing.T) {
	k := kernel(t, "scale")
	for _, device := range []string{"interp", "cpu", "sim:80"} {
		s := stream(t, device)
		x, err := nereid.NewTensor(s.Device(), nereid.Float32, 64)
		if err != nil {
			t.Fatal(err)
		}
		err = k.Launch(s, nereid.Grid{1}, x, 4, 2.0, nereid.Options{NumWarps: -4})
		if err == nil || !strings.Contains(err.Error(), "num_warps=-4") {
			t.Errorf("%s: %v", device, err)
		}
	}
}
