package ptxsim

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// chart collects the marks of a launch's first block.
type chart struct {
	simcount.Chart
	marked map[*instr]simcount.Mark
}

// issued notes an instruction of a warp.
func (h *chart) issued(c *block, in *instr, warp int32) {
	if c.id != [3]int{} || c.rank != 0 {
		return
	}
	at := h.Issue(int(warp))
	m, known := h.marked[in]
	if !known {
		if h.marked == nil {
			h.marked = map[*instr]simcount.Mark{}
		}
		m = markOf(in)
		m.Inst = in.line
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
	h.Add(m)
}

// atBarrier gives the last mark of a thread's warp its mbarrier: that of a copy, an arrival or a wait.
func (c *block) atBarrier(t int32, addr uint64, kind string) {
	if c.tally == nil || c.tally.chart == nil || c.id != [3]int{} || c.rank != 0 {
		return
	}
	h, in := c.tally.chart, &c.m.code[c.at]
	warp := int(t / 32)
	m := simcount.Mark{Warp: warp, At: h.Last(warp), Kind: kind, Async: "mbarrier",
		Object: int(addr), Inst: in.line}
	m.File, m.Line, _ = c.m.place(in.loc)
	if n := len(h.Marks); n > 0 && h.Marks[n-1] == m {
		return // another lane of the same instruction
	}
	h.Add(m)
}

// markOf returns the kind of an instruction's marks. Those of mbarriers are made where they happen, since a
// wait may fail.
func markOf(in *instr) (m simcount.Mark) {
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
