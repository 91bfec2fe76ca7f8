package llvm

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// installed is every version of LLVM that this machine has, found once.
var installed []*Lib

func TestMain(m *testing.M) {
	if lib, err := Load(); err == nil {
		installed = append(installed, lib)
		for v := maxVersion; v >= minVersion; v-- {
			if v == lib.Version().Major || os.Getenv("NEREID_LLVM") != "" {
				continue
			}
			if other, err := openFirst(names(runtime.GOOS, v)); err == nil {
				installed = append(installed, other)
			}
		}
	}
	os.Exit(m.Run())
}

// load is the LLVM that users get.
func load(t testing.TB) *Lib {
	t.Helper()
	if len(installed) == 0 {
		return txtest.LLVM(t, Load)
	}
	return installed[0]
}

// each runs a test with every LLVM that is installed.
func each(t *testing.T, f func(t *testing.T, lib *Lib)) {
	t.Helper()
	load(t)
	for _, lib := range installed {
		t.Run(fmt.Sprintf("LLVM%d", lib.Version().Major), func(t *testing.T) { f(t, lib) })
	}
}

func compile(t testing.TB, lib *Lib, ir string, opts Options) *Output {
	t.Helper()
	out, err := lib.Compile(context.Background(), []byte(ir), opts)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// host compiles IR for this machine and links it.
func host(t testing.TB, lib *Lib, ir string, opts JITOptions) *JIT {
	t.Helper()
	out := compile(t, lib, ir, Options{Target: lib.HostTarget(), Emit: EmitObj})
	j, err := lib.JIT(out.Obj, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return j
}

func lookup(t testing.TB, j *JIT, name string) uintptr {
	t.Helper()
	fn, err := j.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return fn
}

// fields counts the fields of the raw layer.
func fields(r *raw) int { return reflect.TypeOf(*r).NumField() }
