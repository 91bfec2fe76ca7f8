package nereid_test

import (
	"fmt"
	"testing"

	"github.com/nereid-lang/nereid"
)

func ExampleCdiv() {
	fmt.Println(nereid.Cdiv(1024, 256), nereid.Cdiv(1025, 256))
	// Output: 4 5
}

// A file sees the variables that Env gives it, and none of the process's.
func TestEnv(t *testing.T) {
	t.Setenv("NEREID_TEST_VALUE", "5")
	const text = `
import os
import triton
import triton.language as tl

VALUE = tl.constexpr(int(os.environ.get("NEREID_TEST_VALUE", "3")))

@triton.jit
def k(x):
    tl.store(x, VALUE)
`
	for _, c := range []struct {
		opts []nereid.LoadOption
		want int32
	}{
		{nil, 3},
		{[]nereid.LoadOption{nereid.Env(map[string]string{"NEREID_TEST_VALUE": "7"})}, 7},
	} {
		x := []int32{0}
		err := kernelOf(t, "k.py", text, "k", c.opts...).Launch(stream(t, "interp"), nereid.Grid{1},
			nereid.FromSlice(x))
		if err != nil || x[0] != c.want {
			t.Errorf("%d, expected %d: %v", x[0], c.want, err)
		}
	}
}
