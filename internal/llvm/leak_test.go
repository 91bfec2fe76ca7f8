package llvm

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// ledger counts the objects that LLVM made for us and that we gave back.
type ledger struct{ balance [8]atomic.Int64 }

var accounts = [8]string{"context", "module", "machine", "layout", "pass options", "buffer", "JIT", "message"}

// audited is a library whose calls are counted.
func audited(lib *Lib) (*Lib, *ledger) {
	l := &ledger{}
	copied := *lib
	r, real := &copied.raw, lib.raw
	r.contextCreate = func() contextRef { l.balance[0].Add(1); return real.contextCreate() }
	r.contextDispose = func(c contextRef) { l.balance[0].Add(-1); real.contextDispose(c) }
	r.cloneModule = func(m moduleRef) moduleRef { l.balance[1].Add(1); return real.cloneModule(m) }
	r.disposeModule = func(m moduleRef) { l.balance[1].Add(-1); real.disposeModule(m) }
	r.parseIR = func(c contextRef, b bufferRef, m *moduleRef, message **byte) int32 {
		l.balance[5].Add(-1)
		status := real.parseIR(c, b, m, message)
		if status == 0 {
			l.balance[1].Add(1)
		} else {
			l.balance[7].Add(1)
		}
		return status
	}
	r.createMachine = func(t targetRef, triple, cpu, features string, level, reloc, model int32) machineRef {
		l.balance[2].Add(1)
		return real.createMachine(t, triple, cpu, features, level, reloc, model)
	}
	r.disposeMachine = func(m machineRef) { l.balance[2].Add(-1); real.disposeMachine(m) }
	r.createLayout = func(m machineRef) layoutRef { l.balance[3].Add(1); return real.createLayout(m) }
	r.disposeLayout = func(d layoutRef) { l.balance[3].Add(-1); real.disposeLayout(d) }
	r.createPassOptions = func() passOptionsRef { l.balance[4].Add(1); return real.createPassOptions() }
	r.disposePassOptions = func(o passOptionsRef) { l.balance[4].Add(-1); real.disposePassOptions(o) }
	r.bufferCopy = func(p *byte, n uintptr, name string) bufferRef {
		l.balance[5].Add(1)
		return real.bufferCopy(p, n, name)
	}
	r.bufferDispose = func(b bufferRef) { l.balance[5].Add(-1); real.bufferDispose(b) }
	r.emitToBuffer = func(tm machineRef, m moduleRef, file int32, message **byte, out *bufferRef) int32 {
		status := real.emitToBuffer(tm, m, file, message, out)
		if status == 0 {
			l.balance[5].Add(1)
		} else {
			l.balance[7].Add(1)
		}
		return status
	}
	r.createJIT = func(j *jitRef, b jitBuilderRef) errorRef {
		l.balance[6].Add(1)
		return real.createJIT(j, b)
	}
	r.disposeJIT = func(j jitRef) errorRef { l.balance[6].Add(-1); return real.disposeJIT(j) }
	r.jitAddObject = func(j jitRef, d dylibRef, b bufferRef) errorRef {
		l.balance[5].Add(-1)
		return real.jitAddObject(j, d, b)
	}
	r.verifyModule = func(m moduleRef, action int32, message **byte) int32 {
		l.balance[7].Add(1) // of an empty text as well
		return real.verifyModule(m, action, message)
	}
	r.printModule = func(m moduleRef) *byte { l.balance[7].Add(1); return real.printModule(m) }
	r.diagDescription = func(d diagnosticRef) *byte { l.balance[7].Add(1); return real.diagDescription(d) }
	r.disposeMessage = func(p *byte) { l.balance[7].Add(-1); real.disposeMessage(p) }
	return &copied, l
}

// Whatever the end of a compilation, every object is given back.
func TestBalance(t *testing.T) {
	each(t, func(t *testing.T, lib *Lib) {
		target := lib.HostTarget()
		all := EmitIR | EmitAsm | EmitObj
		lib, books := audited(lib)
		for name, c := range map[string]struct {
			ir   string
			opts Options
		}{
			"good":       {addIR, Options{Emit: all}},
			"unreadable": {"define", Options{}},
			"invalid": {"define i32 @f() {\n ret i32 %a\nb:\n %a = add i32 1, 2\n ret i32 %a\n}",
				Options{}},
			"passes": {addIR, Options{Passes: "no-such-pass"}},
			"no assembly": {"define void @f() {\n call void asm \"frobnicate\", \"\"()\n ret void\n}",
				Options{Emit: EmitObj}},
		} {
			c.opts.Target = target
			out, err := lib.Compile(context.Background(), []byte(c.ir), c.opts)
			if (err == nil) != (name == "good") {
				t.Errorf("%s: %v", name, err)
			}
			if err == nil {
				j, err := lib.JIT(out.Obj, JITOptions{})
				if err != nil {
					t.Fatal(err)
				}
				lookup(t, j, "add")
				if err := j.Close(); err != nil {
					t.Error(err)
				}
			}
			for i := range books.balance {
				if n := books.balance[i].Load(); n != 0 {
					t.Errorf("%s: %d of %s not given back", name, n, accounts[i])
				}
			}
		}
	})
}

// Compile, link, close, again and again: memory stays where it is.
func TestNoLeak(t *testing.T) {
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		txtest.NotHere(t, "no /proc/self/statm")
	}
	lib := load(t)
	target := lib.HostTarget()
	round := func() {
		obj := compile(t, lib, vectorAddIR, Options{Target: target, Emit: EmitObj}).Obj
		j, err := lib.JIT(obj, JITOptions{Symbols: map[string]uintptr{"unused": 1}})
		if err != nil {
			t.Fatal(err)
		}
		lookup(t, j, "vector_add")
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 { // pools and arenas fill
		round()
	}
	before := resident(t)
	rounds := 150
	for range rounds {
		round()
	}
	// The size wanders by a few MiB; after 1000 rounds no more than after 300. A context or a target
	// machine that is not given back costs over 100 KiB each time.
	grown := resident(t) - before
	t.Logf("%d rounds: %d KiB more", rounds, grown>>10)
	if grown > 10<<20 {
		t.Errorf("%d rounds: %d KiB more", rounds, grown>>10)
	}
}

// resident is the memory of this process, in bytes.
func resident(t testing.TB) int {
	t.Helper()
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// LLVM writes nothing to standard error, whatever is wrong with the input: the tests of errors run again in
// a child, whose standard error stays empty.
func TestSilent(t *testing.T) {
	load(t)
	const inner = "^(TestErrors|TestInlineAsmError|TestFatalError|" +
		"TestJITMissingSymbol|TestJITBrokenObject|TestNVPTX|TestNVPTXOptions)$"
	cmd := exec.Command(os.Args[0], "-test.run", inner)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if stderr.Len() > 0 {
		t.Errorf("standard error:\n%s", stderr.String())
	}
}
