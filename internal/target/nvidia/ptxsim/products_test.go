package ptxsim

import (
	"context"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/simmem"
)

// groupKernel multiplies a matrix of ones, 64x16, by one of ones, 16x8: each thread stores 16 bytes of A,
// the first 16 one row of B, which has its columns in a row, and stores its first result, 16. Marks are for
// tests to put something there, or to take away the line behind.
const groupKernel = `
.extern .shared .align 16 .b8 smem[];
.visible .entry k(.param .u64 p)
.reqntid 128
{
	.reg .pred %p<3>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<8>;
	.reg .f32 %f<9>;
	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	mov.b32 %r1, 0x3C003C00;
	mov.b32 %r3, smem;
	shl.b32 %r2, %r0, 4;
	add.s32 %r2, %r2, %r3;
	st.shared.v4.b32 [%r2], {%r1, %r1, %r1, %r1};
	setp.lt.u32 %p0, %r0, 16;
	@%p0 st.shared.v4.b32 [%r2+2048], {%r1, %r1, %r1, %r1};
	fence.proxy.async.shared::cta;
	bar.sync 0;
	// core matrices of A: 128 bytes; eight rows further 256, along k 128
	shr.u32 %r4, %r3, 4;
	cvt.u64.u32 %rd1, %r4;
	or.b64 %rd2, %rd1, 0x0000001000080000;
	add.s64 %rd3, %rd1, 0x0000000000080080;
	mov.b32 %r10, 0;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd2, %rd3, 0, 1, 1, 0, 1;
	wgmma.commit_group.sync.aligned;
	//MARK
	wgmma.wait_group.sync.aligned 0;
	//AFTER
	mul.wide.u32 %rd4, %r0, 4;
	add.s64 %rd5, %rd0, %rd4;
	st.global.f32 [%rd5], %f0;
	ret;
}
`

func TestProducts(t *testing.T) {
	change := func(from, to string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, from) {
				t.Errorf("nothing to change: %q", from)
			}
			return strings.Replace(s, from, to, 1)
		}
	}
	at := func(to string) func(string) string { return change("//MARK", to) }
	for _, c := range []struct {
		name   string
		change func(string) string
		want   string
	}{
		{"good", func(s string) string { return s }, ""},
		{"no wait", change("wgmma.wait_group.sync.aligned 0;", ""), "without a wait"},
		{"waits for others", change("wait_group.sync.aligned 0", "wait_group.sync.aligned 1"),
			"without a wait"},
		{"result is used", at("add.f32 %f5, %f1, %f1;"), "without a wait"},
		{"result is written", at("mov.f32 %f2, 0f00000000;"), "is written that a product under way writes"},
		{"copy is used", at("mov.f32 %f5, %f1;\nadd.f32 %f5, %f5, %f5;"), "without a wait"},
		{"copy is no use", at("mov.f32 %f5, %f1;"), ""},
		{"others are used", at("add.f32 %f5, %f6, %f6;"), ""},
		{"operand is overwritten", at("st.shared.b32 [%r2], %r10;"), "while a product under way reads it"},
		{"operand of others is overwritten", change("//AFTER", "st.shared.b32 [%r2], %r10;"),
			"no barrier lies between"},
		{"operand is overwritten later", change("//AFTER", "bar.sync 0;\nst.shared.b32 [%r2], %r10;"), ""},
		{"barrier before the wait", change("//MARK\n\twgmma.wait_group.sync.aligned 0;", "bar.sync 0;\n"+
			"wgmma.wait_group.sync.aligned 0;\nst.shared.b32 [%r2], %r10;"),
			"while a product under way reads it"},
		{"no proxy fence", change("fence.proxy.async.shared::cta;", ""), "no fence.proxy.async"},
		{"proxy fence before the store", func(s string) string {
			s = change("fence.proxy.async.shared::cta;", "")(s)
			return change("st.shared.v4", "fence.proxy.async.shared::cta;\nst.shared.v4")(s)
		}, "no fence.proxy.async"},
		{"proxy fence behind the barrier", func(s string) string {
			s = change("fence.proxy.async.shared::cta;", "")(s)
			return change("bar.sync 0;", "bar.sync 0;\nfence.proxy.async.shared::cta;")(s)
		}, ""},
		{"no barrier", change("bar.sync 0;", ""), "no barrier lies between"},
		{"no fence", change("wgmma.fence.sync.aligned;", ""), "no wgmma.fence"},
		{"outside", change("mov.b32 %r3, smem;", "mov.b32 %r3, 4096;"), "outside"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Parse([]byte(c.change(groupKernel)))
			if err != nil {
				t.Fatal(err)
			}
			mem, out := NewMemory(), make([]byte, 512)
			err = m.Run(context.Background(), &Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Shared: 2304,
				Args: []uint64{mem.Alloc(out)}, Memory: mem})
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, expected %q", err, c.want)
			}
			for i := 0; c.want == "" && i < 512; i += 4 {
				if got := types["f32"].float(simmem.Load(out[i:], 4)); got != 16 {
					t.Fatalf("thread %d has %v", i/4, got)
				}
			}
		})
	}
}
