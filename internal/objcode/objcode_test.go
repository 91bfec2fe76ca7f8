package objcode

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// kernelIR has what kernels have, a vector of constants among it.
var kernelIR = txtest.ObjectIR(
	"@halves = private unnamed_addr constant [8 x i16] [i16 1, i16 2, i16 3, i16 4, i16 5, i16 6, i16 "+
		"7, i16 8]",
	`%v = load <8 x i16>, ptr @halves
  %w = extractelement <8 x i16> %v, i64 %i
  %g = zext i16 %w to i64`)

func compile(t testing.TB, ir string, target llvm.Target) []byte {
	t.Helper()
	lib := txtest.LLVM(t, llvm.Load)
	if target.Triple == "" {
		target = lib.HostTarget()
	}
	target.Reloc = llvm.RelocPIC
	out, err := lib.Compile(context.Background(), []byte(ir),
		llvm.Options{Target: target, Emit: llvm.EmitObj})
	if err != nil {
		t.Fatal(err)
	}
	return out.Obj
}

var ours = sync.OnceValue(func() map[string]uintptr {
	return map[string]uintptr{"ours": dl.NewCallback(func() uintptr { return 1000 })}
})

func TestLink(t *testing.T) {
	if !Supported() {
		txtest.NotHere(t, "no memory for code")
	}
	obj := compile(t, kernelIR, llvm.Target{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20 {
				c, err := Link(obj, "entry", ours())
				if err != nil {
					t.Error(err)
					return
				}
				if got := dl.Call(c.Entry, 1); got != 20+2+1+2+1000 {
					t.Errorf("got %d", got)
				}
				if c.Size() == 0 || c.Close() != nil || c.Close() != nil {
					t.Error("it does not close")
				}
			}
		})
	}
	all.Wait()
}

