package ptxsim

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestParseGoldens reads the PTX that Triton made of the sample kernels.
func TestParseGoldens(t *testing.T) {
	for _, path := range txtest.Glob(t, "testdata/golden/cuda-*/*.ptx") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestLocal: memory of a thread's own is declared in a function, and is no line of debug information.
func TestLocal(t *testing.T) {
	m, err := Parse([]byte(".visible .entry k()\n{\n\t.local .align 8 .b8 \t__local_depot0[24];\n" +
		"\t.loc\t1 4 0\n\tret;\n}\n"))
	if err != nil || m.localSize != 24 {
		t.Errorf("%d bytes, %v", m.localSize, err)
	}
}

// TestRelu: a minimum or maximum of signed integers with .relu is not negative.
func TestRelu(t *testing.T) {
	m, err := Parse([]byte(`
.visible .entry k(.param .u64 p)
.reqntid 32
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<2>;
	mov.b32 %r0, -7;
	mov.b32 %r1, 5;
	min.relu.s32 %r2, %r0, %r1;
	max.relu.s32 %r3, %r0, -9;
	min.s32 %r4, %r0, %r1;
	ld.param.u64 %rd0, [p];
	st.global.b32 [%rd0], %r2;
	st.global.b32 [%rd0+4], %r3;
	st.global.b32 [%rd0+8], %r4;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	mem, out := NewMemory(), make([]byte, 12)
	err = m.Run(context.Background(), &Launch{Kernel: "k", Grid: [3]int{1, 1, 1},
		Args: []uint64{mem.Alloc(out)}, Memory: mem})
	want := []byte{8: 0xf9, 9: 0xff, 10: 0xff, 11: 0xff}
	if err != nil || !bytes.Equal(out, want) {
		t.Errorf("%v, %v", out, err)
	}
}

// TestCompareHalves: a comparison of pairs has a predicate for each half.
func TestCompareHalves(t *testing.T) {
	m, err := Parse([]byte(`
.visible .entry k(.param .u64 p)
.reqntid 32
{
	.reg .pred %p<3>;
	.reg .b32 %r<5>;
	.reg .b64 %rd<2>;
	mov.b32 %r0, 0x3F804000;
	mov.b32 %r1, 0x3F803F80;
	setp.eq.bf16x2 %p1|%p2, %r0, %r1;
	selp.b32 %r2, 1, 0, %p1;
	selp.b32 %r3, 2, 0, %p2;
	or.b32 %r4, %r2, %r3;
	ld.param.u64 %rd0, [p];
	st.global.b32 [%rd0], %r4;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	mem, out := NewMemory(), make([]byte, 4)
	err = m.Run(context.Background(), &Launch{Kernel: "k", Grid: [3]int{1, 1, 1},
		Args: []uint64{mem.Alloc(out)}, Memory: mem})
	if err != nil || out[0] != 2 {
		t.Errorf("%v, %v", out, err)
	}
}

// TestTable: brx.idx goes to the label that a register counts.
func TestTable(t *testing.T) {
	m, err := Parse([]byte(`
.visible .entry k(.param .u64 p)
.reqntid 32
{
	.reg .b32 %r<5>;
	.reg .b64 %rd<4>;
	mov.u32 %r0, %tid.x;
	and.b32 %r1, %r0, 1;
	$L_brx_0: .branchtargets
		$L1,
		$L2;
	brx.idx %r1, $L_brx_0;
$L1:
	mov.b32 %r2, 10;
	bra $L3;
$L2:
	mov.b32 %r2, 20;
$L3:
	ld.param.u64 %rd0, [p];
	mul.wide.u32 %rd1, %r0, 4;
	add.s64 %rd2, %rd0, %rd1;
	st.global.b32 [%rd2], %r2;
	ret;
}
`))
	if err != nil {
		t.Fatal(err)
	}
	mem, out := NewMemory(), make([]byte, 128)
	err = m.Run(context.Background(), &Launch{Kernel: "k", Grid: [3]int{1, 1, 1},
		Args: []uint64{mem.Alloc(out)}, Memory: mem})
	if err != nil || out[0] != 10 || out[4] != 20 || out[8] != 10 {
		t.Errorf("%v, %v", out, err)
	}
}

// TestContext: a kernel without an end stops when its context does.
func TestContext(t *testing.T) {
	m, err := Parse([]byte(".visible .entry k()\n.reqntid 64\n{\n$again:\n\tbra.uni $again;\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	err = m.Run(ctx, &Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Memory: NewMemory(), Steps: math.MaxInt})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
