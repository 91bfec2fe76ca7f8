package nvidia

import (
	"encoding/binary"
	"slices"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
)

// Compute sets the words of the last parameter of a launch, which the host computes from the others.
func (k *Code) Compute(words []uint64, c *driver.Config) {
	if k.Uniform != nil {
		k.Uniform.Fill(words, c.Grid.X, c.Grid.Y, c.Grid.Z)
	}
}

// Computed returns the bytes of that parameter, nil if there is none, for a grid as the GPU has it.
func (k *Code) Computed(words []uint64, grid [3]int) (block []byte) {
	if k.Uniform == nil {
		return nil
	}
	all := append(slices.Clip(words), make([]uint64, k.Uniform.Words())...)
	k.Uniform.Fill(all, uint32(grid[0]), uint32(grid[1]), uint32(grid[2]))
	for _, w := range all[len(words):] {
		block = binary.LittleEndian.AppendUint64(block, w)
	}
	return block
}

// checkUniform returns an error for a description from a cache that does not fit the kernel.
func (k *Code) checkUniform() error {
	n := len(k.Params)
	if k.Persistent {
		n += GridWords
	}
	params := n
	if k.Scratch > 0 {
		params++
	}
	return k.Uniform.Check(n, params)
}