func TestRefused(t *testing.T) {
	if !Supported() {
		txtest.NotHere(t, "no memory for code")
	}
	obj := compile(t, kernelIR, llvm.Target{})
	for _, c := range []struct {
		name, entry, want string
		obj               []byte
		symbols           map[string]uintptr
		unsupported       bool
	}{
		{"an entry that is not there", "nowhere", "no function nowhere", obj, ours(), false},
		{"a symbol that is not there", "entry", "nobody defines ours", obj, nil, false},
		{"no object file", "entry", "no ELF object file", []byte("no object file"), nil, false},
		{"nothing", "entry", "no ELF object file", nil, nil, false},
		{"a variable", "f", "the section .", compile(t, `@v = global i64 5
			define i64 @f() { %a = load volatile i64, ptr @v
			ret i64 %a }`, llvm.Target{}), nil, true},
		{"another processor", "f", "processors, and this is",
			compile(t, `define i64 @f() { ret i64 1 }`, foreign()), nil, false},
	} {
		_, err := Link(c.obj, c.entry, c.symbols)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			errors.Is(err, ErrUnsupported) != c.unsupported {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Targets whose relocations the judge looks at.
var targets = map[string]llvm.Target{
	"amd64": {Triple: "x86_64-unknown-linux-gnu", CPU: "x86-64-v3"},
	"arm64": {Triple: "aarch64-unknown-linux-gnu", CPU: "neoverse-v1"},
}

// foreign returns the target that this machine is not.
func foreign() llvm.Target {
	if runtime.GOARCH == "amd64" {
		return targets["arm64"]
	}
	return targets["amd64"]
}

// TestJudge links for both processors what lld links too, with all sections at the same places: the bytes
// are the same, except where addresses are read from tables that each linker makes for itself.
func TestJudge(t *testing.T) {
	lld := txtest.LLVMTool(t, "ld.lld")
	for name, target := range targets {
		t.Run(name, func(t *testing.T) {
			obj := compile(t, kernelIR, target)
			const base, pow, ours = 0x400000, 0x500000, 0x510000
			find := map[string]uint64{"pow": pow, "ours": ours}
			o, err := parse(obj)
			if err != nil {
				t.Fatal(err)
			}
			mem := make([]byte, o.size)
			entry, err := o.link(mem, base, "entry", func(name string) (uint64, error) {
				return find[name], nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := lldLink(t, lld, obj, o, base, find)
			if want.Entry != entry {
				t.Errorf("the entry is at %#x, not %#x", entry, want.Entry)
			}
			compared := 0
			for _, s := range want.Sections {
				if s.Flags&elf.SHF_ALLOC == 0 || s.Addr < base || s.Addr-base >= uint64(len(mem)) {
					continue
				}
				data, err := s.Data()
				if err != nil {
					t.Fatal(err)
				}
				got := mem[s.Addr-base:][:len(data)]
				o.maskSlots(got, data, s.Addr-base)
				if compared++; !bytes.Equal(got, data) {
					t.Errorf("%s differs:\n% x\n% x", s.Name, got, data)
				}
			}
			if compared < 3 {
				t.Errorf("only %d sections were compared", compared)
			}
		})
	}
}

// maskSlots clears the places of relocations to slots in both images of a section.
func (o *object) maskSlots(a, b []byte, at uint64) {
	for _, r := range o.relocs {
		how := o.arch.relocs[r.kind]
		if p := r.in.at + r.offset; how.slot && p >= at && p < at+uint64(len(a)) {
			clear(a[p-at:][:how.size])
			clear(b[p-at:][:how.size])
		}
	}
}

// lldLink links with lld, with the sections where o has them.
func lldLink(t *testing.T, lld string, obj []byte, o *object, base uint64, find map[string]uint64) *elf.File {
	t.Helper()
	dir := t.TempDir()
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		t.Fatal(err)
	}
	script := "SECTIONS {\n"
	for i, s := range o.sections {
		if s != nil && len(s.data) > 0 {
			script += fmt.Sprintf("%s %#x : { *(%[1]s) }\n", f.Sections[i].Name, base+s.at)
		}
	}
	script += ".got 0x480000 : { *(.got) }\n}\n"
	in, out, how := filepath.Join(dir, "in.o"), filepath.Join(dir, "out"), filepath.Join(dir, "script")
	if err := errors.Join(os.WriteFile(in, obj, 0o600),
		os.WriteFile(how, []byte(script), 0o600)); err != nil {
		t.Fatal(err)
	}
	args := []string{"-static", "--no-relax", "-e", "entry", "-T", how, "-o", out, in}
	for name, at := range find {
		args = append(args, fmt.Sprintf("--defsym=%s=%#x", name, at))
	}
	if text, err := exec.Command(lld, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	linked, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { linked.Close() })
	return linked
}

// TestFarCalls puts the functions that code calls out of reach: calls go through slots, which hold the
// addresses.
func TestFarCalls(t *testing.T) {
	for name, target := range targets {
		o, err := parse(compile(t, kernelIR, target))
		if err != nil {
			t.Fatal(name, err)
		}
		const far = 0x7fff_1234_5670
		mem := make([]byte, o.size)
		if _, err := o.link(mem, 0x400000, "entry", func(string) (uint64, error) {
			return far, nil
		}); err != nil {
			t.Fatal(name, err)
		}
		if len(o.slots) < 2 {
			t.Errorf("%s: %d slots", name, len(o.slots))
		}
		for _, at := range o.slots {
			if !bytes.HasPrefix(mem[at:], o.arch.jump) || little.Uint64(mem[at+addressInSlot:]) != far {
				t.Errorf("%s: a slot % x", name, mem[at:at+slotSize])
			}
		}
	}
}

// TestInstructions checks fields of arm64's instructions at their bounds.
func TestInstructions(t *testing.T) {
	r := archs[elf.EM_AARCH64].relocs
	for _, c := range []struct {
		kind     elf.R_AARCH64
		in, want uint32
		to, at   uint64
		ok       bool
	}{
		{elf.R_AARCH64_CALL26, 0x94000000, 0x97ffffff, 0x1000, 0x1004, true},
		{elf.R_AARCH64_CALL26, 0x94000000, 0x95ffffff, 0x1000 + 1<<27 - 4, 0x1000, true},
		{elf.R_AARCH64_CALL26, 0x94000000, 0, 0x1000 + 1<<27, 0x1000, false},
		{elf.R_AARCH64_CALL26, 0x94000000, 0, 0x1002, 0x1000, false},
		{elf.R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0xb0000000, 0x401010, 0x400ff8, true},
		{elf.R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0xf0ffffe0, 0x3ff010, 0x400ff8, true},
		{elf.R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0, 1 << 40, 0x400ff8, false},
		{elf.R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0x913ffc00, 0x400fff, 0, true},
		{elf.R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00000, 0x3dc3fc00, 0x400ff0, 0, true},
		{elf.R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00000, 0, 0x400ff8, 0, false},
	} {
		var p [4]byte
		little.PutUint32(p[:], c.in)
		err := r[uint32(c.kind)].write(p[:], c.to, c.at)
		if got := little.Uint32(p[:]); (err == nil) != c.ok || c.ok && got != c.want {
			t.Errorf("%v: %08x, not %08x; %v", c.kind, got, c.want, err)
		}
	}
}

// FuzzLink changes object files: none panics, or writes beside its memory. Nothing is run.
func FuzzLink(f *testing.F) {
	for _, target := range targets {
		f.Add(compile(f, kernelIR, target))
	}
	f.Fuzz(func(t *testing.T, obj []byte) {
		o, err := parse(obj)
		if err != nil || o.size > 1<<20 {
			return
		}
		mem := make([]byte, o.size)
		_, _ = o.link(mem, 0x400000, "entry", func(string) (uint64, error) { return 0x500000, nil })
	})
}

func BenchmarkLink(b *testing.B) {
	obj := compile(b, kernelIR, llvm.Target{})
	for b.Loop() {
		c, err := Link(obj, "entry", ours())
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
