// Package llvmtest lets the test programs of one `make test` share LLVM's outputs, so that LLVM compiles a
// module once for all of them. A test package imports it for this effect. Everything before LLVM runs as
// always.
//
// In: NEREID_TEST_LLVM, a folder that `make test` makes for one run and removes afterwards; without it
// nothing is shared. Outputs therefore never come from another build of the compiler. Failed compilations are
// not kept.
package llvmtest

import (
	"context"
	"encoding/gob"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
)

// Folder is the variable that names the folder.
const Folder = "NEREID_TEST_LLVM"

// alone counts the tests that want LLVM to compile everything.
var alone atomic.Int32

func init() {
	if dir := os.Getenv(Folder); dir != "" {
		llvm.Reuse = store(dir).reuse
	}
}

// Alone has LLVM compile every module until the test ends: for tests about compiling twice, about its time
// and about ending it early.
func Alone(t testing.TB) {
	t.Helper()
	alone.Add(1)
	t.Cleanup(func() { alone.Add(-1) })
}

// store is a folder with one file for each output, named by its key.
type store string

func (s store) reuse(ctx context.Context, key string,
	compile func() (*llvm.Output, error)) (*llvm.Output, error) {
	if ctx.Err() != nil || alone.Load() > 0 {
		return compile()
	}
	name := filepath.Join(string(s), key)
	if out := read(name); out != nil {
		return out, nil
	}
	out, err := compile()
	if err == nil {
		write(name, out)
	}
	return out, err
}

// read returns a file's output, nil if there is none.
func read(name string) *llvm.Output {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	out := new(llvm.Output)
	if gob.NewDecoder(f).Decode(out) != nil {
		return nil
	}
	return out
}

// write keeps an output. Another process may do the same at the same time, so the file gets its name when it
// is complete. An output that cannot be kept is compiled again.
func write(name string, out *llvm.Output) {
	f, err := os.CreateTemp(filepath.Dir(name), "new")
	if err != nil {
		return
	}
	err = gob.NewEncoder(f).Encode(out)
	if f.Close() != nil || err != nil || os.Rename(f.Name(), name) != nil {
		os.Remove(f.Name())
	}
}
