package nvidia

import (
	"bytes"
	"errors"
)

// The driver assembles PTX to a cubin as code that may be linked with other code. Its own functions, such as
// divisions in full precision and of long integers, are then calls out of the kernel, around which products
// of warp groups do not overlap: each waits for the one before. In PTX that is loaded directly these
// functions are part of the kernel.

// errCallsOut is the reason why a cubin is not used.
var errCallsOut = errors.New("the kernel calls out, and its products would wait for each other")

// callsOut reports whether a kernel with products of warp groups calls the assembler's functions outside of
// the kernel. Functions inside would be named like $__internal_0_$__cuda_sm3x_div.
func callsOut(ptx, cubin []byte) bool {
	return bytes.Contains(ptx, []byte("wgmma.")) && bytes.Contains(cubin, []byte("\x00__cuda_sm"))
}
