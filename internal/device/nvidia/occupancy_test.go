package nvidia

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// needPtxas returns the path of the assembler, which Triton's package brings.
func needPtxas(t testing.TB) string {
	t.Helper()
	tool, err := FindPtxas()
	txtest.Need(t, "triton", err)
	return tool
}

// hungry is a kernel that needs at least n registers: it loads all before it uses any.
func hungry(n, warps int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n"+
		".reqntid %d\n{\n.reg .b64 %%a;\n.reg .f64 %%d<3>;\n.reg .f32 %%f<%d>;\n", 32*warps, n+1)
	b.WriteString("ld.param.u64 %a, [p];\n")
	for i := range n {
		fmt.Fprintf(&b, "ld.volatile.global.f32 %%f%d, [%%a+%d];\n", i, 4*i)
	}
	for i := range n {
		fmt.Fprintf(&b, "st.volatile.global.f32 [%%a+%d], %%f%d;\n", 4*(n-1-i), i)
	}
	b.WriteString("ret;\n}\n")
	return []byte(b.String())
}

// kernelPTX is a kernel of so many warps with a body.
func kernelPTX(warps int, body string) []byte {
	return fmt.Appendf(nil, ".entry x()\n.reqntid %d\n{\n%s}\n", 32*warps, body)
}

func TestCubinUse(t *testing.T) {
	needPtxas(t)
	before := 0
	for _, n := range []int{8, 60, 200} { // the assembler allows itself some more than there are values
		cubin, err := Assemble(context.Background(), "sm_90a", hungry(n, 8))
		if err != nil {
			t.Fatal(err)
		}
		got := cubinUse(cubin).registers
		if got < n || got > 255 || got <= before {
			t.Errorf("a kernel of %d values has %d registers, the one before %d", n, got, before)
		}
		before = got
	}
	if got := cubinUse([]byte("no cubin")); got != (use{}) {
		t.Errorf("%v in what is no cubin", got)
	}
}

const mmaPTX = "$L1:\n\twgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%f1}, %rd1, %rd2;\n\t@%p1 " +
	"bra \t$L1;\n"

const oncePTX = "\tmma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1}, {%r1}, {%r2}, {%f1};\n"

const meetPTX = "$L1:\n\tbar.sync \t0;\n\t@%p1 bra \t$L1;\n"

const loopPTX = "$L1:\n\tld.global.b32 %r1, [%rd1];\n\t@%p1 bra \t$L1;\n"

