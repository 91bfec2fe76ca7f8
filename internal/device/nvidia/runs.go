package nvidia

import (
	"fmt"
	"strconv"
	"strings"
)

// Runs returns nil if a GPU of this architecture runs code that was compiled for a machine ("sm_80",
// "sm_90a"), and otherwise why not. A cubin runs on later GPUs of its generation, PTX on all later ones, and
// either on its own architecture alone if that has instructions that no other has.
func (c GPU) Runs(stage, machine string) error {
	text, ok := strings.CutPrefix(machine, "sm_")
	number, specific := strings.CutSuffix(text, "a")
	made, err := strconv.Atoi(number)
	switch {
	case !ok || err != nil || stage != StagePTX && stage != StageCubin:
		return fmt.Errorf("this is a GPU, which runs code for %s", c.Arch())
	case made == c.Capability:
		return nil
	case specific:
		return fmt.Errorf("code for %s runs there alone, and this is sm_%d", machine, c.Capability)
	case made > c.Capability:
		return fmt.Errorf("the code is for %s and later GPUs, and this is sm_%d", machine, c.Capability)
	case stage == StageCubin && made/10 != c.Capability/10:
		return fmt.Errorf("a cubin for %s does not run on sm_%d; PTX would", machine, c.Capability)
	}
	return nil
}
