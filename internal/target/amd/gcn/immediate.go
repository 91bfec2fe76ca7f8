package gcn

import (
	"fmt"
	"strings"
)

// immediate returns the 16 bits of a scalar instruction as its mnemonic writes them.
func (in *Inst) immediate(v uint16) string {
	switch {
	case in.Base == "s_waitcnt":
		return in.waitText(in.Wait(v))
	case in.Base == "s_delay_alu":
		return delayText(v)
	case in.cpu.rdna && in.enc.name == "SOPP" && hexOnly[in.Base]:
		return fmt.Sprintf("%#x", v)
	case strings.Contains(in.Base, "etreg_"):
		return hwregText(v)
	case in.Base == "s_endpgm" && v == 0:
		return ""
	case strings.HasPrefix(in.Base, "s_sendmsg"):
		if in.cpu.rdna && v == 3 {
			return "sendmsg(MSG_DEALLOC_VGPRS)"
		}
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

// Wait decodes the operand of s_waitcnt.
func (o *Op) Wait(v uint16) Wait {
	if o.cpu.rdna {
		return Wait{VM: int(v >> 10), Exp: int(v & 7), LGKM: int(v >> 4 & 63)}
	}
	return Wait{VM: int(v&15 | v>>14<<4), Exp: int(v >> 4 & 7), LGKM: int(v >> 8 & 15)}
}

// NoWait returns the Wait that waits for nothing.
func (o *Op) noWait() Wait {
	if o.cpu.rdna {
		return Wait{63, 7, 63}
	}
	return Wait{63, 7, 15}
}

func (o *Op) waitText(w Wait) string {
	var parts []string
	none := o.noWait()
	for _, c := range []struct {
		name    string
		v, none int
	}{{"vmcnt", w.VM, none.VM}, {"expcnt", w.Exp, none.Exp}, {"lgkmcnt", w.LGKM, none.LGKM}} {
		if c.v != c.none || w == none {
			parts = append(parts, fmt.Sprintf("%s(%d)", c.name, c.v))
		}
	}
	return strings.Join(parts, " ")
}

// hexOnly are the instructions of RDNA 3 whose number is always hexadecimal.
var hexOnly = map[string]bool{"s_clause": true, "s_waitcnt_depctr": true,
	"s_set_inst_prefetch_distance": true,
	"s_denorm_mode":                true, "s_round_mode": true}

// delays and skips are the words of s_delay_alu.
var (
	delays = []string{"NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4", "TRANS32_DEP_1",
		"TRANS32_DEP_2",
		"TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3"}
	skips = []string{"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"}
)

func delayText(v uint16) string {
	pick := func(list []string, i uint16) string {
		if int(i) < len(list) {
			return list[i]
		}
		return "?"
	}
	first, skip, second := v&15, v>>4&7, v>>7&15
	var parts []string
	if first != 0 {
		parts = append(parts, "instid0("+pick(delays, first)+")")
	}
	if skip != 0 {
		parts = append(parts, "instskip("+pick(skips, skip)+")")
	}
	if second != 0 {
		parts = append(parts, "instid1("+pick(delays, second)+")")
	}
	return strings.Join(parts, " | ")
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