// A loop that waits for memory gets one program more where a fifth of the registers pays for it; elsewhere
// the goal is how many programs run anyway, given when registers are left over.
func TestGoal(t *testing.T) {
	for _, test := range []struct {
		capability, warps, shared, registers int
		body                                 string
		goal                                 int
	}{
		{90, 8, 0, 110, "", 2},     // of 128
		{90, 8, 0, 126, "", 0},     // of 128: nothing to gain
		{90, 8, 0, 64, "", 0},      // not many
		{90, 4, 0, 84, "", 5},      // of 96
		{90, 4, 0, 102, mmaPTX, 5}, // products lose 104-96 registers
		{90, 4, 0, 127, mmaPTX, 5}, // 128-96 are a quarter, and few threads run
		{90, 4, 0, 168, mmaPTX, 4}, // 168-128 likewise
		{90, 8, 0, 168, mmaPTX, 2},
		{90, 1, 0, 168, mmaPTX, 0},         // a recurrence keeps its registers
		{90, 1, 17 << 10, 108, mmaPTX, 12}, // and gets those left over, of 168
		{90, 8, 0, 224, mmaPTX, 1},         // 224-128 are more; 255 are left over
		{90, 8, 0, 58, mmaPTX, 5},          // 64-48, and half of the threads run
		{90, 8, 0, 52, mmaPTX, 5},          // 56-48 likewise
		{90, 4, 0, 52, mmaPTX, 0},          // 56-48 are more than a tenth, and more than half run
		{90, 8, 0, 52, oncePTX, 5},         // they may be lost without a loop
		{90, 8, 0, 58, oncePTX, 0},         // not by many registers
		{90, 8, 0, 106, loopPTX, 3},        // 112-80, less than a third
		{90, 8, 100 << 10, 72, "", 2},      // shared memory is the limit
		{90, 8, 227 << 10, 110, "", 1},     // of 255
		{90, 32, 0, 64, "", 0},
		{70, 8, 0, 110, "", 0}, // not known
		{90, 16, 0, 38, loopPTX, 4},
		{90, 16, 0, 38, "", 0},
		{90, 16, 0, 38, "\t@%p1 bra \t$L1;\n$L1:\n", 0}, // forward
		{90, 16, 0, 38, "mma.sync.aligned;\n" + loopPTX, 0},
		{90, 4, 0, 46, "mma.sync.aligned;\n" + loopPTX, 11}, // 48-40, and less than three quarters run
		{90, 4, 0, 40, "mma.sync.aligned;\n" + loopPTX, 0},  // three quarters run
		{90, 8, 0, 80, loopPTX, 4},
		{90, 8, 0, 128, loopPTX, 0},        // three would have 80
		{90, 8, 100 << 10, 80, loopPTX, 2}, // shared memory is the limit
		{90, 4, 0, 32, loopPTX, 0},         // all threads are taken
		{90, 1, 0, 16, loopPTX, 0},         // all programs
	} {
		c := GPU{Capability: test.capability}
		code := &Code{PTX: kernelPTX(test.warps, test.body),
			NumWarps: test.warps, Shared: test.shared}
		got := 0
		if goals := c.search(code, nil).goals(test.registers); len(goals) > 0 {
			got = goals[0].blocks
		}
		if got != test.goal {
			t.Errorf("%+v: %d", test, got)
		}
	}
	for text, want := range map[string]string{
		".entry x()\n.reqntid 64\n{\n}\n": ".entry x()\n.reqntid 64\n.minnctapersm 3\n{\n}\n",
		".entry x()\n{\n}\n":              "",
	} {
		f := readFeatures([]byte(text))
		if got := string(f.withGoal([]byte(text), 3)); got != want {
			t.Errorf("%q", got)
		}
	}
}

// Goals follow each other while they cost little: three for a short kernel, one for a long one. A few bytes
// on the stack are allowed where few programs run, and no products in turn.
func TestGoals(t *testing.T) {
	c := GPU{Capability: 90}
	code := &Code{PTX: kernelPTX(4, loopPTX), NumWarps: 4}
	few, some := rules.FewBytes.Value, rules.SomeBytes.Value
	if got := c.search(code, nil).goals(120); !slices.Equal(got, []goal{{5, some}, {6, 0}}) {
		t.Errorf("goals %v", got)
	}
	if got := c.search(code, nil).goals(224); !slices.Equal(got, []goal{{3, few}}) {
		t.Errorf("goals %v of a kernel of which two blocks run", got)
	}
	code.GridStride = true
	if got := c.search(code, nil).goals(120); !slices.Equal(got, []goal{{4, 0}}) {
		t.Errorf("goals %v of a kernel that strides over the grid", got)
	}
	code.GridStride = false
	if c.search(code, nil).alone() {
		t.Errorf("one block per SM is the goal of a kernel of which many run")
	}
	code.Recurrence = true
	if !c.search(code, nil).alone() {
		t.Errorf("one block per SM is not the goal of a recurrence")
	}
	code.PTX = append(code.PTX, strings.Repeat("\n", rules.ShortPTX.Value)...)
	if got := c.search(code, nil).goals(120); !slices.Equal(got, []goal{{5, some}}) {
		t.Errorf("goals of a long kernel %v", got)
	}
}

