package nvidia

import (
	"encoding/binary"
	"slices"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/rules"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// computes returns how many words the host may compute for a kernel with so many parameters of its own: as
// many as leave the quickest way to launch it open (driver.Ready).
func (c Compiler) computes(in *target.Input, params int) int {
	if !in.Hosted || checks(in) || knob.NoUniform.Get() {
		return 0
	}
	return rules.Capped(gpu.RulesOf(in.Module), rules.ComputedWords, driver.MaxReady-params)
}

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
		n += gridWords
	}
	params := n
	if k.Scratch > 0 {
		params++
	}
	return k.Uniform.Check(n, params)
}
