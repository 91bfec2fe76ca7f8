package bundle_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	format "github.com/nereid-lang/nereid/internal/bundle"
)

// softmaxData returns a bundle in place of an embedded file: softmax with blocks of three sizes, for one GPU.
func softmaxData() []byte {
	w := &format.Writer{}
	for _, block := range []string{"1024", "2048", "4096"} {
		e := format.Entry{Name: "softmax_fp32_" + block, Group: "softmax_fp32", Kernel: "softmax_kernel",
			Target: "cuda:90", Machine: "sm_90",
			Constants: format.Constants(map[string]string{"BLOCK_SIZE": block})}
		parts := map[string][]byte{format.PartPTX: []byte(".version 8.0"), format.PartMeta: []byte("{}")}
		if err := w.Add(e, parts); err != nil {
			panic(err)
		}
	}
	var out bytes.Buffer
	if _, err := w.WriteTo(&out); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func ExampleBundle_Find() {
	b, err := bundle.OpenBytes(softmaxData())
	if err != nil {
		panic(err)
	}
	defer b.Close()
	const cols = 1500
	for _, v := range b.Find(func(v *bundle.Variant) bool {
		block, _ := v.Int("BLOCK_SIZE")
		return block >= cols
	}) {
		fmt.Println(v, v.Kernel(), v.Targets())
	}
	// Output:
	// softmax_fp32_2048 softmax_kernel [cuda:90]
	// softmax_fp32_4096 softmax_kernel [cuda:90]
}

func ExampleNotFoundError() {
	b, err := bundle.OpenBytes(softmaxData())
	if err != nil {
		panic(err)
	}
	defer b.Close()
	_, err = b.Group("softmax_fp16")
	var missing *bundle.NotFoundError
	if errors.As(err, &missing) {
		fmt.Println(missing.What, missing.Name, missing.Have)
	}
	fmt.Println(errors.Is(err, bundle.ErrNotFound))
	// Output:
	// group softmax_fp16 [softmax_fp32]
	// true
}

func ExampleVariant_Runs() {
	b, err := bundle.OpenBytes(softmaxData())
	if err != nil {
		panic(err)
	}
	defer b.Close()
	v, err := b.Lookup("softmax_fp32_1024")
	if err != nil {
		panic(err)
	}
	dev, err := nereid.OpenDevice("interp")
	if err != nil {
		panic(err)
	}
	var wrong *bundle.TargetError
	if errors.As(v.Runs(dev), &wrong) {
		fmt.Printf("%s is for %v, not for %s\n", wrong.Variant, wrong.Targets, wrong.Device)
	}
	// Output: softmax_fp32_1024 is for [cuda:90], not for interp
}
