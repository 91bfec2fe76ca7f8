package ptxsim

import (
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// bankKernel has one warp: lane i has the address i*STRIDE of shared memory in %r1, and as a generic address
// in %rd1; %p1 holds in the upper half of the lanes.
const bankKernel = `
.version 8.3
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 smem[];
.visible .entry k(.param .u64 p)
.reqntid 32
{
	.reg .pred %p<3>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<9>;
	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	mov.u32 %r2, smem;
	mad.lo.u32 %r1, %r0, STRIDE, %r2;
	cvt.u64.u32 %rd1, %r1;
	cvta.shared.u64 %rd1, %rd1;
	setp.ge.u32 %p1, %r0, 16;
	.loc 1 7 4
	BODY
	ret;
}
`

// TestBankConflicts counts the wavefronts of accesses to shared memory, and those that they need at least.
func TestBankConflicts(t *testing.T) {
	const (
		load, store = "ld.shared.b32 %r4, [%r1];", "st.shared.b32 [%r1], %r0;"
		wide        = "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r1];"
		matrices    = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r1];"
		storeRows   = "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r1], {%r4, %r5, %r6, %r7};"
		copied      = "cp.async.cg.shared.global [%r1], [%rd0], 16;"
		wait        = "\ncp.async.commit_group;\ncp.async.wait_group 0;"
	)
	for _, c := range []struct {
		name   string
		body   string
		stride int
		want   SharedAccess
	}{
		{"a word for each lane", load, 4, SharedAccess{Accesses: 1, Wavefronts: 1, Ideal: 1}},
		{"every other word", load, 8, SharedAccess{Accesses: 1, Wavefronts: 2, Ideal: 1}},
		{"a column", load, 128, SharedAccess{Accesses: 1, Wavefronts: 32, Ideal: 1}},
		{"a column with padding", load, 132, SharedAccess{Accesses: 1, Wavefronts: 1, Ideal: 1}},
		{"one word for all", load, 0, SharedAccess{Accesses: 1, Wavefronts: 1, Ideal: 1}},
		{"a store of a column", store, 128, SharedAccess{Accesses: 1, Wavefronts: 32, Ideal: 1}},
		{"half of the lanes", "@%p1 " + load, 128, SharedAccess{Accesses: 1, Wavefronts: 16, Ideal: 1}},
		{"a generic address", "ld.b32 %r4, [%rd1];", 8, SharedAccess{Accesses: 1, Wavefronts: 2, Ideal: 1}},
		{"bytes", "ld.shared.b8 %r4, [%r1];", 1, SharedAccess{Accesses: 1, Wavefronts: 1, Ideal: 1}},
		{"vectors", wide, 16, SharedAccess{Accesses: 1, Wavefronts: 4, Ideal: 4}},
		{"vectors of rows", wide, 128, SharedAccess{Accesses: 1, Wavefronts: 32, Ideal: 4}},
		{"matrices", matrices, 16, SharedAccess{Accesses: 4, Wavefronts: 4, Ideal: 4}},
		{"matrices of long rows", matrices, 64, SharedAccess{Accesses: 4, Wavefronts: 16, Ideal: 4}},
		{"stores of matrices", storeRows, 128, SharedAccess{Accesses: 4, Wavefronts: 32, Ideal: 4}},
		{"copies", copied + wait, 16, SharedAccess{Accesses: 1, Wavefronts: 4, Ideal: 4}},
		{"copies of rows", copied + wait, 128, SharedAccess{Accesses: 1, Wavefronts: 32, Ideal: 4}},
	} {
		m, err := Parse([]byte(strings.NewReplacer("STRIDE", strconv.Itoa(c.stride), "BODY", c.body).
			Replace(bankKernel)))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var got []SharedAccess
		mem := NewMemory()
		l := &Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Shared: 8192, Memory: mem, NoRaces: true,
			Args: []uint64{mem.Buffer(make([]byte, 64)).Addr()}, Banks: func(a []SharedAccess) { got = a }}
		if err := m.Run(t.Context(), l); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		c.want.Line, c.want.Column = 7, 4
		if len(got) == 1 {
			c.want.PTXLine, c.want.PTX = got[0].PTXLine, got[0].PTX
		}
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %+v, not %+v", c.name, got, c.want)
		}
	}
}

// TestOperandWaves: a product of a warp group reads 32 bytes of each row of its operands in shared memory. An
// H200 counts as many for these shapes.
func TestOperandWaves(t *testing.T) {
	const product = "wgmma.mma_async.sync.aligned."
	for text, want := range map[string]int64{
		product + "m64n64k16.f32.bf16.bf16 {%f0,%f1}, %rd1, %rd2, 1, 1, 1, 0, 1":       32,
		product + "m64n256k16.f32.f16.f16 {%f0,%f1}, %rd1, %rd2, 1, 1, 1, 0, 1":        80,
		product + "m64n64k16.f32.f16.f16 {%f0,%f1}, {%r0,%r1}, %rd2, 1, 1, 1, 0, 1":    16,
		"wgmma.commit_group.sync.aligned":                                              0,
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0}, {%r0}, {%r1}, {%f0}": 0,
	} {
		c := simcount.Count{Text: text, Work: simcount.Work{Issued: 4}}
		if got := operandWaves(&c); got != want {
			t.Errorf("%s: %d wavefronts, want %d", text, got, want)
		}
	}
}
