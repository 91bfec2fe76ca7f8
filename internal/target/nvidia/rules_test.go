package nvidia

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// ruleSample is a kernel with a launch for which it is compiled.
type ruleSample struct {
	golden            string // a kernel of testdata/golden, or
	kernel, signature string // one of testdata/rules.py
	warps, stages     int
	way               device.Way
}

func (s ruleSample) String() string {
	return fmt.Sprintf("%s%s warps %d stages %d %v", s.golden, s.kernel, s.warps, s.stages, s.way)
}

// module returns the sample's Triton IR.
func (s ruleSample) module(t *testing.T, src *lang.Source) *ir.Module {
	t.Helper()
	if s.golden != "" {
		return golden(t, s.golden)
	}
	params, err := src.Params(s.kernel, lang.DefaultTarget)
	if err != nil {
		t.Fatal(err)
	}
	args, err := lang.ParseSignature(params, s.signature)
	if err != nil {
		t.Fatal(err)
	}
	m, err := src.Compile(s.kernel, args, lang.Options{Target: Compiler{Capability: 90}.Target(),
		NumWarps: s.warps, NumStages: s.stages, NumCTAs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// compile returns what the sample's code is with values of rules: LLVM IR, and what launches are told.
func (s ruleSample) compile(t *testing.T, m *ir.Module, values *rules.Set) string {
	t.Helper()
	m = m.Clone()
	if text := values.Text(); text != "" {
		m.Op.SetAttr(rules.Attr, ir.Str(text))
	}
	var out strings.Builder
	in := &target.Input{Module: m, Way: s.way, Hosted: true, Until: "llir",
		Options: target.Options{NumWarps: s.warps, NumStages: s.stages, NumCTAs: 1},
		Stages: func(stage string, _ time.Duration, text func() []byte) {
			if stage == "ttgir" || stage == "llir" {
				line := strings.ReplaceAll(string(text()), rules.Attr+` = "`+values.Text()+`"`, "")
				out.WriteString(strings.ReplaceAll(strings.ReplaceAll(line, ", ,", ","), ", }", "}"))
			}
		}}
	in.Kernel = target.EntryOf(m, "")
	c := Compiler{Capability: 90}
	if merge := c.mergeable(in); merge > 1 {
		code := &devnvidia.Code{Merge: merge, Strides: []int{0}, Params: []int{4}}
		code.Obey(values)
		for _, x := range []int{64, 4096, 1 << 20} {
			n, unit := code.Merges(x, []uint64{1}, 132)
			few, _ := code.Merges(x, []uint64{2}, 132)
			fmt.Fprintln(&out, merge, n, unit, few)
		}
	}
	if _, err := c.Compile(context.Background(), in, 0); err != nil {
		t.Fatalf("%v with %q: %v", s, values.Text(), err)
	}
	return out.String()
}

// ruleSamples returns kernels that ask for all rules.
func ruleSamples() (list []ruleSample) {
	any, one, many, stays := device.AnyLaunch, device.AnyLaunch, device.AnyLaunch, device.AnyLaunch
	one.BlocksPerSM, many.BlocksPerSM, stays.Persist = 1, device.Many, true
	list = []ruleSample{
		{golden: "matmul_f16", warps: 8, stages: 3, way: one},
		{golden: "matmul_bf16_relu", warps: 4, stages: 4, way: one},
		{golden: "matmul_bf16_relu", warps: 2, stages: 2, way: one},
		{golden: "attention_d128_causal", warps: 8, stages: 3, way: any},
		{golden: "attention_d128_causal", warps: 8, stages: 3, way: stays},
		{golden: "layer_norm_f16", warps: 4, stages: 3, way: one},
		{golden: "add_f32", warps: 4, stages: 3, way: any},
	}
	for _, s := range []struct {
		kernel, signature string
		warps, stages     int
	}{
		{"product", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, i32:16, 128, 256, 64", 8, 4},
		{"computed", "*fp32:16, *fp16:16, *fp16:16, *fp32:16, i32:16, 128, 128, 64", 4, 3},
		{"backward", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp16:16, *fp32:16, *fp32:16, " +
			"i32:16, 64, 128, 64", 8, 2},
		{"recurrence", "*fp16:16, *fp16:16, *fp32:16, i32, 64, 64", 2, 2},
		{"few_steps", "*fp16:16, *fp16:16, *fp32:16, 32, 32, 3", 2, 2},
		{"few_steps", "*fp16:16, *fp16:16, *fp32:16, 32, 64, 4", 2, 2},
		{"rows", "*fp32:16, *fp32:16, *fp32:16, i32, 1024", 4, 3},
		{"norm", "*fp32:16, *fp32:16, *fp32:16, *fp32:16, i32:16, 4096", 8, 3},
		{"argmax", "*fp32:16, *i32:16, i32:16, 1, 4096", 8, 3},
		{"columns", "*fp32:16, *fp32:16, 256, 64", 8, 3},
		{"columns", "*fp32:16, *fp32:16, 32, 512", 16, 3},
		{"total", "*fp32:16, *fp32:16, i32:16, 4096", 4, 3},
		{"total", "*fp32:16, *fp32:16, i32:16, 8192", 16, 3},
		{"cumulate", "*fp32:16, *fp32:16, 16, 64", 4, 3},
		{"pick", "*fp32:16, *i32:16, *fp32:16, 32, 64", 4, 3},
		{"pick", "*fp32:16, *i32:16, *fp32:16, 16, 32", 4, 3},
		{"pick", "*fp32:16, *i32:16, *fp32:16, 64, 32", 4, 3},
		{"transpose", "*fp32:16, *fp32:16, 64, 64", 4, 3},
		{"transpose", "*fp16:16, *fp16:16, 128, 128", 4, 3},
		{"transpose", "*fp32:16, *fp32:16, 16, 16", 8, 3},
		{"label", "*fp32:16, *i32:16, i32, 4096", 4, 3},
		{"decode", "*fp32:16, *fp32:16, i32, i32, i32, 256", 4, 3},
		{"gelu", "*fp16:16, *fp16:16, i32, 256", 4, 3},
		{"strided", "*fp32:16, *fp32:16, i32, i32, 128", 4, 3},
		{"shift", "*i32:16, *i32:16, i32, i32, 128", 4, 3},
		{"persistent", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 128, 64", 8, 3},
		{"pile", "*fp32:16, *fp32:16, i32, 1024", 4, 3},
		{"small_attention", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, 32, 32, 64", 4, 3},
		{"held", "*fp16:16, *fp16:16, *fp16:16, *fp32:16, 128, 32, 128, 64, 12", 4, 2},
		{"wide", "*fp16:16, *fp16:16, *fp32:16, i32, 128, 128, 64", 4, 3},
		{"narrow", "*fp16:16, *fp16:16, *fp32:16, i32, 128, 32, 128", 4, 3},
		{"floats", "*fp16:16, *fp16:16, *fp32:16, 64, 64, 64", 4, 3},
	} {
		for _, way := range []device.Way{any, one, many} {
			list = append(list, ruleSample{kernel: s.kernel, signature: s.signature, warps: s.warps,
				stages: s.stages, way: way})
		}
	}
	return list
}

// TestRuleSwitches: each rule of passes and lowering is asked by some kernel, and another value makes other
// code. A rule that nobody reads fails here.
func TestRuleSwitches(t *testing.T) {
	src, err := lang.Load("rules.py", []byte(txtest.Read(t, "testdata/rules.py")), lang.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type compiled struct {
		ruleSample
		m         *ir.Module
		text      string
		decisions []rules.Decision
	}
	var all []compiled
	for _, s := range ruleSamples() {
		m := s.module(t, src)
		set, trace := rules.NewTrace(nil)
		text := s.compile(t, m, set)
		trace.Close()
		if same, _ := rules.Parse("early-words=96"); len(all) < 3 && s.compile(t, m, same) != text {
			t.Fatalf("%v: a rule with the table's value changes the code", s)
		}
		all = append(all, compiled{s, m, text, trace.Decisions()})
	}
	for _, r := range rules.All() {
		if r.Test != "nvidia.TestRuleSwitches" {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			asked, saw := 0, map[string]bool{}
			for _, c := range all {
				has := func(d rules.Decision) bool { return d.Rule == r.Name }
				if !slices.ContainsFunc(c.decisions, has) {
					continue
				}
				asked++
				for _, d := range c.decisions {
					if has(d) {
						saw[fmt.Sprint(d.N)] = true
					}
				}
				for _, other := range r.Others(c.decisions) {
					set, err := rules.Parse(fmt.Sprintf("%s=%d", r.Name, other))
					if err != nil {
						t.Fatal(err)
					}
					if c.compile(t, c.m, set) != c.text {
						return
					}
				}
			}
			t.Errorf("no sample's code depends on the rule; %d ask for it, with %v", asked, saw)
		})
	}
}
