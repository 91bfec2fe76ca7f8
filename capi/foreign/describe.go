//go:build !nereid_run

package foreign

import "github.com/nereid-lang/nereid/internal/device"

// Description is a launch that C can make itself, without a call into Go: quick.h says how.
type Description struct {
	device.ByHand
	Flags uint32
	Sizes [4]int32 // num_warps, num_stages, num_ctas, maxnreg
	Words int
	Steps []Step
	Fixed map[uint8]uint64 // words of parameters without an argument, by place
}

// Step is what an argument must look like, and what becomes of its value.
type Step struct {
	Head, Value, Size uint64
	Name, Text        string
	How, Look, At     uint8
}

// Unshown returns the description of the last launch if C can make it, and a function that marks it: until
// its mark is 0 again, Unshown does not return it.
func (k *Kernel) Unshown() (d *Description, mark func(uint64)) {
	c := k.last.Load()
	if c == nil || c.launcher == nil || c.shown.Load() != 0 {
		return nil, nil
	}
	hand, ok := c.launcher.ByHand()
	if !ok {
		return nil, nil
	}
	d = &Description{ByHand: hand, Flags: c.opts.flags, Sizes: c.opts.sizes, Words: c.words,
		Fixed: map[uint8]uint64{}}
	for i := range c.steps {
		s := &c.steps[i]
		d.Steps = append(d.Steps, Step{Head: s.head, Value: s.value, Size: s.size, Name: s.name, Text: s.text,
			How: uint8(s.how), Look: s.look, At: s.at})
	}
	for _, f := range c.fixed {
		d.Fixed[f.at] = f.word
	}
	return d, c.shown.Store
}

// Describe returns how C launches the frozen kernel itself; nil if it cannot. Steps read parameters: Look has
// the number of bytes, Value the bits that must be 0.
func (f *Frozen) Describe() *Description {
	if f.plan.Launcher == nil || len(f.reads) > maxWords {
		return nil
	}
	hand, ok := f.plan.Launcher.ByHand()
	if !ok {
		return nil
	}
	d := &Description{ByHand: hand, Words: len(f.reads)}
	for _, r := range f.reads {
		d.Steps = append(d.Steps, Step{Look: r.size, Value: r.align})
	}
	return d
}
