package nvidia

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/rules"
)

// goalSample is a kernel as an assembler sees it: how many registers its threads want, with and without a
// goal.
type goalSample struct {
	body           string
	warps, shared  int
	wants, without int
	spills         int // bytes on the stack for each register that is missing
	deep           int // bytes on the stack whatever the registers, but with few optimizations
	padding        int // bytes of PTX
}

// assemble returns the goals for which the sample is assembled, and the code that is taken.
func (s goalSample) assemble(t *testing.T, values *rules.Set) string {
	t.Helper()
	code := &Code{NumWarps: s.warps, Shared: s.shared, rules: values,
		PTX: kernelPTX(s.warps, s.body+strings.Repeat("\n", s.padding))}
	var calls []string
	c := GPU{Capability: 90}
	best, err := c.assembleBest(code, func(ptx []byte, plain bool) (*assembled, error) {
		goal := 0
		if _, text, ok := strings.Cut(string(ptx), ".minnctapersm "); ok {
			fmt.Sscan(text, &goal)
		}
		u := use{s.without, s.deep}
		if goal > 0 {
			room := min(255, registersPerSM/(32*s.warps*goal)/8*8)
			u = use{min(room, s.wants), s.deep + s.spills*max(0, s.wants-room)}
		}
		if goal == 1 {
			u.stack = s.deep / 2
		}
		if plain {
			u = use{s.wants, s.deep / 3}
		}
		calls = append(calls, fmt.Sprint(goal, plain))
		return &assembled{ptx: []byte(calls[len(calls)-1]), plain: plain, use: u}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(calls, string(best.ptx))
}

// goalSamples returns kernels of all kinds.
func goalSamples() (list []goalSample) {
	var pressed strings.Builder // with more values than registers
	for i := range 600 {
		fmt.Fprintf(&pressed, "mov.u32 %%r%d, 1;\n", i%300)
	}
	bodies := []string{"", loopPTX, meetPTX, "mma.sync;\n", "mma.sync;\n" + loopPTX,
		"wgmma.mma_async;\n" + loopPTX, pressed.String()}
	for _, body := range bodies {
		for _, warps := range []int{1, 2, 4, 8, 16, 32} {
			for _, wants := range []int{40, 48, 56, 62, 72, 84, 98, 120, 136, 168, 200, 250} {
				for _, less := range []int{0, 12, 24} {
					s := goalSample{body: body, warps: warps, wants: wants, without: wants - less}
					list = append(list, s)
					s.spills = 1
					list = append(list, s)
				}
			}
			for _, deep := range []int{200, 300, 600} {
				for _, registers := range []int{24, 40, 130} {
					list = append(list, goalSample{body: body, warps: warps, wants: registers,
						without: registers, deep: deep})
				}
			}
		}
		list = append(list, goalSample{body: body, warps: 4, wants: 120, without: 120, padding: 100_000},
			goalSample{body: body, warps: 4, wants: 120, without: 120, padding: 700_000})
	}
	return list
}

// TestGoalRules: each rule about registers and spills changes for which goals some kernel is assembled, or
// which code is taken.
func TestGoalRules(t *testing.T) {
	type assembledSample struct {
		goalSample
		outcome   string
		decisions []rules.Decision
	}
	var all []assembledSample
	for _, s := range goalSamples() {
		set, trace := rules.NewTrace(nil)
		outcome := s.assemble(t, set)
		trace.Close()
		all = append(all, assembledSample{s, outcome, trace.Decisions()})
	}
	for _, r := range rules.All() {
		if r.Test != "nvidia.TestGoalRules" {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			for _, s := range all {
				for _, other := range r.Others(s.decisions) {
					set, err := rules.Parse(fmt.Sprintf("%s=%d", r.Name, other))
					if err != nil {
						t.Fatal(err)
					}
					if s.assemble(t, set) != s.outcome {
						return
					}
				}
			}
			t.Error("no kernel is assembled otherwise")
		})
	}
}
