package ttglayout

import (
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
)

// Conversion says where each place of dst finds its element in src: a map from dst's places to src's.
// Dimensions that do not matter, where each place finds its element under its own number, are left out,
// block first, then warp, lane, register. An empty map is no conversion at all; one of registers only is a
// renaming in each thread; one of registers and lanes needs shuffles, any other shared memory.
func Conversion(src, dst ir.Type) (layout.Layout, error) {
	from, err := Of(src)
	if err != nil {
		return from, err
	}
	to, err := Of(dst)
	if err != nil {
		return to, err
	}
	return MinimalConversion(from, to), nil
}

// MinimalConversion is Conversion between layouts.
func MinimalConversion(src, dst layout.Layout) layout.Layout {
	c := dst.InvertAndCompose(src)
	for _, d := range []string{layout.Block, layout.Warp, layout.Lane, layout.Register} {
		if !c.HasIn(d) || !c.HasOut(d) {
			break
		}
		q, ok := c.Quotient(d)
		if !ok {
			break
		}
		c = q
	}
	return c
}

// OnlyRegisters reports whether a conversion stays within each thread.
func OnlyRegisters(c layout.Layout) bool {
	outs := c.OutNames()
	return len(outs) == 0 || len(outs) == 1 && outs[0] == layout.Register
}

// OnlyLanes reports whether a conversion stays within each warp.
func OnlyLanes(c layout.Layout) bool {
	for _, o := range c.OutNames() {
		if o != layout.Register && o != layout.Lane {
			return false
		}
	}
	return true
}

// TrivialConversion reports whether two types differ in name only: every element stays in its register.
func TrivialConversion(src, dst ir.Type) bool {
	c, err := Conversion(src, dst)
	return err == nil && len(c.InNames()) == 0
}

// RegisterConversion reports whether a conversion stays within each thread.
func RegisterConversion(src, dst ir.Type) bool {
	c, err := Conversion(src, dst)
	return err == nil && OnlyRegisters(c)
}
