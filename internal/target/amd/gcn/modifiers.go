package gcn

import (
	"fmt"
	"strings"
)

// modifiers returns what LLVM writes behind the operands.
func (in *Inst) modifiers() string {
	name := in.enc.name
	switch {
	case strings.HasSuffix(name, "_DPP"):
		return in.dppText()
	case strings.HasSuffix(name, "_SDWA"):
		return in.sdwaText()
	}
	text := ""
	if f := modifierTexts[name]; f != nil {
		text = f(in)
	}
	if in.dpp {
		text += in.dppText()
	}
	return text
}

var modifierTexts = map[string]func(*Inst) string{
	"VOP3": (*Inst).vop3Text, "VOP3P": (*Inst).vop3pText, "MAI": (*Inst).maiText, "MAIX": (*Inst).maiText,
	"DS":   (*Inst).dsText,
	"FLAT": (*Inst).flatText, "GLOBAL": (*Inst).flatText, "SCRATCH": (*Inst).flatText,
	"MUBUF": (*Inst).mubufText,
	"SMEM":  func(in *Inst) string { return in.flags("glc") },
}

// flags returns the names of the fields that are set.
func (in *Inst) flags(names ...string) string {
	text := ""
	for _, n := range names {
		if in.Field(n) != 0 {
			text += " " + n
		}
	}
	return text
}

// number returns " label:value" where the value is not 0.
func number(label string, v int64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf(" %s:%d", label, v)
}

var omods = []string{"", " mul:2", " mul:4", " div:2"}

func (in *Inst) vop3Text() string {
	text := ""
	sel := in.OpSel()
	if n := len(in.sources()); sel != 0 && !in.halved() {
		if strings.HasPrefix(in.Base, "v_permlane") {
			n = 2
		}
		list := bitList(sel, n)
		if n != 2 || !strings.HasPrefix(in.Base, "v_permlane") {
			list = append(list, fmt.Sprint(sel>>3&1))
		}
		text += " op_sel:[" + strings.Join(list, ",") + "]"
	}
	return text + in.flags("clamp") + omods[in.Field("omod")]
}

// OpSel returns the field op_sel, whose bits are part of another field where there is a scalar result.
func (in *Inst) OpSel() uint64 {
	if in.hasSDst() {
		return 0
	}
	return in.Field("op_sel")
}

// halved reports whether operands are halves of registers, whose names say what op_sel does.
func (in *Inst) halved() bool {
	for _, a := range in.args {
		if a.half {
			return true
		}
	}
	return false
}

// sources returns the operands that have modifiers.
func (in *Inst) sources() []Operand {
	var out []Operand
	for _, a := range in.Args {
		if strings.HasPrefix(a.Field, "src") {
			out = append(out, a)
		}
	}
	return out
}

func bitList(v uint64, n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint(v>>i&1))
	}
	return out
}

// HighHalves returns the field op_sel_hi, whose three bits lie apart.
func (in *Inst) HighHalves() uint64 { return in.Field("op_sel_hi") | in.Field("op_sel_hi2")<<2 }

func (in *Inst) vop3pText() string {
	n := len(in.sources())
	all := uint64(1)<<n - 1
	text := ""
	list := func(label string, v, normal uint64) {
		if v&all != normal&all {
			text += " " + label + ":[" + strings.Join(bitList(v, n), ",") + "]"
		}
	}
	high := uint64(7)
	if in.IsMix() {
		high = 0
	}
	list("op_sel", in.Field("op_sel"), 0)
	list("op_sel_hi", in.HighHalves(), high)
	if !in.IsMix() {
		list("neg_lo", in.Field("neg"), 0)
		list("neg_hi", in.Field("neg_hi"), 0)
	}
	return text + in.flags("clamp")
}

func (in *Inst) maiText() string {
	switch {
	case strings.HasPrefix(in.Name, "v_accvgpr"):
		return ""
	case strings.HasSuffix(in.Base, "f64") && in.Field("blgp") != 0:
		return number("cbsz", int64(in.Field("cbsz"))) + number("abid", int64(in.Field("abid"))) +
			" neg:[" + strings.Join(bitList(in.Field("blgp"), 3), ",") + "]"
	}
	return number("cbsz", int64(in.Field("cbsz"))) + number("abid", int64(in.Field("abid"))) +
		number("blgp", int64(in.Field("blgp")))
}

// TwoOffsets reports whether the instruction accesses two places of the LDS, each with its offset.
func (o *Op) TwoOffsets() bool {
	return strings.Contains(o.Base, "read2") || strings.Contains(o.Base, "write2") ||
		strings.Contains(o.Base, "wrxchg2")
}

