package core

import (
	"io"

	"github.com/nereid-lang/nereid/internal/device"
)

// PrintTo makes w receive what kernels of this process print by tl.device_print on the CPU, the interpreter
// and simulated GPUs; nil means standard output, as at the start. Writes are made one at a time; lines of one
// print stay together, those of several programs come in any order. The driver of a real GPU prints to
// standard output, always.
func PrintTo(w io.Writer) { device.PrintTo(w) }
