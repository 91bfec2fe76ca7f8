package gcn

import (
	"fmt"
	"strings"
)

// immediate returns the 16 bits of a scalar instruction as its mnemonic writes them.
func (in *Inst) immediate(v uint16) string {
	switch {
	case in.Base == "s_waitcnt":
		return waitText(WaitOf(v))
	case strings.Contains(in.Base, "etreg_"):
		return hwregText(v)
	case in.Base == "s_endpgm" && v == 0:
		return ""
	case strings.HasPrefix(in.Base, "s_sendmsg"):
		return fmt.Sprintf("sendmsg(%d)", v)
	case in.Base == "s_endpgm" || strings.HasPrefix(in.Base, "s_cbranch") || in.Base == "s_branch" ||
		in.Base == "s_call_b64":
		return fmt.Sprint(v)
	case in.enc.name == "SOPP" && v <= 64: // as numbers that an operand can hold
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%#x", v)
}

// Wait is the operand of s_waitcnt: how many accesses may still be under way.
type Wait struct{ VM, Exp, LGKM int }

// NoWait is the Wait that waits for nothing.
var NoWait = Wait{63, 7, 15}

// WaitOf decodes the operand of s_waitcnt of GCN 5 and CDNA.
func WaitOf(v uint16) Wait {
	return Wait{VM: int(v&15 | v>>14<<4), Exp: int(v >> 4 & 7), LGKM: int(v >> 8 & 15)}
}

func waitText(w Wait) string {
	var parts []string
	all := w == NoWait
	for _, c := range []struct {
		name    string
		v, none int
	}{{"vmcnt", w.VM, NoWait.VM}, {"expcnt", w.Exp, NoWait.Exp}, {"lgkmcnt", w.LGKM, NoWait.LGKM}} {
		if c.v != c.none || all {
			parts = append(parts, fmt.Sprintf("%s(%d)", c.name, c.v))
		}
	}
	return strings.Join(parts, " ")
}

// hwregs names the hardware registers.
var hwregs = map[uint16]string{1: "HW_REG_MODE", 2: "HW_REG_STATUS", 3: "HW_REG_TRAPSTS", 4: "HW_REG_HW_ID",
	5: "HW_REG_GPR_ALLOC", 6: "HW_REG_LDS_ALLOC", 7: "HW_REG_IB_STS", 15: "HW_REG_SH_MEM_BASES",
	16: "HW_REG_TBA_LO",
	17: "HW_REG_TBA_HI", 18: "HW_REG_TMA_LO", 19: "HW_REG_TMA_HI",
	20: "HW_REG_XCC_ID", 21: "HW_REG_SQ_PERF_SNAPSHOT_DATA"}

func hwregText(v uint16) string {
	id, offset, size := v&63, v>>6&31, v>>11+1
	name := hwregs[id]
	if name == "" {
		name = fmt.Sprint(id)
	}
	if offset == 0 && size == 32 {
		return "hwreg(" + name + ")"
	}
	return fmt.Sprintf("hwreg(%s, %d, %d)", name, offset, size)
}
