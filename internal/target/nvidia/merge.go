package nvidia

import (
	"context"
	"strconv"

	"github.com/nereid-lang/nereid/internal/gpu"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// mergeable returns the number of programs that large launches of a kernel should have as one, 0 for 1. That
// takes a compiler when they come.
func (c Compiler) mergeable(in *target.Input) int {
	mode := knob.Merge.Get()
	if checks(in) || mode == "off" || in.Module == nil || !in.Fallback || in.Merge > 0 || in.Given != nil {
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

// busyPrograms is the number of merged programs for each SM from which on launches have them. Fewer would not
// keep the SMs busy, and a grid of so few starts quickly anyway.
const busyPrograms = 8

// MergeFrom returns the number of programs along the first axis from which on a GPU with that many SMs runs
// merged ones.
func (k *Code) MergeFrom(sms int) int {
	if knob.Merge.Get() != "auto" {
		return 1
	}
	return busyPrograms * sms * k.Merge
}

// Merges reports whether a launch with x programs along the first axis should have merged ones.
func (k *Code) Merges(x, sms int) bool {
	return k.Merge > 1 && x > 0 && x%k.Merge == 0 && x >= k.MergeFrom(sms)
}

// mergeLarge gives large launches of the kernel code of their own.
func (k *kernel) mergeLarge() {
	if k.code.Merge < 2 || !k.ready.Is() {
		return
	}
	k.fn.Large = &driver.Large{
		From: uint32(k.code.MergeFrom(k.dev.dev.SMs)), By: uint32(k.code.Merge),
		Make: func() (driver.Ready, error) {
			e, err := k.Merged(context.Background(), k.code.Merge)
			if err != nil {
				return driver.Ready{}, err
			}
			r, _, _ := Ready(e)
			return r, nil
		},
	}
}
