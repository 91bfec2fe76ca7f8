package nvidia

import (
	"bytes"
	"errors"
)

// The driver assembles PTX to keep as code that may be linked with other. What it has functions of its own for, such as divisions in full precision and of long
// integers, are calls out of the kernel then, around which it lets no products of warp groups run on: each waits for the one before. PTX
// that is loaded as it is has these functions within the kernel.

// errCallsOut is why a cubin is not used.
var errCallsOut = errors.New("the kernel calls out, and its products would wait for each other")

// callsOut reports whether a kernel with products of warp groups calls functions of the assembler's that are not its own: those would be
// called $__internal_0_$__cuda_sm3x_div.
func callsOut(ptx, cubin []byte) bool {
	return bytes.Contains(ptx, []byte("wgmma.")) && bytes.Contains(cubin, []byte("\x00__cuda_sm"))
}
