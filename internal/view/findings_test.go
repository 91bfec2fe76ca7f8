package view

import (
	"slices"
	"testing"
)

// TestStoring: who stored an element is found by the same elements that the page draws, also where rows
// overlap, leave gaps, or come in falling order.
func TestStoring(t *testing.T) {
	const elements = 40
	r := &Run{Tensors: []Tensor{{Name: "x"}, {Name: "y"}}, Sites: []Site{{What: "load"}, {What: "store"}}}
	for stride := int64(-7); stride <= 7; stride++ {
		for rows := int64(1); rows <= 4; rows++ {
			if rows > 1 && stride == 0 { // equal rows are tiles of their own
				continue
			}
			for count := int64(1); count <= 5; count++ {
				tile := []int64{3, 1, 0, 16, count, rows, stride, 0}
				load, other := []int64{9, 0, 0, 0, elements, 1, 0, 0}, []int64{9, 1, 1, 0, elements, 1, 0, 0}
				r.Tiles = slices.Concat(load, other, tile)
				drawn := map[int64]bool{}
				for row := range rows {
					for i := range count {
						drawn[16+row*stride+i] = true
					}
				}
				for e := int64(-10); e < elements+10; e++ {
					who, by := r.storing(-1, "x", e)
					if (by == &r.Sites[1]) != drawn[e] || drawn[e] && who != 3 {
						t.Errorf("element %d of %v: stored by program %d", e, tile, who)
					}
					if _, by := r.storing(2, "x", e); by != nil {
						t.Errorf("element %d of %v: stored by another program", e, tile)
					}
				}
			}
		}
	}
}
