package gcnsim

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// edit is a change to a kernel in assembly: the n-th place, from 0, of the old lines becomes the new lines.
type edit struct {
	n        int
	old, new string
}

// planted are faults of order in the kernels of testdata/order. want is a part of the report, both places
// included; one that is empty says that the fault does no harm, and why stands beside it.
var planted = []struct {
	name, kernel string
	edit         edit
	want         []string
	why          string
}{
	{"barrier dropped", "pipeline", edit{0, "s_barrier", ""},
		[]string{"ds_read_b32 v6", "race on LDS", "ds_write_b32 v1, v3"}, ""},
	{"second barrier of a pipeline dropped", "pipeline", edit{1, "s_barrier", ""},
		[]string{"ds_read_b32", "race on LDS", "ds_write_b32"}, ""},
	{"barrier before the next write dropped", "reduce", edit{1, "s_barrier", ""},
		[]string{"ds_write_b32 v3, v7", "race on LDS", "ds_read_b32"}, ""},
	{"barrier moved before the write", "pipeline",
		edit{0, "ds_write_b32 v1, v3|s_waitcnt lgkmcnt(0)|s_barrier",
			"s_barrier|ds_write_b32 v1, v3|s_waitcnt lgkmcnt(0)"},
		[]string{"ds_read_b32 v6", "race on LDS", "ds_write_b32 v1, v3"}, ""},
	{"barrier moved behind the read", "pipeline",
		edit{0, "s_barrier|ds_read_b32 v6, v2", "ds_read_b32 v6, v2|s_barrier"},
		[]string{"ds_read_b32 v6", "race on LDS", "ds_write_b32 v1, v3"}, ""},
	{"lgkmcnt before a barrier dropped", "pipeline", edit{0, "s_waitcnt lgkmcnt(0)|s_barrier", "s_barrier"},
		[]string{"ds_read_b32 v6", "race on LDS", "ds_write_b32 v1, v3"}, ""},
	{"lgkmcnt before a barrier weakened", "pipeline",
		edit{0, "s_waitcnt lgkmcnt(0)|s_barrier", "s_waitcnt lgkmcnt(1)|s_barrier"},
		[]string{"ds_read_b32 v6", "race on LDS", "ds_write_b32 v1, v3"}, ""},
	{"lgkmcnt moved behind the barrier", "reduce",
		edit{0, "s_waitcnt lgkmcnt(0)|s_barrier", "s_barrier|s_waitcnt lgkmcnt(0)"},
		[]string{"ds_read_b32", "race on LDS", "ds_write_b32 v3, v2"}, ""},
	{"lgkmcnt behind a read dropped", "pipeline",
		edit{0, "s_waitcnt lgkmcnt(0)|v_add_u32 v5, v5, v6", "v_add_u32 v5, v5, v6"},
		[]string{"v_add_u32", "v6 is used before", "ds_read_b32 v6"}, ""},
	{"lgkmcnt behind reads weakened", "reduce",
		edit{0, "s_waitcnt lgkmcnt(0)|v_add_u32", "s_waitcnt lgkmcnt(1)|v_add_u32"},
		[]string{"v_add_u32", "v5 is used before", "ds_read_b32 v5"}, ""},
	{"vmcnt dropped", "pipeline", edit{0, "s_waitcnt vmcnt(1)", ""},
		[]string{"ds_write_b32", "v3 is used before", "global_load_dword v3"}, ""},
	{"vmcnt weakened", "pipeline", edit{1, "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(2)"},
		[]string{"ds_write_b32", "v4 is used before", "global_load_dword v4"}, ""},
	{"vmcnt of a load to LDS before a barrier dropped", "toLDS", edit{0, "s_waitcnt vmcnt(0)", ""},
		[]string{"ds_read_b32 v4", "race on LDS", "global_load_lds_dword"}, ""},
	{"vmcnt of a load to LDS moved behind the barrier", "toLDS",
		edit{1, "s_waitcnt vmcnt(0)|s_barrier", "s_barrier|s_waitcnt vmcnt(0)"},
		[]string{"ds_read_b32 v6", "race on LDS", "global_load_lds_dword"}, ""},
	{"read of LDS before the load to it has ended", "toLDS",
		edit{0, "s_waitcnt vmcnt(0)|s_barrier", "ds_read_b32 v7, v1|s_waitcnt vmcnt(0)|s_barrier"},
		[]string{"ds_read_b32 v7", "still under way", "global_load_lds_dword"}, ""},
	{"load to LDS over a read under way", "toLDS",
		edit{0, "s_waitcnt lgkmcnt(0)|s_barrier|v_add_u32 v1, 0x200, v1",
			"s_barrier|v_add_u32 v1, 0x200, v1"},
		[]string{"global_load_lds_dword", "ds_read_b32"}, ""},
	{"barrier between a read and a load to LDS dropped", "toLDS", edit{1, "s_barrier", ""},
		[]string{"global_load_lds_dword", "race on LDS", "ds_read_b32"}, ""},
	{"lgkmcnt of scalar loads dropped", "atomics",
		edit{0, "s_waitcnt lgkmcnt(0)|s_add_u32 s4", "s_add_u32 s4"},
		[]string{"s_add_u32", "s4 is used before", "s_load_dword s4"}, ""},
	{"lgkmcnt of scalar loads, which end in any order, weakened", "atomics",
		edit{0, "s_waitcnt lgkmcnt(0)|s_add_u32 s4, s4, s5", "s_waitcnt lgkmcnt(1)|s_add_u32 s4, s4, s4"},
		[]string{"s_add_u32", "s4 is used before", "s_load_dword s4"}, ""},
	{"barrier between a write and atomics dropped", "atomics", edit{0, "s_barrier", ""},
		[]string{"ds_add_u32", "race on LDS", "ds_write_b32"}, ""},
	{"barrier between atomics and a read dropped", "atomics", edit{1, "s_barrier", ""},
		[]string{"race on LDS", "ds_read_b32", "ds_add_u32"}, ""},
	{"lgkmcnt of a flat load dropped", "atomics",
		edit{0, "s_waitcnt vmcnt(0) lgkmcnt(0)|v_add_u32 v3, v3, v4",
			"s_waitcnt vmcnt(0)|v_add_u32 v4, v4, v4"},
		[]string{"v_add_u32", "v4 is used before", "flat_load_dword"}, ""},
	{"vmcnt of an atomic's result dropped", "atomics", edit{0, "s_waitcnt vmcnt(0)|v_sub", "v_sub"},
		[]string{"v_sub_u32", "v5 is used before", "global_atomic_add"}, ""},
	{"barrier between a store and a load of global memory dropped", "global942", edit{0, "s_barrier", ""},
		[]string{"race on global", "global_load_dword v3", "global_store_dword"}, ""},
	{"scalar load of what was stored", "global942",
		edit{0, "global_load_dword v3, v2, s[0:1] offset:1024|s_waitcnt vmcnt(0)",
			"s_load_dword s4, s[0:1], 0x400|s_waitcnt lgkmcnt(0)|v_mov_b32 v3, s4"},
		[]string{"s_load_dword s4", "scalar cache", "global_store_dword"}, ""},
	{"barrier behind a scalar load dropped", "scalar942", edit{0, "s_barrier", ""},
		[]string{"global address", "global_store_dword", "s_load_dword s4"}, ""},
	{"lgkmcnt of a scalar load moved behind the barrier", "scalar942",
		edit{0, "s_waitcnt lgkmcnt(0)|s_barrier", "s_barrier|s_waitcnt lgkmcnt(0)"},
		[]string{"race on global", "global_store_dword", "s_load_dword s4"}, ""},
	{"vscnt dropped", "global1100", edit{0, "s_waitcnt_vscnt null, 0x0", ""},
		[]string{"race on global", "global_load_b32 v3", "global_store_b32"}, ""},
	{"vscnt moved behind the barrier", "global1100",
		edit{0, "s_waitcnt_vscnt null, 0x0|s_barrier", "s_barrier|s_waitcnt_vscnt null, 0x0"},
		[]string{"race on global", "global_load_b32 v3", "global_store_b32"}, ""},
	{"buffer_gl0_inv dropped", "global1100", edit{0, "buffer_gl0_inv", ""},
		[]string{"buffer_gl0_inv is missing", "global_load_b32 v3", "global_store_b32"}, ""},
	{"buffer_gl0_inv moved before the barrier", "global1100",
		edit{0, "s_barrier|buffer_gl0_inv", "buffer_gl0_inv|s_barrier"},
		[]string{"buffer_gl0_inv is missing", "global_load_b32 v3", "global_store_b32"}, ""},
	{"vmcnt of a load before a barrier dropped on RDNA", "global1100", edit{0, "s_waitcnt vmcnt(0)", ""},
		[]string{"race on global", "global_store_b32", "global_load_b32 v4"}, ""},

	{"vmcnt of a store before a barrier dropped on CDNA", "global942", edit{0, "s_waitcnt vmcnt(0)", ""},
		nil, "waves of a workgroup share a cache, which the barrier keeps in order"},
	{"vscnt between a wave's own store and load dropped", "own1100",
		edit{0, "s_waitcnt_vscnt null, 0x0", ""}, nil, "a wave's own accesses to a place stay in order"},
	{"vmcnt at the end dropped", "pipeline", edit{0, "s_waitcnt vmcnt(0)|s_endpgm", "s_endpgm"},
		nil, "the hardware ends stores of waves that have ended"},
	{"barrier doubled", "reduce", edit{1, "s_barrier", "s_barrier|s_barrier"}, nil, "nothing lies between"},
	{"expcnt added", "pipeline", edit{0, "s_waitcnt vmcnt(1)", "s_waitcnt vmcnt(1) expcnt(0)"},
		nil, "it counts exports, of which there are none"},
}

