package cuda

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// hungry is a kernel that needs at least n registers: it loads all before it uses any.
func hungry(n, warps int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n.reqntid %d\n{\n.reg .b64 %%a;\n.reg .f32 %%f<%d>;\n", 32*warps, n+1)
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

func TestCubinRegisters(t *testing.T) {
	if _, err := findPtxas(); err != nil {
		t.Skip(err)
	}
	before := 0
	for _, n := range []int{8, 60, 200} { // the assembler allows itself some more than there are values
		cubin, err := Assemble(context.Background(), "sm_90a", hungry(n, 8))
		if err != nil {
			t.Fatal(err)
		}
		got := cubinRegisters(cubin)
		if got < n || got > 255 || got <= before {
			t.Errorf("a kernel of %d values has %d registers, the one before %d", n, got, before)
		}
		before = got
	}
	if got := cubinRegisters([]byte("no cubin")); got != 0 {
		t.Errorf("%d registers in what is no cubin", got)
	}
}

// The goal is how many programs run anyway, and is given only when registers are left over.
func TestGoal(t *testing.T) {
	for _, test := range []struct {
		capability, warps, shared, registers, goal int
	}{
		{90, 8, 0, 110, 2},         // of 128
		{90, 8, 0, 126, 0},         // of 128: nothing to gain
		{90, 8, 0, 64, 0},          // not many
		{90, 4, 0, 84, 5},          // of 96
		{90, 8, 100 << 10, 72, 2},  // shared memory is the limit
		{90, 8, 227 << 10, 110, 1}, // of 255
		{90, 32, 0, 64, 0},
		{70, 8, 0, 110, 0}, // not known
	} {
		c := Compiler{test.capability}
		code := &Code{PTX: []byte(fmt.Sprintf("x()\n.reqntid %d\n{\n", 32*test.warps)), NumWarps: test.warps, Shared: test.shared}
		ptx := c.withGoal(code, test.registers)
		want := ""
		if test.goal > 0 {
			want = fmt.Sprintf("x()\n.reqntid %d\n.minnctapersm %d\n{\n", 32*test.warps, test.goal)
		}
		if string(ptx) != want {
			t.Errorf("%+v: %q, want %q", test, ptx, want)
		}
	}
}

// The second result of the assembler is taken, the first when there is none.
func TestAssembleBest(t *testing.T) {
	if _, err := findPtxas(); err != nil {
		t.Skip(err)
	}
	c := Compiler{90}
	code := &Code{PTX: hungry(100, 8), NumWarps: 8, Shared: 200 << 10} // which leaves room for one program, with all registers
	for _, second := range []bool{true, false} {
		var seen []string
		var first []byte
		got, err := c.assembleBest(code, func(ptx []byte) ([]byte, error) {
			seen = append(seen, string(ptx))
			if len(seen) == 1 {
				cubin, err := Assemble(context.Background(), c.Arch(), ptx)
				first = cubin
				return cubin, err
			}
			if !second {
				return nil, fmt.Errorf("no")
			}
			return []byte("second"), nil
		})
		if err != nil || len(seen) != 2 || !strings.Contains(seen[1], ".minnctapersm") {
			t.Fatalf("error %v after %d tries, %d registers", err, len(seen), cubinRegisters(first))
		}
		want := string(first)
		if second {
			want = "second"
		}
		if string(got) != want {
			t.Errorf("second %v: the other cubin", second)
		}
	}
}
