package tunable

import (
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/nereid-lang/nereid/run"
)

// textOf returns the text of a key.
func textOf[K comparable](key K) string {
	t := &table[K, K]{of: func(k K) K { return k }}
	return strings.Join(t.text(key), "; ")
}

// TestKeyText: keys that differ are kept under different texts, and zeros at the end of an array say nothing.
func TestKeyText(t *testing.T) {
	type named struct {
		Rows int
		cols int64
		Elem run.DType `tunable:"type"`
	}
	for got, want := range map[string]string{
		textOf(named{3, 4, run.Float16}): "rows=3; cols=4; type=fp16",
		textOf(7):                        "7", textOf("a b"): "a b", textOf(true): "true",
		textOf(run.BFloat16):           "bf16",
		textOf([3]int{4, 5}):           "4; 5",
		textOf([3]int{4, 0, 5}):        "4; 0; 5",
		textOf([3]int{0, 4, 5}):        "0; 4; 5",
		textOf([2]string{"", "x"}):     "; x",
		textOf([3]int{}):               "",
		textOf([1]run.DType{run.Int8}): "i8",
	} {
		if got != want {
			t.Errorf("the text is %q, not %q", got, want)
		}
	}
}

// TestKeptArgs: arguments that are kept for another launch are empty and keep no tensor alive.
func TestKeptArgs(t *testing.T) {
	c := &Code{}
	x := &run.Tensor{}
	gone := weak.Make(x)
	a := c.Args().Tensor(x).Int(3)
	c.keep(a)
	x = nil
	runtime.GC()
	if gone.Value() != nil {
		t.Error("a tensor of the launch before is kept alive")
	}
	if again := c.Args(); again != a || len(again.list) != 0 {
		t.Errorf("%d arguments of the launch before are there", len(again.list))
	}
	runtime.KeepAlive(c)
}

// TestConfigCode: a config whose options differ in anything from the usual ones is launched with them.
func TestConfigCode(t *testing.T) {
	for _, o := range []run.Options{{NumWarps: 8}, {NumStages: 3}, {NumCTAs: 2}, {MaxNReg: 64},
		{NoFPFusion: true}, {Extra: "a=b"}} {
		c := kernelCode(fakeKernel{}, run.TuneConfig{Args: []run.Named{run.Arg("BLOCK", 64)}, Options: o})
		if len(c.fixed) != 2 || c.fixed[1] != any(o) || c.Int("BLOCK") != 64 || c.hooked != "" {
			t.Errorf("%+v: launched with %v", o, c.fixed)
		}
		hooked := kernelCode(fakeKernel{}, run.TuneConfig{Name: "with a hook", Options: o, Hook: true})
		if len(hooked.fixed) != 0 || hooked.hooked != "with a hook" {
			t.Errorf("%+v: with a hook, launched with %v", o, hooked.fixed)
		}
	}
	if c := kernelCode(fakeKernel{}, run.TuneConfig{}); len(c.fixed) != 0 || c.name != "fake" {
		t.Errorf("%q is launched with %v", c.name, c.fixed)
	}
}

// fakeKernel is a kernel of which only the name matters.
type fakeKernel struct{ JIT }

func (fakeKernel) Name() string { return "fake" }
