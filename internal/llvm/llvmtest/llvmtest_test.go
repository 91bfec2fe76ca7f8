package llvmtest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestReuse compiles once for each key; neither an error nor anything made for Alone is kept.
func TestReuse(t *testing.T) {
	s := store(t.TempDir())
	calls := 0
	compile := func(key string, err error) *llvm.Output {
		t.Helper()
		out, got := s.reuse(t.Context(), key, func() (*llvm.Output, error) {
			calls++
			if err != nil {
				return nil, err
			}
			return &llvm.Output{Asm: []byte("asm of " + key), Warnings: []string{"one"}}, nil
		})
		if got != err {
			t.Fatalf("%s: %v, want %v", key, got, err)
		}
		return out
	}
	compile("a", errors.New("no code"))
	first := compile("a", nil)
	if d := cmp.Diff(first, compile("a", nil)); d != "" || calls != 2 {
		t.Errorf("%d compilations (-first +second):\n%s", calls, d)
	}
	if compile("b", nil); calls != 3 {
		t.Errorf("another key: %d compilations, want 3", calls)
	}
	t.Run("alone", func(t *testing.T) {
		Alone(t)
		if compile("a", nil); calls != 4 {
			t.Errorf("Alone: %d compilations, want 4", calls)
		}
	})
	if compile("a", nil); calls != 4 {
		t.Errorf("after Alone: %d compilations, want 4", calls)
	}
}

// TestKey changes one input of a compilation at a time: each change has LLVM compile again.
func TestKey(t *testing.T) {
	lib := txtest.LLVM(t, llvm.Load)
	keys := map[string]bool{}
	defer func(before func(context.Context, string, func() (*llvm.Output, error)) (*llvm.Output, error)) {
		llvm.Reuse = before
	}(llvm.Reuse)
	llvm.Reuse = func(_ context.Context, key string, _ func() (*llvm.Output, error)) (*llvm.Output, error) {
		keys[key] = true
		return &llvm.Output{}, nil
	}
	ir, host := "define void @f() {\n  ret void\n}\n", lib.HostTarget()
	cases := []struct {
		ir   string
		opts llvm.Options
	}{
		{ir, llvm.Options{Target: host}},
		{ir + "\n", llvm.Options{Target: host}},
		{ir, llvm.Options{Target: llvm.Target{Triple: host.Triple}}},
		{ir, llvm.Options{Target: host, Level: llvm.O1}},
		{ir, llvm.Options{Target: host, Passes: "verify"}},
		{ir, llvm.Options{Target: host, Emit: llvm.EmitObj}},
		{ir, llvm.Options{Target: host, Name: "other"}},
		{ir, llvm.Options{Target: host, Link: []llvm.Bitcode{{Name: "l", Data: []byte("1")}}}},
		{ir, llvm.Options{Target: host, Link: []llvm.Bitcode{{Name: "l", Data: []byte("2")}}}},
	}
	for range 2 {
		for _, c := range cases {
			if _, err := lib.Compile(t.Context(), []byte(c.ir), c.opts); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(keys) != len(cases) {
		t.Errorf("%d keys for %d compilations, want one for each", len(keys), len(cases))
	}
}
