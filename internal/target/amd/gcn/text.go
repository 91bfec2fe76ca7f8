package gcn

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns the instruction as LLVM's disassembler writes it, without the address.
func (in *Inst) String() string {
	if in.Dual != nil {
		return in.Dual[0].String() + " :: " + in.Dual[1].String()
	}
	var args []string
	for i := range in.Args {
		if in.enc.name == "VOPD" && in.Args[i].Field == "" {
			continue // vcc of v_dual_cndmask_b32
		}
		if text := in.argText(i); text != "" {
			args = append(args, text)
		}
	}
	text := in.Name
	if in.dpp {
		text = strings.TrimSuffix(text, "_e64") + "_e64_dpp"
	}
	if len(args) > 0 {
		text += " " + strings.Join(args, ", ")
	}
	return text + in.modifiers()
}

func (in *Inst) argText(i int) string {
	a := in.Args[i]
	switch {
	case a.Field == "simm16":
		return in.immediate(uint16(a.Value))
	case a.Field == "sdst" && in.enc.name == "VOPC_SDWA":
		return ""
	case a.Field == "" && in.enc.name == "VOPC_SDWA" && in.Field("has_sdst") != 0:
		return scalarText(int(in.Field("sdst")), 2, "")
	case a.Field == "vdata" && in.Field("lds") != 0:
		return ""
	case a.Field == "offset" && in.cpu.rdna && in.ScalarOffset() < 0 && a.Value == 0:
		return "null"
	case a.Field == "offset" && in.ScalarOffset() >= 0:
		return in.offsetText(a)
	}
	return in.modified(a, in.plain(a))
}

// offsetText returns the offset of a scalar load that is a register and a number.
func (in *Inst) offsetText(a Operand) string {
	text := scalarText(in.ScalarOffset(), 1, "")
	if in.cpu.rdna && a.Value == 0 {
		return text
	}
	return text + " offset:" + in.plain(a)
}

// ScratchAddress reports whether a scratch access has an address in VGPRs.
func (in *Inst) ScratchAddress() bool {
	if in.cpu.sve {
		return in.Field("sve") != 0
	}
	return in.Field("saddr") == in.cpu.off
}

// plain returns an operand without modifiers.
func (in *Inst) plain(a Operand) string {
	switch a.File {
	case Off:
		return "off"
	case Vector:
		return registers("v", a.Code, a.N) + []string{"", ".l", ".h"}[a.Half]
	case Acc:
		return registers("a", a.Code, a.N)
	case Literal:
		return fmt.Sprintf("%#x", a.Value)
	case Number:
		if a.Field == "offset" {
			return smallHex(int32(a.Value))
		}
		return strconv.Itoa(int(a.Value))
	}
	return scalarText(a.Code, a.N, in.Kind())
}

func smallHex(v int32) string {
	if v < 0 {
		return fmt.Sprintf("-%#x", -v)
	}
	return fmt.Sprintf("%#x", v)
}

func registers(file string, first, n int) string {
	if n == 1 {
		return file + strconv.Itoa(first)
	}
	return fmt.Sprintf("%s[%d:%d]", file, first, first+n-1)
}

// pairs names the scalar registers that have names of their own.
var pairs = map[int]string{FlatScratch: "flat_scratch", XnackMask: "xnack_mask", VCC: "vcc", Exec: "exec"}

var specials = map[int]string{M0: "m0", Null: "null", 230: "src_flat_scratch_base_lo",
	231: "src_flat_scratch_base_hi", SharedBase: "src_shared_base", SharedLimit: "src_shared_limit",
	PrivateBase: "src_private_base", PrivateLimit: "src_private_limit", 239: "src_pops_exiting_wave_id",
	VCCZ: "src_vccz", ExecZ: "src_execz", SCC: "src_scc", 254: "src_lds_direct"}

var floats = []string{"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"}

// inversePi is 1/(2π) as LLVM writes it in the formats of operands.
var inversePi = map[string]string{"f16": "0.15915494", "f64": "0.15915494309189532"}

func scalarText(code, n int, kind string) string {
	switch name, ok := specials[code]; {
	case ok:
		return name
	case code >= Zero && code <= 192:
		return strconv.Itoa(code - Zero)
	case code > 192 && code <= 208:
		return strconv.Itoa(192 - code)
	case code >= firstFloat && code < firstFloat+len(floats):
		return floats[code-firstFloat]
	case code == firstFloat+len(floats):
		if text, ok := inversePi[kind]; ok {
			return text
		}
		return "0.15915494"
	case code >= TTMP && code < M0:
		return registers("ttmp", code-TTMP, n)
	}
	for first, name := range pairs {
		switch {
		case code == first && n == 2:
			return name
		case code == first && n == 1:
			return name + "_lo"
		case code == first+1 && n == 1:
			return name + "_hi"
		}
	}
	return registers("s", code, n)
}

// Kind returns the last part of the instruction's name that is a type, such as f32: that of its sources.
func (o *Op) Kind() string {
	words := strings.Split(o.Base, "_")
	for i := len(words) - 1; i > 0; i-- {
		w := words[i]
		if len(w) >= 2 && strings.ContainsRune("fibuBc", rune(w[0])) && w[1] >= '0' && w[1] <= '9' ||
			w == "bf16" {
			return w
		}
	}
	return ""
}

// modified adds the modifiers of a source: |x|, -x, sext(x).
func (in *Inst) modified(a Operand, text string) string {
	i := strings.Index("src0 src1 src2 vsrc1", a.Field)
	if a.Field == "" || i < 0 || strings.HasPrefix(a.Field, "ss") {
		return text
	}
	i = int(a.Field[len(a.Field)-1] - '0')
	m := in.SourceMods(i)
	switch {
	case m.Sext:
		return "sext(" + text + ")"
	case m.Abs && m.Neg:
		return "-|" + text + "|"
	case m.Abs:
		return "|" + text + "|"
	case m.Neg && a.File == Scalar && isConstant(a.Code):
		return "neg(" + text + ")"
	case m.Neg:
		return "-" + text
	}
	return text
}

// isConstant reports whether the code of a scalar operand is that of a number.
func isConstant(code int) bool {
	return code >= Zero && code <= 208 || code >= firstFloat && code <= firstFloat+len(floats)
}

// Mods are the modifiers of a source.
type Mods struct{ Neg, Abs, Sext bool }

// SourceMods returns the modifiers of the i-th source.
func (in *Inst) SourceMods(i int) Mods {
	bit := func(name string) bool { return in.Field(name)>>i&1 != 0 }
	one := func(name string) bool { return in.Field(name+strconv.Itoa(i)) != 0 }
	switch {
	case in.enc.name == "VOP3" && in.hasSDst():
		return Mods{Neg: bit("neg")}
	case in.enc.name == "VOP3":
		return Mods{Neg: bit("neg"), Abs: bit("abs")}
	case in.IsMix():
		return Mods{Neg: bit("neg"), Abs: bit("neg_hi")}
	case strings.HasSuffix(in.enc.name, "_SDWA"):
		return Mods{one("neg"), one("abs"), one("sext")}
	case strings.HasSuffix(in.enc.name, "_DPP"):
		return Mods{one("neg"), one("abs"), false}
	}
	return Mods{}
}

// IsMix reports whether the instruction is one of v_fma_mix*, whose sources are halves or whole registers.
func (o *Op) IsMix() bool { return strings.Contains(o.Base, "_mix") }

// hasSDst reports whether the instruction has a scalar result beside that in VGPRs.
func (o *Op) hasSDst() bool {
	for _, a := range o.args {
		if a.field == "sdst" {
			return true
		}
	}
	return false
}
