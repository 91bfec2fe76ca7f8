package ptx_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ptx"
)

// summed adds n floats, with a 64-bit address. The number before an instruction is counted by
// hand: registers of 32 bits that are read later, after it.
const summed = `
.visible .entry sum(.param .u64 x, .param .u32 n) {
	.reg .pred %p<3>;
	.reg .b16 %rs<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<3>;
 2	ld.param.b64 %rd1, [x];
 3	ld.param.b32 %r1, [n];
 4	mov.b32 %r2, 0f00000000;
 4	setp.lt.s32 %p1, %r1, 1;
 4	@%p1 bra $L__end;
$L__loop:
 5	ld.global.b32 %r3, [%rd1];
 4	add.f32 %r2, %r2, %r3;
 4	add.s64 %rd1, %rd1, 4;
 4	add.s32 %r1, %r1, -1;
 4	setp.ne.s32 %p2, %r1, 0;
 4	@%p2 bra $L__loop;
$L__end:
 2	mov.u32 %r4, %tid.x;
 2	setp.eq.s32 %p1, %r4, 0;
 3	mov.b16 %rs1, 1;
 5	ld.param.b64 %rd2, [x];
 4	@%p1 mov.b32 %r2, %r4;
 3	{ .reg .pred p; setp.ne.b16 p, %rs1, 0; @p st.global.b32 [%rd2], %r2; }
 0	ret;
}
`

func TestLive(t *testing.T) {
	var text strings.Builder
	var want []int
	for line := range strings.Lines(summed) {
		if len(line) > 2 && line[0] == ' ' {
			want = append(want, int(line[1]-'0'))
			line = line[2:]
		}
		text.WriteString(line)
	}
	m, err := ptx.Parse([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	var got []int
	last := 0
	for i, n := range f.Live() {
		if (n < 0) != (f.Body[i].Kind != ptx.Instruction) {
			t.Errorf("%d for %q", n, f.Body[i].Text)
		}
		// of several statements of a line, the first counts
		if n >= 0 && f.Body[i].Line != last {
			got = append(got, n)
			last = f.Body[i].Line
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("live registers are\n%v, want\n%v", got, want)
	}
}

// TestLiveLabels: the labels of inline assembly are those of its own braces.
func TestLiveLabels(t *testing.T) {
	m, err := ptx.Parse([]byte(`
.visible .entry waits(.param .u32 n) {
	.reg .b32 %r<4>;
	ld.param.b32 %r1, [n];
	{
	.reg .pred done;
wait:
	mbarrier.try_wait.parity.shared.b64 done, [%r1], 0;
	@done bra.uni go;
	bra.uni wait;
go:
	}
	mov.b32 %r2, 1;
	{
	.reg .pred done;
wait:
	mbarrier.try_wait.parity.shared.b64 done, [%r2], 0;
	@done bra.uni go;
	bra.uni wait;
go:
	}
	ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	f := m.Funcs[0]
	var got []int
	for i, n := range f.Live() {
		if f.Body[i].Kind == ptx.Instruction {
			got = append(got, n)
		}
	}
	// %r1 lives as long as the first loop, %r2 as the second
	if want := []int{1, 1, 1, 1, 1, 1, 1, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("live registers are %v, want %v", got, want)
	}
}
