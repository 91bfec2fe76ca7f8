package nvidia

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/rules"
)

// Choice says which code launches run that begin with some code, as data: for programs that are not Go. It
// says what launches here do.
type Choice struct {
	// Plain launches run the first of Merges that fits. Others look for persistent code first.
	Plain  bool
	Merges []MergeChoice
	Ones   driver.Ones // words that are 1 in launches of unit strides
	// Stays is the way of the code that launches with more programs than SMs run if Short holds; nil if there
	// is none.
	Stays *device.Way
	// Depths holds, by the kind of launch, the blocks per SM of the code with the pipelines for it: -1 where
	// that is the first code. Persistent code with several blocks per SM looks only if Short does not hold.
	Depths [gpucode.Kinds]int
}

// MergeChoice says which launches run merged programs: those with at least Least programs along x, and PerSM
// for each SM, in multiples of Way.Merge, with strides of 1 if Way.Unit.
type MergeChoice struct {
	Way          device.Way
	Least, PerSM int
}

// Choice returns what launches choose among that begin with this code.
func (k *Code) Choice() Choice {
	c := Choice{Plain: k.isReady(), Ones: k.ones()}
	if c.Plain {
		c.Merges = k.mergeChoices()
	} else if k.Short != nil && !k.Persistent {
		c.Stays = &device.Way{Fallback: true, Persist: true}
	}
	for kind := range c.Depths {
		c.Depths[kind] = k.depthOf(kind)
	}
	return c
}

// isReady reports whether launches need nothing but words and a grid.
func (k *Code) isReady() bool {
	config := k.config([3]int{1, 1, 1})
	return config.Plain() && k.plain() && len(k.Params)+k.Uniform.Words() <= driver.MaxReady
}

// mergeChoices returns the choices among merged programs in the order in which launches try them.
func (k *Code) mergeChoices() (list []MergeChoice) {
	add := func(n int, unit bool) {
		m := MergeChoice{Way: device.Way{Merge: n, Unit: unit}, Least: 1}
		if knob.Merge.Get() == "auto" {
			m.Least, m.PerSM = 0, rules.Get(k.rules, rules.BusyPrograms)*n
		}
		list = append(list, m)
	}
	for _, n := range k.merges(true) {
		if len(k.Strides) > 0 {
			add(n, true)
		}
		if slices.Contains(k.merges(false), n) {
			add(n, false)
		}
	}
	return list
}

// depthOf returns what OtherDepth returns for launches of a kind. Persistent code is asked only for those
// that should not stay.
func (k *Code) depthOf(kind int) int {
	n := 1 << kind >> 1
	switch {
	case k.Persistent && rules.Holds(k.rules, rules.DeepenPrograms, n):
		return n
	case k.Persistent:
		return 0
	case k.Depths == nil:
		return -1
	}
	switch k.Depths[kind] {
	case k.Depths[gpucode.KindOf(k.BlocksPerSM)]:
		return -1
	case k.Depths[0]:
		return 0
	}
	return n
}