// The second result of the assembler is taken, the first when there is none.
func TestAssembleBest(t *testing.T) {
	needPtxas(t)
	c := GPU{Capability: 90}
	// which leaves room for two programs, with all registers
	code := &Code{PTX: hungry(100, 4), NumWarps: 4, Shared: 100 << 10}
	for _, second := range []bool{true, false} {
		var seen []string
		var first []byte
		got, err := c.assembleBest(code, func(ptx []byte, _ bool) (*assembled, error) {
			seen = append(seen, string(ptx))
			if len(seen) == 1 {
				a, err := assembleWith(context.Background(), c.Arch(), ptx, false)
				first = a.cubin
				return a, err
			}
			if !second {
				return nil, fmt.Errorf("no")
			}
			return &assembled{cubin: []byte("second")}, nil
		})
		if err != nil || len(seen) != 2 || !strings.Contains(seen[1], ".minnctapersm") {
			t.Fatalf("error %v after %d tries, %d registers", err, len(seen), cubinUse(first).registers)
		}
		want := string(first)
		if second {
			want = "second"
		}
		if string(got.cubin) != want {
			t.Errorf("second %v: the other cubin", second)
		}
	}
}

// Where an SM has room for one program only, or the kernel has no products, one program is the goal from the
// start.
func TestAssembleAlone(t *testing.T) {
	needPtxas(t)
	c := GPU{Capability: 90}
	const useMMA = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2}, {%d1}, {%d1}, {%d1, %d2};\n"
	for _, test := range []struct {
		shared int
		body   string // of the PTX, in front
		first  bool   // whether the first try has the goal
	}{
		{200 << 10, "", true}, {200 << 10, useMMA, true},
		{100 << 10, "", true}, {100 << 10, useMMA, false},
	} {
		var goals []bool
		text := strings.Replace(string(hungry(100, 8)), "ret;", test.body+"ret;", 1)
		code := &Code{PTX: []byte(text), NumWarps: 8, Shared: test.shared}
		_, err := c.assembleBest(code, func(ptx []byte, _ bool) (*assembled, error) {
			goals = append(goals, strings.Contains(string(ptx), ".minnctapersm"))
			return assembleWith(context.Background(), c.Arch(), ptx, false)
		})
		if err != nil || goals[0] != test.first || test.shared > 100<<10 && len(goals) > 1 {
			t.Errorf("%d bytes: error %v, goals %v", test.shared, err, goals)
		}
	}
}

