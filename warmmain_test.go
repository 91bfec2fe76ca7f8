package nereid_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/cache"
)

// TestWarmMain has the test program play a program that was built from a checkout: what other builds
// compiled is of no use to it, its strict launches say so, and with WarmMain it warms itself up.
func TestWarmMain(t *testing.T) {
	needLLVM(t)
	if dir := os.Getenv("NEREID_TEST_WARMMAIN"); dir != "" {
		warmMainProgram(dir)
		return
	}
	dir := t.TempDir()
	manifest := filepath.Join(dir, "manifest.json")
	r := &nereid.Recorder{}
	launchTimes(t, nereid.Config{Record: r})
	if err := r.WriteFile(manifest); err != nil {
		t.Fatal(err)
	}
	v := r.Variants()[0]
	options, err := json.Marshal(v.Options)
	if err != nil {
		t.Fatal(err)
	}
	other := &cache.Entry{Target: "cpu", Signature: v.Signature, Key: cache.Key{Kernel: "k",
		Hash: strings.Repeat("ab", 32)}, Compiler: "v9.9.9 h1:xyz go1.26", Options: options, Code: "x",
		Stages: []cache.Stage{{Name: "x", Size: 1, Data: []byte("x")}}}
	cache.Open(cache.Options{Dir: filepath.Join(dir, "cache")}).Put(other)

	run := func(warm string) string {
		cmd := exec.CommandContext(context.Background(), os.Args[0], "-test.run=^TestWarmMain$", "-test.v")
		cmd.Env = append(os.Environ(), "NEREID_TEST_WARMMAIN="+dir, "NEREID_WARM="+warm, "NEREID_DEVICE=cpu")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	if out := run(""); !strings.Contains(out, "strict launch: not compiled") ||
		!strings.Contains(out, `the cache has it from "v9.9.9`) || !strings.Contains(out, "nereid.WarmMain") {
		t.Errorf("before the warm-up: %s", out)
	}
	if out := run(manifest); !strings.Contains(out, "1 passed, 0 failed, for the build sources ") ||
		strings.Contains(out, "strict launch") {
		t.Errorf("the warm-up: %s", out)
	}
	if out := run(""); !strings.Contains(out, "strict launch: ok") {
		t.Errorf("after the warm-up: %s", out)
	}
}

func warmMainProgram(dir string) {
	c, err := nereid.OpenCache(nereid.CacheOptions{Dir: filepath.Join(dir, "cache")})
	if err != nil {
		panic(err)
	}
	conf := nereid.Config{Cache: c, Strict: true}
	m, err := nereid.Parse("pair.py", []byte(pair), nereid.With(conf))
	if err != nil {
		panic(err)
	}
	nereid.WarmMain(m)
	switch err := launchPair(m); {
	case errors.Is(err, nereid.ErrNotCompiled):
		fmt.Println("strict launch: not compiled:", err)
	case err != nil:
		panic(err)
	default:
		fmt.Println("strict launch: ok")
	}
}

func launchTimes(t *testing.T, conf nereid.Config) {
	t.Helper()
	m, err := nereid.Parse("pair.py", []byte(pair), nereid.With(conf))
	if err != nil {
		t.Fatal(err)
	}
	if err := launchPair(m); err != nil {
		t.Fatal(err)
	}
}

func launchPair(m *nereid.Module) error {
	k, err := m.Kernel("k")
	if err != nil {
		return err
	}
	dev, err := nereid.OpenDevice("cpu")
	if err != nil {
		return err
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := nereid.NewTensor(dev, nereid.Float32, 16)
	if err != nil {
		return err
	}
	defer x.Close()
	return k.Launch(s, nereid.Grid{1}, x, 16, 2, 16)
}
