package cpuid

import (
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// LLVM agrees on every feature that both know, and we know each that it finds.
func TestLikeLLVM(t *testing.T) {
	lib := txtest.LLVM(t, llvm.Load)
	host := lib.HostTarget().Features
	have := features()
	if len(have) == 0 {
		txtest.NotHere(t, "this processor is not asked")
	}
	compared := 0
	for f := range strings.SplitSeq(host, ",") {
		if f == "" {
			continue
		}
		has, known := have[f[1:]]
		if known {
			compared++
		}
		if known && has != (f[0] == '+') || !known && f[0] == '+' {
			t.Errorf("LLVM says %s; known %v, has %v", f, known, has)
		}
	}
	if compared < 10 {
		t.Errorf("only %d features in %s", compared, host)
	}
	if missing := Missing(host); len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
}

func TestMissing(t *testing.T) {
	if got := Missing("+banana,-avx,+mango"); !slices.Equal(got, []string{"banana", "mango"}) {
		t.Error(got)
	}
	if got := Missing(""); got != nil {
		t.Error(got)
	}
	if list := Features(); len(list) > 0 && Missing("+"+strings.Join(list, ",+")) != nil {
		t.Error("the processor lacks what it has")
	}
	if Machine() == "" {
		t.Error("no machine")
	}
}
