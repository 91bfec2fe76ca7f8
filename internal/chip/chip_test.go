package chip

import (
	"slices"
	"strings"
	"testing"
)

// TestRows: rows are in order, name their architectures, and keep to limits of all GPUs.
func TestRows(t *testing.T) {
	before := 0
	for _, c := range cuda {
		if c.Capability <= before {
			t.Errorf("sm_%s is behind sm_%d", c.Name, before)
		}
		before = c.Capability
		for _, a := range c.Arches {
			if !strings.HasPrefix(a.Name, "sm_"+c.Name) || a.PTX < 63 || a.LLVM < 17 {
				t.Errorf("%+v of sm_%s", a, c.Name)
			}
		}
		own := CUDA(c.Capability).Own
		isOwn := func(a Arch) bool { return a.Name == own }
		if c.Arches != nil && !slices.ContainsFunc(c.Arches, isOwn) {
			t.Errorf("sm_%s is compiled for %s, which it does not have", c.Name, own)
		}
		if c.Known() && (c.ThreadsPerSM < 1024 || c.SharedPerSM < c.SharedPerBlock) ||
			c.SharedPerBlock < 64<<10 || c.WarpSize != 32 || c.Card == "" || len(c.FP8) < 2 {
			t.Errorf("%+v", c)
		}
	}
	for _, c := range hip {
		if (c.MFMA > 0) == (c.WMMA > 0) || (c.RDNA > 0) != (c.WarpSize == 32) {
			t.Errorf("%+v", c)
		}
	}
	if names := HIPNames(); !slices.IsSorted(names) {
		t.Errorf("%v is not sorted", names)
	}
}

// TestLookup: chips are found by number, name and target; those without a row are like their family.
func TestLookup(t *testing.T) {
	if c := Of("cuda", "90a"); c.Capability != 90 || c.Own != "sm_90a" || !c.WarpGroups ||
		c.SharedPerBlock != 232448 {
		t.Errorf("%+v", c)
	}
	if c := Of("interp", ""); c.Capability != 90 {
		t.Errorf("%+v", c)
	}
	if c := CUDA(130); c.Known() || !c.TMA || c.WarpGroups || c.Own != "sm_130" || c.Capability != 130 {
		t.Errorf("%+v", c)
	}
	if c := CUDA(61); c.LoadMatrix || c.Name != "61" || c.SharedPerBlock != 99<<10 {
		t.Errorf("%+v", c)
	}
	if c := Target("hip:gfx942"); c.WarpSize != 64 || c.MFMA != 3 {
		t.Errorf("%+v", c)
	}
	if c, ok := HIP("gfx940"); ok || c.MFMA != 3 || c.Name != "gfx940" {
		t.Errorf("%+v", c)
	}
	if c := Target("tpu"); c.Backend != "" || c.MMA {
		t.Errorf("%+v", c)
	}
}
