package hsaco

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// kernelIR has a kernel that reads a table, so that its code refers to another section.
const kernelIR = `target triple = "amdgcn-amd-amdhsa"
@table = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 5.0], align 16
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %j = and i32 %i, 3
  %p = getelementptr [4 x float], ptr addrspace(4) @table, i32 0, i32 %j
  %v = load float, ptr addrspace(4) %p, align 4
  %q = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %v, ptr addrspace(1) %q, align 4
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
`

func object(t *testing.T, ir string) []byte {
	t.Helper()
	lib := txtest.LLVM(t, llvm.Load)
	target, err := lib.AMDGPU("gfx942")
	txtest.Need(t, "llvm", err)
	out, err := lib.Compile(t.Context(), []byte(ir), llvm.Options{Target: target, Emit: llvm.EmitObj})
	if err != nil {
		t.Fatal(err)
	}
	return out.Obj
}

// TestLink compares with LLVM's linker: the same symbols, notes and code, which refers to the same data.
func TestLink(t *testing.T) {
	obj := object(t, kernelIR)
	got, err := Link(obj)
	if err != nil {
		t.Fatal(err)
	}
	ours := open(t, got)
	syms, err := ours.DynamicSymbols()
	if err != nil || len(syms) != 2 || syms[0].Name+" "+syms[1].Name != "k k.kd" {
		t.Errorf("symbols %v, %v", syms, err)
	}
	theirs := open(t, linkedByLLD(t, obj))
	if a, b := content(t, ours, ".note"), content(t, theirs, ".note"); !bytes.Equal(a, b) {
		t.Errorf("notes %x, LLD has %x", a, b)
	}
	if a, b := descriptor(t, ours), descriptor(t, theirs); !bytes.Equal(a, b) {
		t.Errorf("descriptor %x, LLD has %x", a, b)
	}
	table := bytesAt(t, theirs, tableAt(t, theirs), 16)
	if got := bytesAt(t, ours, tableAt(t, ours), 16); !bytes.Equal(got, table) ||
		le.Uint32(got[12:]) != 0x40a00000 {
		t.Errorf("the code reads %x, LLD's %x", got, table)
	}
}

func linkedByLLD(t *testing.T, obj []byte) []byte {
	t.Helper()
	lld := txtest.LLVMTool(t, "ld.lld")
	in, out := filepath.Join(t.TempDir(), "k.o"), filepath.Join(t.TempDir(), "k.hsaco")
	if err := os.WriteFile(in, obj, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(lld, "-shared", in, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func open(t *testing.T, data []byte) *elf.File {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func content(t *testing.T, f *elf.File, name string) []byte {
	t.Helper()
	s := f.Section(name)
	if s == nil {
		t.Fatalf("there is no section %s", name)
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func symbol(t *testing.T, f *elf.File, name string) elf.Symbol {
	t.Helper()
	syms, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syms {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no symbol %s", name)
	return elf.Symbol{}
}

// descriptor returns a kernel's descriptor without the distance to the code, which is each linker's own. The
// distance must lead to the kernel.
func descriptor(t *testing.T, f *elf.File) []byte {
	t.Helper()
	const entryAt = 16
	kd := symbol(t, f, "k.kd")
	data := bytesAt(t, f, kd.Value, int(kd.Size))
	if to, k := kd.Value+le.Uint64(data[entryAt:]), symbol(t, f, "k").Value; to != k {
		t.Errorf("the descriptor leads to %#x, the kernel is at %#x", to, k)
	}
	clear(data[entryAt : entryAt+8])
	return data
}

// bytesAt returns n bytes at an address.
func bytesAt(t *testing.T, f *elf.File, addr uint64, n int) []byte {
	t.Helper()
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Addr <= addr && addr+uint64(n) <= s.Addr+s.Size {
			return content(t, f, s.Name)[addr-s.Addr:][:n]
		}
	}
	t.Fatalf("there is nothing at %#x", addr)
	return nil
}

// tableAt returns the address of the table that the code computes: s_getpc_b64, then s_add_u32 with the
// distance.
func tableAt(t *testing.T, f *elf.File) uint64 {
	t.Helper()
	code, at := content(t, f, ".text"), f.Section(".text").Addr
	const getPC, add = 0xbe801c00, 0x80000000
	for i := 0; i+12 <= len(code); i += 4 {
		isGet := le.Uint32(code[i:])&0xff80ff00 == getPC
		if isGet && le.Uint32(code[i+4:])&0xff800000 == add {
			return at + uint64(i) + 4 + uint64(int64(int32(le.Uint32(code[i+8:]))))
		}
	}
	t.Fatalf("no address is computed:\n%x", code)
	return 0
}

// TestLinkErrors: what is no object, and what refers to something that is not there.
func TestLinkErrors(t *testing.T) {
	for _, c := range []struct {
		object []byte
		want   string
	}{
		{nil, "hsaco:"},
		{[]byte("\x7fELF"), "hsaco:"},
		{object(t, strings.Replace(kernelIR, "@table = internal addrspace(4) constant [4 x float] "+
			"[float 1.0, float 2.0, float 3.0, float 5.0]",
			"@table = external hidden addrspace(4) constant [4 x float]", 1)),
			"table is not defined"},
	} {
		if _, err := Link(c.object); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	obj := object(t, kernelIR)
	for n := 0; n < len(obj); n += 7 { // no damage makes it crash
		Link(obj[:n])
		bad := bytes.Clone(obj)
		bad[n] ^= 0xff
		Link(bad)
	}
}
