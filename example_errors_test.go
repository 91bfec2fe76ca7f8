package nereid_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid"
)

func ExampleCompileError() {
	_, err := nereid.Parse("kernel.py", []byte("import triton\nx = = 1\n"))
	var e *nereid.CompileError
	if errors.As(err, &e) {
		d := e.Diagnostics[0]
		fmt.Println(d.File, d.Line, d.Column, d.Severity)
	}
	// Output: kernel.py 2 5 error
}

func ExampleFault() {
	m, err := nereid.Parse("kernel.py", []byte(`import triton
import triton.language as tl

@triton.jit
def put(x, i):
    tl.store(x + i, 1.0)
`))
	if err != nil {
		panic(err)
	}
	k, err := m.Kernel("put")
	if err != nil {
		panic(err)
	}
	dev, err := nereid.Open("interp")
	if err != nil {
		panic(err)
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		panic(err)
	}
	defer s.Close()
	err = k.Launch(s, nereid.Grid{1}, nereid.FromSlice(make([]float32, 4)), 7)
	var f *nereid.Fault
	if errors.As(err, &f) {
		fmt.Printf("%s:%d: element %d of %s\n", f.File, f.Line, f.Index, f.Argument)
	}
	// Output: kernel.py:6: element 7 of x
}
