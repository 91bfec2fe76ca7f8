package nvidia

import (
	"strconv"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/target"
)

// mergeable returns how many programs of a large launch one block should do, 0 if it should do one. Such
// launches need a compiler when they come.
func (c Compiler) mergeable(in *target.Input) int {
	mode := knob.Merge.Get()
	late := in.Given != nil && in.Given.Stage != "source" // the user has decided what the programs are
	if checks(in) || mode == "off" || in.Module == nil || late || !in.Way.Fallback || in.Way.Merge > 0 {
		return 0
	}
	if n, err := strconv.Atoi(mode); err == nil && gpu.MayMerge(in.Module, c.machine(in)) {
		return n
	}
	if n := gpu.Mergeable(in.Module, c.machine(in)); n > 1 {
		return n
	}
	return 0
}
