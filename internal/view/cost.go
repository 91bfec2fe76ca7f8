package view

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// Cost is what a launch did on a simulated GPU, by line, and where its time went on the host.
type Cost struct {
	Device string     `json:"device"`          // "sim:90"
	Piece  int        `json:"piece,omitempty"` // bytes of global memory that are moved at once
	Lines  []LineCost `json:"lines"`
	Chart  *Chart     `json:"chart,omitempty"`
	Peak   *Peak      `json:"peak,omitempty"`
	Took   float64    `json:"took"` // milliseconds that the simulation took
	Error  string     `json:"error,omitempty"`
	CPU    *CPUTime   `json:"cpu,omitempty"` // what it took on the host
}

// LineCost is what the instructions of one line did.
type LineCost struct {
	Place string `json:"place"` // "softmax.py:11"
	Link  []int  `json:"link"`  // empty if the line is in no file of the page
	simcount.Work
}

// Peak is what a GPU can do at most, by its maker's data sheet.
type Peak struct {
	Card   string  `json:"card"`
	Bytes  float64 `json:"bytes"`  // of memory, a second
	Tensor float64 `json:"tensor"` // operations of tensor cores on 16-bit floats, a second, without sparsity
	FP32   float64 `json:"fp32"`   // operations of other units, a second
}

// peaks are those of a usual card with a chip.
var peaks = map[string]*Peak{
	"sim:80": {"A100 SXM 80 GB", 2.039e12, 312e12, 19.5e12},
	"sim:89": {"L40S", 0.864e12, 362e12, 91.6e12},
	"sim:90": {"H200 SXM", 4.8e12, 989e12, 67e12},

	"sim:gfx90a":  {"MI210", 1.638e12, 181e12, 22.6e12},
	"sim:gfx942":  {"MI300X", 5.3e12, 1307e12, 163.4e12},
	"sim:gfx1100": {"Radeon RX 7900 XTX", 0.96e12, 122.8e12, 61.4e12},
}

// NewCost sums what instructions did by the line that they come from. Piece is how many bytes of global
// memory the device moves at once.
func NewCost(device string, piece int, counts []simcount.Count, files *Files) *Cost {
	c := &Cost{Device: device, Piece: piece, Lines: []LineCost{}, Peak: peaks[device]}
	at := map[Place]int{}
	for _, n := range counts {
		p := Place{File: n.File, Line: n.Line}
		k, known := at[p]
		if !known {
			k = len(c.Lines)
			at[p] = k
			l := LineCost{Place: "(no line)", Link: []int{}}
			if p.Line > 0 {
				l.Place, l.Link = filepath.Base(p.File)+":"+itoa(p.Line), files.link([]Place{p})
			}
			c.Lines = append(c.Lines, l)
		}
		c.Lines[k].Add(n.Work)
	}
	slices.SortStableFunc(c.Lines, func(a, b LineCost) int { return slices.Compare(order(a), order(b)) })
	return c
}

// order puts the kernel's own lines first, then those of other files, then what has no line.
func order(l LineCost) []int {
	if len(l.Link) == 0 {
		return []int{1 << 30}
	}
	return l.Link
}

// Chart is what the warps of a block did, one after the other. The unit of time is an instruction of a warp:
// waits and barriers have warps wait for each other, and nothing else takes time.
type Chart struct {
	Warps int        `json:"warps"`
	Marks []ChartBar `json:"marks"`
	Cut   bool       `json:"cut,omitempty"`
}

// ChartBar is something that takes from one time to another, the same one for what takes none.
type ChartBar struct {
	Warp int    `json:"warp"`
	Kind string `json:"kind"` // "load", "store", "copy", "product", "wait", "barrier"
	From int    `json:"from"`
	To   int    `json:"to"`
	Line int    `json:"line"` // of the kernel's own file; 0 if it is of another
}

// NewChart gives marks their times.
func NewChart(marks []simcount.Mark, cut bool, files *Files) *Chart {
	b := charter{chart: &Chart{Marks: []ChartBar{}, Cut: cut}, files: files, shift: map[int]int{},
		meeting: map[int]map[int]int{}, ready: map[int]int{}, open: map[group][][]int{},
		copies: map[int][]int{}}
	for _, m := range marks {
		b.mark(m)
	}
	slices.SortStableFunc(b.chart.Marks, func(x, y ChartBar) int { return cmp.Compare(x.Warp, y.Warp) })
	return b.chart
}

// group names the groups of copies or products that a warp waits for.
type group struct {
	warp  int
	async string
}

// charter makes a chart.
type charter struct {
	chart   *Chart
	files   *Files
	shift   map[int]int         // what waits have added to a warp's own count of instructions
	meeting map[int]map[int]int // times at which warps came to a barrier, by its number
	ready   map[int]int         // time of the last arrival at an mbarrier, by its address
	open    map[group][][]int   // bars that end at a wait, by group, the last being open
	copies  map[int][]int       // bars that end at a wait for an mbarrier
}

func (b *charter) mark(m simcount.Mark) {
	b.chart.Warps = max(b.chart.Warps, m.Warp+1)
	b.leave(m.Warp)
	now := m.At + b.shift[m.Warp]
	bar := ChartBar{Warp: m.Warp, Kind: m.Kind, From: now, To: now + 1}
	if p := b.files.own(Place{File: m.File, Line: m.Line}); p != nil {
		bar.Line = p[1]
	}
	key := group{m.Warp, m.Async}
	switch m.Kind {
	case "commit":
		b.open[key] = append(b.open[key], nil)
		return
	case "arrive":
		b.ready[m.Object] = max(b.ready[m.Object], now)
		return
	case "barrier":
		if b.meeting[m.Object] == nil {
			b.meeting[m.Object] = map[int]int{}
		}
		b.meeting[m.Object][m.Warp] = len(b.chart.Marks)
	case "wait":
		if m.Async == "mbarrier" {
			bar.To = max(bar.To, b.ready[m.Object]+1)
			b.end(b.copies[m.Object], bar.To)
			delete(b.copies, m.Object)
			b.shift[m.Warp] += bar.To - bar.From - 1
			break
		}
		for list := b.open[key]; len(list) > m.Left+1; list = b.open[key] {
			b.end(list[0], bar.To)
			b.open[key] = list[1:]
		}
	case "load", "copy", "product":
		if m.Async == "mbarrier" {
			b.copies[m.Object] = append(b.copies[m.Object], len(b.chart.Marks))
			b.ready[m.Object] = max(b.ready[m.Object], now)
		} else if m.Async != "" {
			if len(b.open[key]) == 0 {
				b.open[key] = [][]int{nil}
			}
			last := len(b.open[key]) - 1
			b.open[key][last] = append(b.open[key][last], len(b.chart.Marks))
		}
	}
	b.chart.Marks = append(b.chart.Marks, bar)
}

// end ends bars at a time.
func (b *charter) end(list []int, now int) {
	for _, i := range list {
		b.chart.Marks[i].To = max(b.chart.Marks[i].To, now)
	}
}

// leave lets the warps at a barrier go on together if one of them does.
func (b *charter) leave(warp int) {
	for id, warps := range b.meeting {
		if _, there := warps[warp]; !there {
			continue
		}
		last := 0
		for _, i := range warps {
			last = max(last, b.chart.Marks[i].To)
		}
		for w, i := range warps {
			b.shift[w] += last - b.chart.Marks[i].To
			b.chart.Marks[i].To = last
		}
		delete(b.meeting, id)
	}
}
