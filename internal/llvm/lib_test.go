package llvm

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/txtest"
)

func TestMissingLibrary(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "libLLVM.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := openFirst([]dl.Candidate{filepath.Join(dir, "libLLVM.so.22.1"),
		filepath.Join(dir, "libLLVM-22.so"), text})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("openFirst: %v", err)
	}
	for _, want := range []string{
		"libLLVM 17 to 22 cannot be opened",
		"\n  " + text + ": ",
		"\n  not found: " + filepath.Join(dir, "libLLVM.so.22.1") + ", " +
			filepath.Join(dir, "libLLVM-22.so"), "apt install libllvm22",
		"NEREID_LLVM",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
}

func TestOtherLibrary(t *testing.T) {
	if runtime.GOOS != "linux" {
		txtest.NotHere(t, "no name for libc on %s", runtime.GOOS)
	}
	_, err := Open("libc.so.6")
	if err == nil || !strings.Contains(err.Error(),
		"no LLVMGetVersion: LLVM 15 or older, or no LLVM at all") {
		t.Errorf("Open: %v", err)
	}
}

func TestCandidates(t *testing.T) {
	t.Setenv("NEREID_LLVM", "")
	list := candidates()
	if runtime.GOOS == "linux" && (list[0] != "libLLVM.so.22.1" ||
		list[len(list)-1] != "/usr/local/lib/libLLVM.so") {
		t.Errorf("the search goes from %s to %s", list[0], list[len(list)-1])
	}
	for _, c := range list {
		if strings.Contains(c, "%") {
			t.Errorf("%s", c)
		}
	}
	t.Setenv("NEREID_LLVM", "/opt/mine/libLLVM.so")
	if list := candidates(); len(list) != 1 || list[0] != "/opt/mine/libLLVM.so" {
		t.Errorf("NEREID_LLVM is one of %q", list)
	}
}

func TestOpenByPath(t *testing.T) {
	lib, err := Open(load(t).Path())
	if err != nil {
		t.Fatal(err)
	}
	if lib != load(t) {
		t.Error("one library was started twice")
	}
}

// cString is a C string as LLVM would give it.
func cString(text string) *byte { return &append([]byte(text), 0)[0] }

// fake is a library without LLVM: every object is the number 1, and what happens is written down.
func fake() (*Lib, *[]string) {
	var calls []string
	note := func(text string) { calls = append(calls, text) }
	lib := &Lib{path: "fake.so", version: Version{22, 1, 0}, families: map[string]bool{"NVPTX": true}}
	lib.raw = raw{
		disposeMessage:       func(*byte) {},
		getErrorMessage:      func(e errorRef) *byte { return cString("unknown pass") },
		disposeErrorMessage:  func(*byte) { note("dispose error") },
		contextCreate:        func() contextRef { note("context"); return 1 },
		contextDispose:       func(contextRef) { note("dispose context") },
		setDiagnosticHandler: func(contextRef, uintptr, uintptr) {},
		bufferCopy:           func(*byte, uintptr, string) bufferRef { return 1 },
		parseIR: func(_ contextRef, _ bufferRef, m *moduleRef, _ **byte) int32 {
			note("parse")
			*m = 1
			return 0
		},
		disposeModule: func(moduleRef) { note("dispose module") },
		verifyModule:  func(moduleRef, int32, **byte) int32 { note("verify"); return 0 },
		setTriple:     func(_ moduleRef, triple string) { note(triple) },
		setLayout:     func(moduleRef, layoutRef) {},
		createLayout:  func(machineRef) layoutRef { return 1 },
		disposeLayout: func(layoutRef) {},
		targetOf:      func(string, *targetRef, **byte) int32 { return 0 },
		createMachine: func(_ targetRef, _, cpu, features string, level, _, _ int32) machineRef {
			note("machine " + cpu + " " + features)
			return 1
		},
		disposeMachine: func(machineRef) { note("dispose machine") },
		runPasses: func(_ moduleRef, passes string, _ machineRef, _ passOptionsRef) errorRef {
			note(passes)
			return 0
		},
		createPassOptions:   func() passOptionsRef { return 1 },
		disposePassOptions:  func(passOptionsRef) { note("dispose options") },
		setVerifyEach:       func(passOptionsRef, int32) {},
		setLoopInterleaving: func(passOptionsRef, int32) {},
		setLoopUnrolling:    func(passOptionsRef, int32) {},
		setMergeFunctions:   func(passOptionsRef, int32) {},
		setAsmVerbosity:     func(machineRef, int32) {},
		emitToBuffer: func(machineRef, moduleRef, int32, **byte, *bufferRef) int32 {
			note("emit")
			return 0
		},
		bufferStart:   func(bufferRef) *byte { return cString("// code\n.target sm_80, debug\n") },
		bufferSize:    func(bufferRef) uintptr { return 29 },
		bufferDispose: func(bufferRef) { note("dispose buffer") },
	}
	return lib, &calls
}

