package nvidia

import (
	"fmt"
	"testing"
)

// TestStepsInTime: the registers of a step may be written when the step that read them is complete.
func TestStepsInTime(t *testing.T) {
	const loop = `$L__BB0_1:
%s
	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%%r1,%%r2}, {%%r3,%%r4}, %%rd4, 1, 1, 1, 1;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned %d;
%s
	wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%%r1,%%r2}, {%%r5,%%r6}, %%rd5, 1, 1, 1, 1;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned %d;
%s
	@%%p1 bra $L__BB0_1;
`
	const first, second = "\tcvt.rn.f16.f32 %r3, %r9;", "\tld.shared.v2.b32 {%r5, %r6}, [%r9];"
	for _, c := range []struct {
		name            string
		before, between string
		pending, end    int
		behind          string
		want            bool
	}{
		{"each behind its wait", first, second, 1, 1, "", true},
		{"both first", first + "\n" + second, "", 1, 1, "", false},
		{"both first, all complete", first + "\n" + second, "", 1, 0, "", true},
		{"two under way", first, second, 2, 2, "", false},
		{"at the end", "", second, 1, 1, first, true},
		{"the second one at the end", first, "", 1, 1, second, false},
		{"a sum", first, second + "\n\tadd.s32 %r8, %r5, 1;", 1, 1, "", true},
	} {
		ptx := fmt.Sprintf(loop, c.before, c.pending, c.between, c.end, c.behind)
		if got := stepsInTime([]byte(ptx)); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
