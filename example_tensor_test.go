package nereid_test

import (
	"bytes"
	"fmt"

	"github.com/nereid-lang/nereid"
)

func ExampleCopyFrom() {
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		panic(err)
	}
	x, err := nereid.NewTensor(dev, nereid.Float16, 2, 3)
	if err != nil {
		panic(err)
	}
	defer x.Close()
	if err := nereid.CopyFrom(x, []float32{1, 2, 3, 4, 5, 0.1}); err != nil {
		panic(err)
	}
	fmt.Println(x)
	back := make([]float32, 6)
	if err := nereid.CopyTo(back, x); err != nil {
		panic(err)
	}
	fmt.Println(back)
	// Output:
	// fp16[2, 3] on interp [[1, 2, 3], [4, 5, 0.0999756]]
	// [1 2 3 4 5 0.099975586]
}

func ExampleTensor_Slice() {
	x := nereid.FromSlice([]int32{0, 1, 2, 3, 4, 5, 6, 7}, 2, 4)
	v := x.Slice(1, 1, 4, 2).Transpose(0, 1)
	fmt.Println(v, v.Strides)
	fmt.Println(x.Slice(1, 2, 9, 1).Err())
	// Output:
	// i32[2, 2] on host [[1, 5], [3, 7]] [2 4]
	// nereid: of a tensor with the shape [2 4]: there is no slice [2:9:1] of dimension 1
}

func ExampleWriteSafetensors() {
	var file bytes.Buffer
	w := nereid.FromFloats(nereid.BFloat16, []float64{1, -2.5})
	if err := nereid.WriteSafetensors(&file, map[string]*nereid.Tensor{"weight": w}); err != nil {
		panic(err)
	}
	tensors, err := nereid.ReadSafetensors(&file)
	if err != nil {
		panic(err)
	}
	fmt.Println(tensors["weight"])
	// Output: bf16[2] on host [1, -2.5]
}