// A kernel without products that runs fewer programs for a goal than the assembler would let run is assembled
// for as many, with all the registers that they leave, unless that takes a stack.
func TestMorePrograms(t *testing.T) {
	for _, test := range []struct {
		name      string
		body      string
		warps     int
		registers map[int]int // of each goal; 0 is none
		stack     map[int]int
		strides   bool
		want      int // the goal of the code that is taken
	}{
		{"no loop", "", 8, map[int]int{1: 80, 0: 60, 4: 64}, nil, false, 4},
		{"a stack", "", 8, map[int]int{1: 80, 0: 60, 4: 64}, map[int]int{4: 8}, false, 0},
		{"one more", "", 8, map[int]int{1: 98, 0: 80, 3: 76, 4: 64}, nil, false, 4},
		{"one more for a sixth", "", 8, map[int]int{1: 56, 0: 64, 5: 48}, nil, false, 5},
		{"a fifth one for a fifth", "", 4, map[int]int{1: 120, 0: 120, 5: 96}, nil, false, 1},
		{"one more with a value on the stack", "", 8, map[int]int{1: 56, 0: 64, 5: 48}, map[int]int{5: 4},
			false, 1},
		{"one more for a third of the registers", "", 16, map[int]int{1: 62, 0: 62, 3: 40}, nil, false, 1},
		{"threads enough", "", 8, map[int]int{1: 40, 0: 40, 7: 32}, nil, false, 1},
		{"a loop with half of the threads", loopPTX, 16, map[int]int{1: 56, 0: 40, 3: 40}, nil, false, 3},
		{"a loop with three quarters", loopPTX, 16, map[int]int{1: 40, 0: 32, 4: 32}, map[int]int{4: 56},
			false, 1},
		{"a loop of many warps", loopPTX, 32, map[int]int{1: 48, 0: 60, 2: 32}, nil, false, 2},
		{"a loop of many warps with a stack", loopPTX, 32, map[int]int{1: 48, 0: 60, 2: 32},
			map[int]int{2: 4}, false, 1},
		{"a loop of few warps", loopPTX, 8, map[int]int{1: 96, 0: 96, 3: 80}, map[int]int{3: 56}, false, 1},
		{"no more programs", "", 8, map[int]int{1: 62, 0: 60}, nil, false, 1},
		{"all programs", "", 4, map[int]int{1: 32, 0: 16}, nil, false, 1},
		{"a loop, few programs", loopPTX, 8, map[int]int{1: 76, 0: 64, 4: 64}, map[int]int{4: 56}, false, 0},
		{"a loop with many", loopPTX, 4, map[int]int{1: 80, 0: 40, 7: 72}, map[int]int{7: 56}, false, 1},
		{"a loop with many in which threads meet", meetPTX, 4, map[int]int{1: 80, 0: 56, 7: 72},
			map[int]int{7: 56}, false, 0},
		{"threads meet, half of the registers", meetPTX, 4, map[int]int{1: 80, 0: 40, 7: 72},
			map[int]int{7: 56}, false, 1},
		{"threads meet, no more programs", meetPTX, 4, map[int]int{1: 80, 0: 76, 7: 72}, map[int]int{7: 56},
			false, 1},
		{"threads meet, a stack", meetPTX, 4, map[int]int{1: 80, 0: 56, 7: 72}, map[int]int{0: 8, 7: 56},
			false, 1},
		{"threads meet before a loop", "\tbar.sync \t0;\n" + loopPTX, 4, map[int]int{1: 80, 0: 56, 7: 72},
			map[int]int{7: 56}, false, 1},
		{"a loop over the grid", loopPTX, 8, map[int]int{1: 76, 0: 64}, nil, true, 1},
		{"a loop over the grid in which threads meet", meetPTX, 2, map[int]int{1: 38, 0: 31}, nil, true, 0},
		{"some blocks find no room", meetPTX, 2, map[int]int{1: 46, 0: 36}, nil, true, 1},
		{"room for all by spills", meetPTX, 2, map[int]int{1: 38, 0: 31}, map[int]int{0: 8}, true, 1},
		{"products", "mma.sync.aligned;\n", 8, map[int]int{0: 60}, nil, false, 0},
	} {
		code := &Code{
			PTX:      kernelPTX(test.warps, test.body),
			NumWarps: test.warps, GridStride: test.strides,
		}
		got, err := GPU{Capability: 90}.assembleBest(code, func(ptx []byte, _ bool) (*assembled, error) {
			goal := 0
			if _, text, ok := strings.Cut(string(ptx), ".minnctapersm "); ok {
				fmt.Sscan(text, &goal)
			}
			registers, ok := test.registers[goal]
			if !ok {
				return nil, fmt.Errorf("goal %d", goal)
			}
			return &assembled{ptx: []byte{byte(goal)}, use: use{registers, test.stack[goal]}}, nil
		})
		if err != nil || int(got.ptx[0]) != test.want {
			t.Errorf("%s: error %v, got %+v", test.name, err, got)
		}
	}
}

// A kernel with products that has a deep stack and few registers is assembled for one program.
func TestAssemblerWastes(t *testing.T) {
	code := &Code{PTX: kernelPTX(2, "mma.sync.aligned;\n"), NumWarps: 2}
	for one, want := range map[use]use{{255, 2640}: {255, 2640}, {40, 5000}: {32, 5688}} {
		assemble := func(ptx []byte, _ bool) (*assembled, error) {
			if strings.Contains(string(ptx), ".minnctapersm 1\n") {
				return &assembled{use: one}, nil
			}
			return &assembled{use: use{32, 5688}}, nil
		}
		got, err := GPU{Capability: 90}.assembleBest(code, assemble)
		if err != nil || got.use != want {
			t.Errorf("error %v, %+v instead of %+v", err, got.use, want)
		}
	}
}

