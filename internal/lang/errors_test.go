package lang_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// A wrong kernel is a txtar file in testdata/errors: Python files, k.py the one with the kernel; `compile`,
// a line `KERNEL SIGNATURE`; and `error`, all that we say of it. Triton refuses it too, unless the comment
// has a line `# triton accepts: why` or, where Triton must not be asked, `# not for triton: why`.

const wrongKernels = "testdata/errors/*.txtar"

// TestErrors compiles the wrong kernels: the message in full, with place, line, caret, notes and hint.
func TestErrors(t *testing.T) {
	txtest.Run(t, wrongKernels, func(t *testing.T, c *txtest.Case) {
		err := compileWrong(t, c)
		if err == nil {
			t.Fatal("compiled without an error")
		}
		if internal := (*lang.InternalError)(nil); errors.As(err, &internal) {
			t.Fatal(err)
		}
		c.Want(t, "error", err.Error())
	})
}

func compileWrong(t *testing.T, c *txtest.Case) error {
	t.Helper()
	fs := fstest.MapFS{}
	for name, text := range files(t, c) {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	src, err := lang.Load("k.py", []byte(c.Text(t, "k.py")), lang.LoadOptions{FS: fs})
	if err != nil {
		return err
	}
	s := wrongSpec(t, c)
	s.MaxSteps = 20_000
	_, err = compile(src, s)
	return err
}

func wrongSpec(t *testing.T, c *txtest.Case) spec {
	t.Helper()
	kernel, signature, _ := strings.Cut(strings.TrimSpace(c.Text(t, "compile")), " ")
	return spec{File: "k.py", Kernel: kernel, Signature: signature}
}

// TestErrorsAgainstTriton has Triton compile the wrong kernels: it refuses each of them too, but for those
// that say otherwise.
func TestErrorsAgainstTriton(t *testing.T) {
	txtest.Slow(t, "takes seconds")
	txtest.Triton(t)
	dir := t.TempDir()
	var specs []map[string]string
	paths, _ := filepath.Glob(filepath.FromSlash(wrongKernels))
	for _, path := range paths {
		name := caseName(path)
		c := txtest.Load(t, path)
		if _, not := c.Option("not for triton"); not {
			continue
		}
		for file, text := range files(t, c) {
			write(t, filepath.Join(dir, name, file), text)
		}
		s := wrongSpec(t, c)
		specs = append(specs, map[string]string{"name": name, "file": name + "/k.py", "module": name + ".k",
			"kernel": s.Kernel, "signature": s.Signature})
	}
	askFrontEnd(t, specs, dir)
	for _, path := range paths {
		name := caseName(path)
		_, err := os.Stat(filepath.Join(dir, name+".error"))
		c := txtest.Load(t, path)
		_, not := c.Option("not for triton")
		_, excused := c.Option("triton accepts")
		switch refused := err == nil; {
		case not:
		case !refused && !excused:
			t.Errorf("%s: Triton accepts it", name)
		case refused && excused:
			t.Errorf("%s: Triton refuses it, though the comment says that it does not", name)
		}
	}
}