// TestPlantedOrder plants faults of order in kernels, and runs them, and the kernels as they are, under all
// orders. Every fault is reported under every order, with both places, or does no harm: then the results are
// right under every order.
func TestPlantedOrder(t *testing.T) {
	right := map[string][]byte{}
	for _, c := range planted {
		if right[c.kernel] == nil {
			right[c.kernel] = runAll(t, c.kernel, nil, nil)
		}
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			got := runAll(t, c.kernel, &c.edit, c.want)
			if c.want == nil && !bytes.Equal(got, right[c.kernel]) {
				t.Errorf("results differ, although %s", c.why)
			}
		})
	}
}

// runAll runs a kernel, edited, under all orders. It returns the memory, which must be the same under all, or
// looks for the parts of the report.
func runAll(t *testing.T, kernel string, e *edit, want []string) (memory []byte) {
	t.Helper()
	p := assembled(t, kernel, e)
	for _, name := range allOrders {
		got, err := runProgram(t, p, name)
		var f *Fault
		switch {
		case want == nil && err != nil:
			t.Fatalf("%s: %v", name, err)
		case want == nil && memory != nil && !bytes.Equal(memory, got):
			t.Fatalf("%s: memory differs from that under the order %s", name, allOrders[0])
		case want == nil:
			memory = got
		case !errors.As(err, &f) || !f.Race && !f.Wait:
			t.Errorf("%s: no fault is found: %v", name, err)
		default:
			for _, part := range want {
				if !strings.Contains(f.Error(), part) {
					t.Errorf("%s: %v\nlacks %q", name, err, part)
				}
			}
		}
	}
	return memory
}

