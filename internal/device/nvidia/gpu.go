package nvidia

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/device"
)

// GPU is the GPUs of a compute capability: what is the same for all of them.
type GPU struct{ Capability int }

// Kind returns the target in Triton's notation: all GPUs of an architecture share code.
func (c GPU) Kind() string { return fmt.Sprintf("cuda:%d", c.Capability) }

// chip returns the row of the GPU.
func (c GPU) chip() chip.Chip { return chip.CUDA(c.Capability) }

// Arch returns the name of the architecture for LLVM and the assembler.
func (c GPU) Arch() string { return c.chip().Own }

// Machine returns the architecture.
func (c GPU) Machine() string { return c.Arch() }

// Traits returns the fixed properties of a GPU. Kernels take tensor descriptors as words; the launch makes
// tensor maps of those that the copy engine uses.
func (c GPU) Traits() device.Traits {
	return device.Traits{Kind: c.Kind(), Hardware: true, Graphs: true, Collectives: "nccl",
		ChecksBounds: true, CopiesHost: true, WordDescriptors: true}
}