// The order of calls, and that all is given back, wherever it ends.
func TestFake(t *testing.T) {
	start := "machine sm_80 +ptx83, context, parse"
	prepared := start + ", nvptx64-nvidia-cuda, verify"
	end := "dispose module, dispose context, dispose machine"
	for _, c := range []struct {
		name    string
		spoil   func(*raw)
		calls   string
		wantErr string
	}{
		{"good", nil, prepared + ", default<O2>, dispose options, emit, dispose buffer, " + end, ""},
		{
			"parse", func(r *raw) {
				r.parseIR = func(_ contextRef, _ bufferRef, _ *moduleRef, message **byte) int32 {
					*message = cString("k.ll:1:3: error: strange\n")
					return 1
				}
			},
			"machine sm_80 +ptx83, context, dispose context, dispose machine",
			"k.ll:1:3: strange\n    the text\n      ^",
		},
		{
			"verify", func(r *raw) {
				r.verifyModule = func(_ moduleRef, _ int32, message **byte) int32 {
					*message = cString("wrong\n")
					return 1
				}
			},
			start + ", nvptx64-nvidia-cuda, " + end, "k.ll: invalid LLVM IR: wrong",
		},
		{
			"passes", func(r *raw) {
				r.runPasses = func(moduleRef, string, machineRef, passOptionsRef) errorRef { return 7 }
			},
			prepared + ", dispose error, dispose options, " + end, "k.ll: LLVM passes: unknown pass",
		},
		{
			"emit", func(r *raw) {
				r.emitToBuffer = func(_ machineRef, _ moduleRef, _ int32, message **byte,
					_ *bufferRef) int32 {
					*message = cString("cannot")
					return 1
				}
			},
			prepared + ", default<O2>, dispose options, " + end, "k.ll: LLVM code generation: cannot",
		},
		{
			"machine", func(r *raw) {
				r.createMachine = func(targetRef, string, string, string, int32, int32, int32) machineRef {
					return 0
				}
			},
			"", "LLVM 22.1.0 makes no code for nvptx64-nvidia-cuda",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			lib, calls := fake()
			target, err := lib.NVPTX("sm_80", 0)
			if err != nil {
				t.Fatal(err)
			}
			if c.spoil != nil {
				c.spoil(&lib.raw)
			}
			out, err := lib.Compile(context.Background(), []byte("the text"),
				Options{Name: "k.ll", Target: target, Level: O2})
			if got := strings.Join(*calls, ", "); got != c.calls {
				t.Errorf("calls\n%s\nwant\n%s", got, c.calls)
			}
			switch {
			case c.wantErr != "" && (err == nil || err.Error() != c.wantErr):
				t.Errorf("error %v, want %s", err, c.wantErr)
			case c.wantErr == "" && err != nil:
				t.Error(err)
			case c.wantErr == "" && string(out.Asm) != "// code\n.target sm_80\n":
				t.Errorf("%q", out.Asm)
			}
		})
	}
}

func TestFakeTargets(t *testing.T) {
	lib, _ := fake()
	if _, err := lib.AMDGPU("gfx942"); err == nil ||
		err.Error() != "fake.so (LLVM 22.1.0) was built without the AMDGPU target" {
		t.Errorf("AMDGPU: %v", err)
	}
	_, err := lib.Compile(context.Background(), nil, Options{FastMath: Contract})
	if err == nil || !strings.Contains(err.Error(), "fast-math flags need LLVM 18") {
		t.Errorf("FastMath: %v", err)
	}
}

// Each field of the raw layer is in the table of symbols once, under a name of LLVM's C or C++ interface.
func TestSymbolTable(t *testing.T) {
	var r raw
	seen := map[any]bool{}
	for _, row := range r.symbols() {
		inC, inCxx := strings.HasPrefix(row.Symbol, "LLVM"), strings.Contains(row.Symbol, "4llvm")
		if seen[row.Ptr] || !inC && !(inCxx && row.Optional) {
			t.Errorf("%s", row.Symbol)
		}
		seen[row.Ptr] = true
	}
	if n := fields(&r); len(seen) != n {
		t.Errorf("%d symbols for %d fields", len(seen), n)
	}
}
