package nereid_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/kernels"
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
	dev, err := nereid.OpenDevice("interp")
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

// What a target declines, with a way around it.
func ExampleRefusal() {
	m, _ := nereid.LoadFS(kernels.Files, "vector_add.py")
	add, _ := m.Kernel("add_kernel")
	_, err := add.CompileFor(context.Background(), "cuda:80", "*fp32:16, *fp32:16, *fp32:16, i32, 1024",
		nereid.Options{NumCTAs: 2}, "ttgir")
	var r *nereid.Refusal
	if errors.As(err, &r) {
		fmt.Printf("%s declines %s: %s\n", r.Target, r.Feature, r.Remedy)
	}
	// Output: cuda:80 declines num_ctas=2: set num_ctas to 1
}
