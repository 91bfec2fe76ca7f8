package pyrun_test

import (
	"testing"
	"testing/fstest"

	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/pyrun/std"
)

// BenchmarkEval: a step costs some tens of nanoseconds.
func BenchmarkEval(b *testing.B) {
	fsys := fstest.MapFS{"main.py": {Data: []byte("def f(n):\n    t = 0\n    for i in range(n):\n" +
		"        if i % 3 == 0:\n            t += i * 2\n    return t\n")}}
	in := pyrun.New(pyrun.Options{Library: std.Library, Finder: pyrun.FSFinder(fsys)}).Interp
	f, _, err := pyrun.From(in).LoadFile("main.py").Get(in, "f")
	if err != nil {
		b.Fatal(err)
	}
	steps := 0
	for b.Loop() {
		in.Refill()
		if _, err := object.Call(in, f, []object.Value{object.MakeInt(1000)}, nil); err != nil {
			b.Fatal(err)
		}
		steps += in.Steps()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
}

// BenchmarkModule: an interpreter made, a file parsed and indexed, one of its names evaluated.
func BenchmarkModule(b *testing.B) {
	src := "import math, os\nfrom typing import Optional\nK = math.sqrt(2) if os.environ.get('X') else 1\n" +
		"CONFIGS = [{'B': b, 'w': w} for b in [32, 64, 128] for w in [2, 4, 8]]\n"
	for range 40 {
		src += "def helper(x, y=K):\n    z = x + y\n    return z * 2\n\n"
	}
	fsys := fstest.MapFS{"main.py": {Data: []byte(src)}}
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		in := pyrun.New(pyrun.Options{Library: std.Library, Finder: pyrun.FSFinder(fsys)}).Interp
		if _, ok, err := pyrun.From(in).LoadFile("main.py").Get(in, "CONFIGS"); err != nil || !ok {
			b.Fatal(err)
		}
	}
}
