package cpuid

import (
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestLikeLLVM: LLVM agrees on every feature that both know. Code for the features that are left of its list
// runs here, and most are left: LLVM may know a processor that is newer than the tables.
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
		if known && has != (f[0] == '+') {
			t.Errorf("LLVM says %s; known %v, has %v", f, known, has)
		} else if !known && f[0] == '+' {
			t.Logf("LLVM says %s, of which nothing is known", f)
		}
	}
	left := Checkable(host)
	if missing := Missing(left); len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
	if all := strings.Count(host, "+"); compared < 10 || strings.Count(left, "+") < all*9/10 {
		t.Errorf("only %d features in %s, of which are left %s", compared, host, left)
	}
}

// TestCheckable: features that the processor lacks, or that nothing is known of, are switched off.
func TestCheckable(t *testing.T) {
	list := Features()
	if len(list) == 0 {
		txtest.NotHere(t, "this processor is not asked")
	}
	own := "+" + strings.Join(list, ",+")
	for wanted, want := range map[string]string{
		own:                          own,
		own + ",+banana,-mango":      own + ",-banana,-mango",
		"+banana," + own + ",+mango": "-banana," + own + ",-mango",
		"":                           "",
	} {
		if got := Checkable(wanted); got != want {
			t.Errorf("of %s is left %s, not %s", wanted, got, want)
		}
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