// A kernel that has a stack and few registers is assembled with fewer optimisations, and that is taken if
// it halves the stack.
func TestAssemblerGaveUp(t *testing.T) {
	needPtxas(t)
	code := &Code{PTX: hungry(200, 2), NumWarps: 2}
	few := []byte(strings.Replace(string(code.PTX), ".reqntid 64\n", ".reqntid 64\n.maxnreg 32\n", 1))
	cubins := map[bool][]byte{}
	for plain, ptx := range map[bool][]byte{false: few, true: code.PTX} {
		cubin, err := Assemble(context.Background(), "sm_90a", ptx)
		if err != nil {
			t.Fatal(err)
		}
		cubins[plain] = cubin
	}
	if u := cubinUse(cubins[false]); u.stack == 0 || u.registers > 32 {
		t.Fatalf("%+v", u)
	}
	for _, worse := range []bool{false, true} {
		tries := 0
		got, err := GPU{Capability: 90}.assembleBest(code,
			func(_ []byte, plain bool) (*assembled, error) {
				tries++
				return &assembled{use: cubinUse(cubins[plain && !worse])}, nil
			})
		if err != nil || tries != 2 || got.use != cubinUse(cubins[!worse]) {
			t.Errorf("error %v after %d tries, %+v", err, tries, got.use)
		}
	}
	code.PTX = few // as its author wanted
	if (GPU{Capability: 90}).search(code, nil).gaveUp(cubinUse(cubins[false])) {
		t.Error("a kernel with .maxnreg has no more registers")
	}

}

// A kernel that needs more registers than there are in any order is not assembled again: what fewer
// optimizations leave on the stack would be about as much.
func TestAssemblerHadNoChoice(t *testing.T) {
	const most = 255
	u := use{registers: 32, stack: 4000}
	for n, want := range map[int]bool{200: true, most + 400: true, most + 600: false} {
		code := &Code{PTX: hungry(n, 2), NumWarps: 2}
		s := GPU{Capability: 90}.search(code, nil)
		if p := s.pressure(); p < n || p > n+20 {
			t.Errorf("%d values: pressure %d", n, p)
		}
		if got := s.gaveUp(u); got != want {
			t.Errorf("%d values and a stack of %d bytes: assembled again %v, want %v", n, u.stack, got, want)
		}
	}
}

func TestPressure(t *testing.T) {
	const ptx = `.visible .entry k() {
	.reg .b32 %r<9>;
	mov.b32 %r1, 0;
	mov.b32 %r2, 1;
	mov.b32 %r3, 2;
	add.s32 %r4, %r3, %r3;
$L__BB0_1:
	add.s32 %r4, %r4, %r1;
	add.s32 %r5, %r4, 1;
	cvt.u64.u32 %rd1, %r5;
	setp.lt.s32 %p1, %r5, 9;
	@%p1 bra $L__BB0_1;
	st.global.b32 [%rd1], %r2;
	ret;
}`
	// in the loop: r1, which the next iteration reads, r2, r4, r5 and the two words of rd1
	f := readFeatures([]byte(ptx))
	if got := f.pressure(); got != 6 {
		t.Errorf("%d registers, want 6", got)
	}
}

func TestHugeKernel(t *testing.T) {
	huge := &Code{PTX: make([]byte, rules.HugePTX.Value+1), NumWarps: 2}
	_, err := GPU{Capability: 90}.assembleBest(huge, func(_ []byte, plain bool) (*assembled, error) {
		if !plain {
			t.Error("a huge kernel takes too long with all optimisations")
		}
		return &assembled{}, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLinesDoNotCount: a text without line information, as bundles have it, is assembled for as many goals as
// the same text with it, near the length from which on there is one goal alone.
func TestLinesDoNotCount(t *testing.T) {
	long := rules.ShortPTX.Value + 500
	for _, c := range []struct {
		text string
		want int
	}{
		{"\t.loc\t1 167 0\n" + strings.Repeat("\n", long), 1},
		{strings.Repeat("\n", long*15/16), 1}, // of the same kernel
		{"\t.loc\t1 167 0\n" + strings.Repeat("\n", long*7/8), 2},
		{strings.Repeat("\n", long*7/8), 2},
	} {
		code := &Code{NumWarps: 4, PTX: kernelPTX(4, loopPTX+c.text)}
		s := GPU{Capability: 90}.search(code, nil)
		if got := len(s.goals(144)); got != c.want {
			t.Errorf("a text of %d bytes has %d goals, want %d", len(code.PTX), got, c.want)
		}
	}
}