func (in *Inst) dsText() string {
	lo, hi := in.Field("offset0"), in.Field("offset1")
	text := ""
	switch {
	case in.TwoOffsets():
		text = number("offset0", int64(lo)) + number("offset1", int64(hi))
	case in.Base == "ds_swizzle_b32" && hi&0x80 != 0:
		text = fmt.Sprintf(" offset:swizzle(QUAD_PERM,%d,%d,%d,%d)", lo&3, lo>>2&3, lo>>4&3, lo>>6&3)
	case in.Base == "ds_swizzle_b32":
		text = swizzleText(lo | hi<<8)
	default:
		text = number("offset", int64(lo|hi<<8))
	}
	return text + in.flags("gds")
}

// swizzleText returns the pattern of ds_swizzle_b32 within groups of 32 lanes: lane' = ((lane & and) | or) ^
// xor.
func swizzleText(v uint64) string {
	and, or, xor := v&31, v>>5&31, v>>10&31
	switch {
	case and == 31 && or == 0 && xor != 0 && xor&(xor-1) == 0:
		return fmt.Sprintf(" offset:swizzle(SWAP,%d)", xor)
	case and == 31 && or == 0 && xor != 0 && xor&(xor+1) == 0:
		return fmt.Sprintf(" offset:swizzle(REVERSE,%d)", xor+1)
	}
	return number("offset", int64(v))
}

// Offset returns the constant that is added to the address of a memory access.
func (in *Inst) Offset() int64 {
	v := int64(in.Field("offset"))
	switch in.enc.name {
	case "GLOBAL", "SCRATCH":
		return v << 51 >> 51
	case "DS":
		return int64(in.Field("offset0") | in.Field("offset1")<<8)
	}
	return v
}

func (in *Inst) flatText() string {
	return number("offset", in.Offset()) + in.policy()
}

// policy returns the flags of a memory access for the caches.
func (in *Inst) policy() string {
	text := ""
	for i, field := range []string{"sc0", "nt", "sc1"} {
		if in.cpu.rdna {
			field = []string{"sc0", "slc", "dlc"}[i]
		}
		if in.Field(field) != 0 {
			text += " " + in.cpu.policies[i]
		}
	}
	return text
}

func (in *Inst) mubufText() string {
	return in.flags("idxen", "offen") + number("offset", in.Offset()) + in.policy() + in.flags("lds")
}

var selections = []string{"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "?"}

func (in *Inst) sdwaText() string {
	sel := func(field string) string { return " " + field + ":" + selections[in.Field(field)] }
	text := in.flags("clamp") + omods[in.Field("omod")]
	if _, ok := in.enc.field("dst_sel"); ok {
		unused := []string{"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"}[in.Field("dst_unused")]
		text += sel("dst_sel") + " dst_unused:" + unused
	}
	text += sel("src0_sel")
	if _, ok := in.Arg("vsrc1"); ok {
		text += sel("src1_sel")
	}
	return text
}

// dppRows are the patterns of DPP that shift within a row of 16 lanes by a number.
var dppRows = map[uint64]string{0x10: "row_shl", 0x11: "row_shr", 0x12: "row_ror", 0x15: "row_newbcast",
	0x16: "row_xmask"}

var dppPatterns = map[uint64]string{0x130: "wave_shl:1", 0x134: "wave_rol:1", 0x138: "wave_shr:1",
	0x13c: "wave_ror:1",
	0x140: "row_mirror", 0x141: "row_half_mirror", 0x142: "row_bcast:15", 0x143: "row_bcast:31"}

func (in *Inst) dppText() string {
	c := in.Field("dpp_ctrl")
	text := " " + dppPatterns[c]
	if c>>4 == 0x15 && in.cpu.rdna {
		text = fmt.Sprintf(" row_share:%d", c&15)
	} else if row, ok := dppRows[c>>4]; ok {
		text = fmt.Sprintf(" %s:%d", row, c&15)
	} else if c < 0x100 {
		text = fmt.Sprintf(" quad_perm:[%d,%d,%d,%d]", c&3, c>>2&3, c>>4&3, c>>6&3)
	}
	text += fmt.Sprintf(" row_mask:%#x bank_mask:%#x", in.Field("row_mask"), in.Field("bank_mask"))
	if in.Field("bound_ctrl") != 0 {
		text += " bound_ctrl:1"
	}
	if in.Field("fi") != 0 {
		text += " fi:1"
	}
	return text
}