// runProgram runs a program in two waves on 4 KiB of memory that hold small numbers.
func runProgram(t *testing.T, p *program, order string) ([]byte, error) {
	t.Helper()
	o, err := ParseOrder(order)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 4096)
	for i := range data {
		data[i] = byte(i * 7 % 31)
	}
	l := &Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Threads: 2 * p.lanes, LDS: 2048, Memory: NewMemory(),
		Order: o}
	l.Memory.Alloc(data)
	m := &Module{Object: &gcn.Object{Kernels: []*gcn.Kernel{p.kernel}}, kernels: map[string]*program{"k": p}}
	return data, m.Run(context.Background(), l)
}

// assembled returns the program of a kernel in testdata/order, edited.
func assembled(t *testing.T, kernel string, e *edit) *program {
	t.Helper()
	text := txtest.Read(t, filepath.Join("testdata", "order", kernel+".s"))
	chip, _, _ := strings.Cut(strings.TrimPrefix(text, "; "), ":")
	if e != nil {
		text = e.apply(t, text)
	}
	set, err := gcn.SetOf(chip)
	if err != nil {
		t.Fatal(err)
	}
	k := &gcn.Kernel{Name: "k", Wave: 64, Code: assemble(t, chip, text)}
	if chip == "gfx1100" {
		k.Wave = 32
	}
	p, err := newProgram(set, &gcn.Object{}, k, false)
	if err != nil {
		t.Fatal(err)
	}
	p.apart = k.Wave == 32
	return p
}

// apply edits a text; | stands between lines.
func (e *edit) apply(t *testing.T, text string) string {
	t.Helper()
	old := strings.ReplaceAll(e.old, "|", "\n  ")
	parts := strings.Split(text, old)
	if len(parts) < e.n+2 {
		t.Fatalf("%q does not stand there %d times", e.old, e.n+1)
	}
	return strings.Join(parts[:e.n+1], old) + strings.ReplaceAll(e.new, "|", "\n  ") +
		strings.Join(parts[e.n+1:], old)
}

// assemble returns the code of assembly.
func assemble(t *testing.T, chip, text string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "k.o")
	mc := exec.Command(txtest.LLVMTool(t, "llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu="+chip,
		"-filetype=obj", "-o", out)
	mc.Stdin, mc.Stderr = strings.NewReader(text), os.Stderr
	if err := mc.Run(); err != nil {
		t.Fatal(err)
	}
	f := txtest.Open(t, elf.Open, out)
	code, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}
