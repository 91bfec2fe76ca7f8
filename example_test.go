package nereid_test

import (
	"context"
	"embed"
	"fmt"

	"github.com/nereid-lang/nereid"
)

//go:embed testdata/example/*.py
var exampleKernels embed.FS

// Kernels travel inside the binary. Imports of modules beside the kernel's own file are found there as well.
func ExampleLoadFS() {
	m, err := nereid.LoadFS(exampleKernels, "testdata/example/row_norm.py")
	if err != nil {
		fmt.Println(err)
		return
	}
	norm, err := m.Kernel("row_norm")
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float32{3, 4, 0, 5, 12, 0}
	out := make([]float32, 2)
	err = norm.Launch(nil, nereid.Grid{2}, nereid.FromSlice(x, 2, 3), nereid.FromSlice(out), 3,
		nereid.Arg("BLOCK", 4))
	fmt.Println(out, err)
	// Output: [5 13] <nil>
}

// Tensors on a device are filled and read by copies; launches of a stream run in order, and Sync waits for
// them.
func ExampleStream() {
	m, _ := nereid.LoadFS(exampleKernels, "testdata/example/row_norm.py")
	norm, _ := m.Kernel("row_norm")
	dev, _ := nereid.OpenDevice("interp")
	s, _ := dev.NewStream(context.Background())
	defer s.Close()

	x, err := nereid.NewTensor(dev, nereid.Float32, 1, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	out, _ := nereid.NewTensor(dev, nereid.Float32, 1)
	defer out.Close()
	x.CopyBytesFrom([]byte{0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 128, 63}) // four times 1
	if err := norm.Launch(s, nereid.Grid{1}, x, out, 4, 4); err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Sync(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.At(0))
	// Output: 2 <nil>
}

// Devices are what is here, the best first; those that are not say why.
func ExampleDevices() {
	here, _ := nereid.Devices()
	for _, d := range here {
		if d.String() == "interp" {
			fmt.Println(d, d.Stages())
		}
	}
	// Output: interp [source ttir]
}
