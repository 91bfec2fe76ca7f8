package ptxsim

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"
)

// partedKernel has 32 threads: %r0 is the lane. Every third lane takes a detour, whose code lies behind all
// the rest, and comes back to BODY, which leaves its result in %r9.
const partedKernel = `
.visible .entry k(.param .u64 p)
.reqntid 32
{
	.reg .pred %p<9>;
	.reg .b32 %r<20>;
	.reg .b64 %rd<9>;
	.shared .align 16 .b8 buf[1024];
	ld.param.u64 %rd0, [p];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd1, %r0, 4;
	add.s64 %rd2, %rd0, %rd1;
	mov.u32 %r2, buf;
	mad.lo.u32 %r3, %r0, 16, %r2;
	mov.b32 %r9, 0;
	rem.u32 %r1, %r0, 3;
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra DETOUR;
	add.u32 %r4, %r0, 1000;
BACK:
	BODY
	st.global.b32 [%rd2], %r9;
	ret;
DETOUR:
	add.u32 %r4, %r0, 1000;
	TURN
	bra BACK;
}
`

func runParted(t *testing.T, body, detour string, l Launch) ([]uint32, error) {
	t.Helper()
	m, err := Parse([]byte(strings.NewReplacer("BODY", body, "TURN", detour).Replace(partedKernel)))
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	out := make([]byte, 128)
	l.Kernel, l.Grid, l.Memory = "k", [3]int{1, 1, 1}, NewMemory()
	l.Args = []uint64{l.Memory.Alloc(out)}
	err = m.Run(context.Background(), &l)
	words := make([]uint32, 32)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(out[4*i:])
	}
	return words, err
}

// TestMembers: instructions of a warp wait for the lanes that their masks name, whichever way these went.
func TestMembers(t *testing.T) {
	isThird := func(i int) uint32 {
		if i%3 == 0 {
			return 1
		}
		return 0
	}
	thirds := uint32(0)
	for i := range 32 {
		thirds |= isThird(i) << i
	}
	for _, c := range []struct {
		name, body string
		want       func(lane int) uint32
	}{
		{"redux", "redux.sync.add.u32 %r9, %r0, -1;", func(int) uint32 { return 496 }},
		{"redux of some", "and.b32 %r5, %r0, 1;\nsetp.eq.u32 %p2, %r5, 1;\n" +
			"@%p2 redux.sync.add.u32 %r9, %r0, 0xaaaaaaaa;",
			func(i int) uint32 { return uint32(256 * (i % 2)) }},
		{"shfl", "shfl.sync.bfly.b32 %r9, %r4, 1, 31, -1;",
			func(i int) uint32 { return uint32(1000 + (i ^ 1)) }},
		{"vote", "vote.sync.ballot.b32 %r9, %p1, -1;", func(int) uint32 { return thirds }},
		{"match", "match.any.sync.b32 %r9, %r1, -1;\nand.b32 %r9, %r9, 0x49249249;",
			func(i int) uint32 { return isThird(i) * thirds }},
		{"elect", "elect.sync %r5|%p3, -1;\nselp.b32 %r9, 1, 0, %p3;", func(i int) uint32 {
			if i == 0 {
				return 1
			}
			return 0
		}},
		{"bar.warp", "st.shared.b32 [%r3], %r4;\nbar.warp.sync -1;\nxor.b32 %r5, %r0, 31;\n" +
			"mad.lo.u32 %r6, %r5, 16, %r2;\nld.shared.b32 %r9, [%r6];",
			func(i int) uint32 { return uint32(1000 + (i ^ 31)) }},
		{"ldmatrix", "st.shared.v4.b32 [%r3], {%r0, %r0, %r0, %r0};\nbar.warp.sync -1;\n" +
			"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r3];",
			func(i int) uint32 { return uint32(i / 4) }},
		{"mma", "mov.b32 %r5, 0x3f800000;\nmov.b32 %r6, 0;\n" +
			"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%r9, %r10, %r11, %r12}, " +
			"{%r5, %r5, %r5, %r5}, {%r5, %r5}, {%r6, %r6, %r6, %r6};",
			func(int) uint32 { return 0x41000000 }},
	} {
		for _, l := range everyOrder(t) {
			got, err := runParted(t, c.body, "", l)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			for i, v := range got {
				if v != c.want(i) {
					t.Errorf("%s: lane %d has %#x, want %#x", c.name, i, v, c.want(i))
				}
			}
		}
	}
}

// TestMemberFaults: lanes that a mask names and that do not come are an error, not those that have left.
func TestMemberFaults(t *testing.T) {
	for _, c := range []struct{ name, body, detour, want string }{
		{"absent", "@%p1 redux.sync.add.u32 %r9, %r0, -1;\nbar.sync 0;", "",
			"waits for the lanes 0xb6db6db6"},
		{"absent, with a mask", "@%p1 redux.sync.add.u32 %r9, %r0, 0x4924924b;\nbar.sync 0;", "",
			"waits for the lanes 0x2 of its member mask 0x4924924b"},
		{"not named", "redux.sync.add.u32 %r9, %r0, 0xfffffffe;", "", "does not name lane 0"},
		{"left", "redux.sync.add.u32 %r9, %r0, -1;", "ret;", ""},
		{"different instructions", "@%p1 shfl.sync.bfly.b32 %r9, %r4, 1, 31, -1;\n" +
			"@!%p1 shfl.sync.bfly.b32 %r9, %r4, 1, 31, -1;", "", "waits for the lanes"},
		{"not all of a product's", "@%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r3];\n" +
			"bar.sync 0;", "", "waits for the lanes"},
		{"no order without bar.warp", "st.shared.b32 [%r3], %r4;\nvote.sync.ballot.b32 %r9, %p1, -1;\n" +
			"xor.b32 %r5, %r0, 31;\nmad.lo.u32 %r6, %r5, 16, %r2;\nld.shared.b32 %r9, [%r6];", "",
			"no barrier lies between"},
	} {
		if _, err := runParted(t, c.body, c.detour, Launch{}); !wants(err, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestSpin: lanes that wait for others of their warp in a loop do not keep those from running.
func TestSpin(t *testing.T) {
	// the lanes of the detour lie behind those that spin until they have stored
	const spin = "mov.b32 %r7, 0;\nSPIN:\n@%p1 bra DONE;\natom.global.or.b32 %r8, [%rd0+4], 0;\n" +
		"setp.eq.u32 %p4, %r8, 0;\n@%p4 bra SPIN;\nDONE:\n"
	if _, err := runParted(t, spin, "red.global.or.b32 [%rd0+4], 1;", Launch{NoRaces: true}); err != nil {
		t.Error(err)
	}
}
