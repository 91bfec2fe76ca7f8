package gcn

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestDisassembler compares the text of every instruction of code objects with LLVM's: those in testdata,
// which Triton made of the shared kernels, and what NEREID_TEST_HSACO names.
func TestDisassembler(t *testing.T) {
	objdump := txtest.LLVMTool(t, "llvm-objdump")
	files := txtest.Glob(t, "internal/target/amd/gcn/testdata/*.hsaco")
	more, _ := filepath.Glob(os.Getenv("NEREID_TEST_HSACO"))
	n := 0
	for _, file := range append(files, more...) {
		out, err := exec.Command(objdump, "-d", file).Output()
		if err != nil {
			t.Fatal(err)
		}
		o := readObject(t, file)
		n += compareObject(t, o, string(out))
	}
	t.Logf("%d instructions are LLVM's", n)
	if n < 1000 {
		t.Errorf("%d instructions are too few to say anything", n)
	}
}

var objdumpLine = regexp.MustCompile(`^\t(.*?)\s*// ([0-9A-F]{12}): `)

func readObject(t *testing.T, file string) *Object {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Read(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return o
}

// compareObject compares the kernels of an object with LLVM's text and returns the number of instructions.
func compareObject(t *testing.T, o *Object, dump string) int {
	t.Helper()
	set, err := SetOf(o.Processor)
	if err != nil {
		t.Fatal(err)
	}
	want := map[uint64]string{}
	for line := range strings.Lines(dump) {
		if m := objdumpLine.FindStringSubmatch(line); m != nil {
			addr := uint64(0)
			for _, c := range m[2] {
				addr = addr<<4 | uint64(strings.IndexRune("0123456789ABCDEF", c))
			}
			want[addr] = m[1]
		}
	}
	n := 0
	for _, k := range o.Kernels {
		insts, err := set.DecodeAll(k.Code, k.Entry)
		if err != nil {
			t.Error(err)
		}
		for _, in := range insts {
			if in.String() != want[in.Addr] {
				t.Errorf("%#x: LLVM says %s, we %s", in.Addr, want[in.Addr], in)
			}
			n++
		}
	}
	return n
}

// TestLongDPP: instructions of three words, the last of which picks lanes, as LLVM writes them.
func TestLongDPP(t *testing.T) {
	set, err := SetOf("gfx1100")
	if err != nil {
		t.Fatal(err)
	}
	mc := txtest.LLVMTool(t, "llvm-mc")
	out := disassembleLines(mc, "gfx1100", []string{
		"0x01 0x6a 0x00 0xd7 0xfa 0x02 0x02 0x00 0x01 0x4e 0x08 0xff",
		"0x05 0x00 0x03 0xd5 0xfa 0x04 0x02 0x10 0x01 0xb1 0x00 0xff",
		"0x05 0x01 0x13 0xd6 0xfa 0x04 0x0e 0x44 0x07 0x1b 0x0c 0x5f",
	})
	if strings.Count(out, "_e64_dpp") != 3 {
		t.Fatalf("LLVM says %s", out)
	}
	compareTexts(t, set, out)
}

// TestObject reads what the loader needs of a code object.
func TestObject(t *testing.T) {
	o := readObject(t, "testdata/0035-matmul_kernel.hsaco")
	k, err := o.Kernel("matmul_kernel")
	if err != nil {
		t.Fatal(err)
	}
	if o.Processor != "gfx942" || k.Wave != 64 || k.MaxThreads != 256 || k.Kernarg != 64 ||
		len(k.Args) != 11 || k.AGPRs == 0 {
		t.Errorf("%s, %+v", o.Processor, k)
	}
	if a := k.Args[3]; a.Offset != 24 || a.Size != 4 || a.Kind != "by_value" {
		t.Errorf("the fourth argument is %+v", a)
	}
	if n, from := k.Descriptor.Preload(); n != 14 || from != 0 || k.Descriptor.UserSGPRs() != 16 {
		t.Errorf("%d arguments from %d on in %d SGPRs", n, from, k.Descriptor.UserSGPRs())
	}
	lines := map[int]bool{}
	for at := uint64(0); at < uint64(len(k.Code)); at += 4 {
		p := o.Place(k.Entry + at)
		if filepath.Base(p.File) == "matmul.py" {
			lines[p.Line] = true
		}
	}
	if len(lines) < 10 {
		t.Errorf("code of %d lines of matmul.py", len(lines))
	}
	if _, err := o.Kernel("other"); err == nil || !strings.Contains(err.Error(), "matmul_kernel") {
		t.Errorf("an unknown kernel: %v", err)
	}
}

// FuzzRead: a damaged file is an error.
func FuzzRead(f *testing.F) {
	data, err := os.ReadFile("testdata/0001-add_kernel.hsaco")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:600])
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := Read(data)
		if err != nil {
			return
		}
		set, err := SetOf(o.Processor)
		if err != nil {
			return
		}
		for _, k := range o.Kernels {
			insts, _ := set.DecodeAll(k.Code, k.Entry)
			for _, in := range insts {
				_ = in.String()
			}
		}
	})
}
