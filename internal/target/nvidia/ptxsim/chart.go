package ptxsim

import "strings"

// Mark is something that a warp of a launch's first block did: a copy, a wait, a product, a barrier. Marks
// are in an order in which they can have happened.
type Mark struct {
	Warp int
	At   int    // instructions that the warp had issued before
	Kind string // "load", "store", "copy", "commit", "wait", "product", "barrier", "arrive"
	// Async names what waits for the mark: "cp" for groups of cp.async, "bulk" for groups of bulk copies,
	// "wgmma", "mbarrier"; "" if nothing does.
	Async  string
	Left   int // groups that a wait leaves under way
	Object int // number of a barrier, address of an mbarrier

	PTXLine int
	File    string
	Line    int // 0 if the code says no lines
}

// maxMarks bounds a chart: longer loops are cut.
const maxMarks = 1 << 14

// chart collects the marks of a launch's first block.
type chart struct {
	marks  []Mark
	now    []int // instructions of each warp
	marked map[*instr]Mark
	cut    bool
}

// issued notes an instruction of a warp.
func (h *chart) issued(c *block, in *instr, warp int32) {
	if c.id != [3]int{} || c.rank != 0 {
		return
	}
	for len(h.now) <= int(warp) {
		h.now = append(h.now, 0)
	}
	at := h.now[warp]
	h.now[warp]++
	m, known := h.marked[in]
	if !known {
		if h.marked == nil {
			h.marked = map[*instr]Mark{}
		}
		m = markOf(in)
		m.PTXLine = in.line
		m.File, m.Line, _ = c.m.place(in.loc)
		h.marked[in] = m
	}
	if m.Kind == "" {
		return
	}
	if in.barrier != nil {
		m.Object = int(in.barrier.id.imm)
	}
	m.Warp, m.At = int(warp), at
	h.add(m)
}

func (h *chart) add(m Mark) {
	if len(h.marks) == maxMarks {
		h.cut = true
		return
	}
	h.marks = append(h.marks, m)
}

// atBarrier gives the last mark of a thread's warp its mbarrier: that of a copy, an arrival or a wait.
func (c *block) atBarrier(t int32, addr uint64, kind string) {
	if c.tally == nil || c.tally.chart == nil || c.id != [3]int{} || c.rank != 0 {
		return
	}
	h, in := c.tally.chart, &c.m.code[c.at]
	warp := int(t / 32)
	m := Mark{Warp: warp, At: h.now[warp] - 1, Kind: kind, Async: "mbarrier",
		Object: int(addr), PTXLine: in.line}
	m.File, m.Line, _ = c.m.place(in.loc)
	if n := len(h.marks); n > 0 && h.marks[n-1] == m {
		return // another lane of the same instruction
	}
	h.add(m)
}

// markOf returns the kind of an instruction's marks. Those of mbarriers are made where they happen, since a
// wait may fail.
func markOf(in *instr) (m Mark) {
	words := strings.Fields(in.text)
	if len(words) > 1 && strings.HasPrefix(words[0], "@") {
		words = words[1:]
	}
	parts := strings.Split(words[0], ".")
	has := func(prefix string) bool { return strings.HasPrefix(words[0], prefix) }
	group := func(async string) {
		m.Async = async
		switch {
		case strings.Contains(words[0], "commit_group"):
			m.Kind = "commit"
		case strings.Contains(words[0], "wait_group"), strings.Contains(words[0], "wait_all"):
			m.Kind, m.Left = "wait", leftBy(words)
		}
	}
	switch {
	case in.barrier != nil:
		m.Kind = "barrier"
	case has("cp.async.bulk") || has("cp.reduce.async.bulk"):
		group("bulk")
		if m.Kind == "" && strings.Contains(words[0], "bulk_group") {
			m.Kind = "copy"
		} else if m.Kind == "" {
			m.Async = ""
		}
	case has("cp.async"):
		if group("cp"); m.Kind == "" {
			m.Kind = "copy"
		}
	case has("wgmma"):
		if group("wgmma"); m.Kind == "" && has("wgmma.mma_async") {
			m.Kind = "product"
		}
	case parts[0] == "mma":
		m.Kind = "product"
	case has("ld.global"), has("ld.relaxed.gpu.global"):
		m.Kind = "load"
	case has("st.global"), has("red.global"), has("atom.global"):
		m.Kind = "store"
	}
	return m
}

// leftBy returns how many groups a wait leaves under way.
func leftBy(words []string) (n int) {
	if len(words) < 2 || strings.Contains(words[0], "wait_all") {
		return 0
	}
	for _, r := range strings.TrimSuffix(words[1], ";") {
		if r < '0' || r > '9' {
			return 0
		}
		n = 10*n + int(r-'0')
	}
	return n
}
