package nvidia_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/device/stray"
)

// TestRecord reads records as kernels leave them: what is wrong, where, by which program.
func TestRecord(t *testing.T) {
	code := &nvidia.Code{Name: "k", NumWarps: 4, Params: []int{8, 4, 8}, Check: &gpucode.Check{
		Args: []int{0, 2}, Names: []string{"x", "y"}, Sites: []gpucode.Site{
			{What: "load", Size: 4, Bytes: 16, Args: []int{0}, Locs: []string{"k.py:3:4"}},
			{What: "store", Size: 2, Bytes: 2, Args: []int{0, 2}},
			{What: "atomic", Size: 8, Bytes: 8, Wild: true},
			{Message: "n is small"},
			{What: "load", Size: 1, Bytes: 1, Args: []int{2}},
		},
	}}
	mem := []device.Memory{{Word: 0, Lo: 0x1000, Hi: 0x1000 + 4*10}}
	live := func() []stray.Span { return []stray.Span{{Lo: 0x9000, Size: 64}} }
	for _, c := range []struct {
		site, program, address uint64
		want                   string
	}{
		{0, 0, 0, ""},
		{1, 0, 0x1000 + 4*8, "k.py:3:4: out of bounds load of 4 bytes: index 10 of argument 0"},
		{1, 5, 0x1000 + 4*12, "index 12 of argument 0, which has 10 elements\n    in k, program (1, 2, 0)"},
		{1, 7, 0x1000 - 16, "index -4 of argument 0, which has 10 elements\n    in k, program (1, 0, 1)"},
		{1, 0, 0x1000 + 4, "misaligned load of 16 bytes at offset 4 of argument 0, which has 40 bytes"},
		{1, 0, 0x1000 + 1, "misaligned load of 4 bytes at offset 1 of argument 0, which has 40 bytes"},
		{2, 0, 0x2000, "which is outside of the tensors that the pointer may belong to: x, y"},
		{2, 0, 0x1001, "misaligned store of 2 bytes at address 0x1001"},
		{3, 0, 0x8fff, "atomic of 8 bytes at address 0x8fff, which is in no tensor of the launch and in " +
			"no buffer"},
		{3, 0, 0x9004, "misaligned atomic of 8 bytes at address 0x9004"},
		{4, 0, 0, "assertion failed: n is small"},
		{5, 0, 7, "load of 1 bytes through argument 2, which is null"},
		{9, 0, 0, "k: the record of its faults was overwritten"},
	} {
		b := code.Bounds([3]int{2, 3, 2}, mem, live)
		record := make([]byte, b.Size())
		b.Begin(record)
		if err := b.Fault(record); err != nil {
			t.Fatal("a record that nobody wrote to:", err)
		}
		binary.LittleEndian.PutUint64(record, c.site<<gpucode.SiteShift|c.program)
		binary.LittleEndian.PutUint64(record[8:], c.address)
		switch err := b.Fault(record); {
		case c.want == "" && err == nil:
		case err == nil || !strings.Contains(err.Error(), c.want):
			t.Errorf("site %d: %v, want %s", c.site, err, c.want)
		}
	}
}

// TestKeptChecks: a description from a cache that does not fit itself is refused.
func TestKeptChecks(t *testing.T) {
	good := gpucode.Check{Args: []int{0}, Names: []string{"x"},
		Sites: []gpucode.Site{{What: "load", Size: 4, Bytes: 4, Args: []int{0}}}}
	for name, change := range map[string]func(c *gpucode.Check){
		"":        func(*gpucode.Check) {},
		"no name": func(c *gpucode.Check) { c.Names = nil },
		"no size": func(c *gpucode.Check) { c.Sites = []gpucode.Site{{What: "load", Args: []int{0}}} },
		"no such": func(c *gpucode.Check) {
			c.Sites = []gpucode.Site{{What: "load", Size: 1, Bytes: 1, Args: []int{1}}}
		},
		"out of range": func(c *gpucode.Check) { c.Args, c.Sites = []int{7}, nil },
	} {
		c := good
		change(&c)
		kept, err := (&nvidia.Code{Name: "k", NumWarps: 4, Params: []int{8}, Check: &c}).Keep("ptx", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nvidia.Kept(kept); (err == nil) != (name == "") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
