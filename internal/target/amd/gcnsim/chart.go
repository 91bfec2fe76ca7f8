package gcnsim

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/simcount"
)

// mark notes what an instruction of the first workgroup's waves is in the chart. Each load is a group of its
// own, which ends at the wait that leaves fewer under way than there are behind it.
func (y *tally) mark(w *wave, in *gcn.Inst) {
	at := y.chart.Issue(w.id)
	place := w.g.run.m.Object.Place(in.Addr)
	add := func(kind, async string, left int) {
		y.chart.Add(simcount.Mark{Warp: w.id, At: at, Kind: kind, Async: async, Left: left, Inst: w.at,
			File: place.File, Line: place.Line})
	}
	switch {
	case in.Base == "s_barrier":
		add("barrier", "", 0)
	case in.Base == "s_waitcnt":
		if left := in.Wait(uint16(in.Field("simm16"))).VM; left < len(w.vm.items) {
			add("wait", "vmcnt", left)
		}
	case productsOf(in) > 0:
		add("product", "", 0)
	case isVectorMemory(in):
		kind, store := loadKind(in), strings.Contains(in.Base, "_store_")
		if store {
			kind = "store"
		}
		if in.Encoding() != "SCRATCH" {
			add(kind, "vmcnt", 0)
		}
		if !store || !in.RDNA() { // which counts stores apart
			add("commit", "vmcnt", 0)
		}
	}
}

// loadKind tells loads to LDS from those to registers.
func loadKind(in *gcn.Inst) string {
	if strings.Contains(in.Base, "_lds_") || in.Encoding() == "MUBUF" && in.Field("lds") != 0 {
		return "copy"
	}
	return "load"
}

// isVectorMemory reports whether an instruction accesses memory by vmcnt.
func isVectorMemory(in *gcn.Inst) bool {
	switch in.Encoding() {
	case "FLAT", "GLOBAL", "SCRATCH", "MUBUF":
		return strings.Contains(in.Base, "_load_") || strings.Contains(in.Base, "_store_") ||
			strings.Contains(in.Base, "_atomic_")
	}
	return false
}
