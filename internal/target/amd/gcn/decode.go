package gcn

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// File says where an operand lies.
type File uint8

const (
	Scalar  File = iota // an SGPR or one of the other codes of scalar operands
	Vector              // a VGPR
	Acc                 // an AGPR
	Literal             // 32 bits that follow the instruction
	Number              // a field's value
	Off                 // no operand
)

// Operand is an operand of an instruction.
type Operand struct {
	Field string // field of the encoding; "" for registers that an instruction always uses
	File  File
	Code  int // the first register, or the code of a scalar operand
	N     int // registers
	Half  int // LowHalf or HighHalf of a register, 0 for all of it
	Value uint32
}

// Halves of registers.
const (
	LowHalf = 1 + iota
	HighHalf
)

// Codes of scalar operands, from 128 on constants.
const (
	FlatScratch  = 102
	XnackMask    = 104
	VCC          = 106
	TTMP         = 108
	M0           = 124
	Null         = 125
	Exec         = 126
	Zero         = 128
	SharedBase   = 235
	SharedLimit  = 236
	PrivateBase  = 237
	PrivateLimit = 238
	firstFloat   = 240 // 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2π)
	VCCZ         = 251
	ExecZ        = 252
	SCC          = 253
	firstVector  = 256
)

// Inst is a decoded instruction.
type Inst struct {
	*Op
	Addr    uint64
	Size    int // bytes
	Args    []Operand
	word    uint64
	literal uint32
	dpp     bool    // literal is the word of lanes that a long instruction of RDNA 3 may have
	Dual    []*Inst // the two halves of an instruction that does two things at once
}

// Field returns the value of a field of the instruction's encoding, 0 where the encoding does not have it.
func (in *Inst) Field(name string) uint64 {
	if f, ok := longDPP.field(name); ok && in.dpp {
		return f.of(uint64(in.literal) << 32)
	}
	return in.enc.get(in.word, name)
}

// HasDPP reports whether the first source comes from other lanes.
func (in *Inst) HasDPP() bool { return in.dpp || strings.HasSuffix(in.enc.name, "_DPP") }

// Arg returns the operand of a field.
func (in *Inst) Arg(field string) (Operand, bool) {
	for _, a := range in.Args {
		if a.Field == field {
			return a, true
		}
	}
	return Operand{}, false
}

// Decode decodes the instruction at the beginning of code, which lies at an address.
func (s *Set) Decode(code []byte, addr uint64) (*Inst, error) {
	var buf [12]byte
	n := copy(buf[:], code)
	if n < 4 {
		return nil, fmt.Errorf("code ends within an instruction at %#x", addr)
	}
	word := binary.LittleEndian.Uint64(buf[:])
	e := encodingOf(s.encodings, word)
	if e == nil {
		return nil, fmt.Errorf("%#x: %08x is no instruction of %s", addr, uint32(word), s.Name)
	}
	if e.name == "VOPD" {
		return s.decodeDual(e, word, buf, addr, n)
	}
	op := s.ops[e][e.op.of(word)]
	if op == nil {
		return nil, fmt.Errorf("%#x: %08x: %s has no %s instruction %#x", addr, uint32(word), s.Name, e.name,
			e.op.of(word))
	}
	in := &Inst{Op: op, Addr: addr, Size: e.size, word: word}
	dpp := s.cpu.rdna && strings.HasPrefix(e.name, "VOP3") && in.Field("src0") == srcDPP
	if dpp || in.hasLiteral() {
		in.dpp = dpp
		in.literal = binary.LittleEndian.Uint32(buf[e.size:])
		in.Size += 4
	}
	if in.Size > n {
		return nil, fmt.Errorf("code ends within an instruction at %#x", addr)
	}
	in.operands()
	return in, nil
}

// hasLiteral reports whether a literal follows the words of the encoding.
func (in *Inst) hasLiteral() bool {
	if !in.enc.literal {
		return false
	}
	for _, a := range in.args {
		if a.field == "literal" || strings.Contains(a.field, "src") && in.Field(a.field) == srcLiteral &&
			a.field != "vsrc1" {
			return true
		}
	}
	return false
}

func (in *Inst) operands() {
	in.Args = make([]Operand, 0, len(in.args))
	for _, a := range in.args {
		if a.field == "vdst" && in.isAtomic() && in.Field("sc0") == 0 {
			continue // an atomic that does not return the old value
		}
		in.Args = append(in.Args, in.operand(a))
	}
}

// isAtomic reports whether the field sc0 asks for the old value.
func (in *Inst) isAtomic() bool { return strings.Contains(in.Name, "_atomic_") }

func (in *Inst) operand(a arg) Operand {
	o := Operand{Field: a.field, N: a.n}
	if a.fixed != "" {
		o.File, o.Code = Off, 0
		if a.fixed == "vcc" {
			o.File, o.Code = Scalar, VCC
		}
		return o
	}
	code := int(in.Field(a.field))
	if a.half {
		in.halve(&o, a.field, &code)
	}
	switch {
	case a.field == "literal":
		o.File, o.Value = Literal, in.literal
	case a.field == "simm16" || a.field == "offset" || a.file == '#':
		o.File, o.Value = Number, uint32(code)
		if a.field == "offset" && in.cpu.rdna {
			return in.smem11Offset()
		}
		if a.field == "offset" && in.enc.name == "SMEM" {
			return in.smemOffset()
		}
	case a.file == 's':
		o.File, o.Code = Scalar, in.scalarCode(code)
	case a.file == 'a':
		o.File, o.Code = Acc, code%256
	case in.isVector(a.field):
		o.File, o.Code = Vector, code%256
		if in.isAcc(a.field) {
			o.File = Acc
		}
		if a.field == "addr" || a.field == "vaddr" {
			in.address(&o)
		}
	default:
		return in.scalarOperand(a, code)
	}
	return o
}

// halve sets the half of a register that an operand of 16 bits is. In long encodings the field op_sel says
// it, in short ones the eighth bit of the register's number.
func (in *Inst) halve(o *Operand, field string, code *int) {
	if !in.isVector(field) {
		return
	}
	o.Half = LowHalf
	high := *code&0x80 != 0
	if in.enc.name == "VOP3" {
		bit := 3
		if strings.HasPrefix(field, "src") {
			bit = int(field[3] - '0')
		}
		high = in.Field("op_sel")>>bit&1 != 0
	} else {
		*code &^= 0x80
	}
	if high {
		o.Half = HighHalf
	}
}

// scalarCode returns a code of a scalar operand in GCN's numbering, where m0 and null are the other way
// round.
func (in *Inst) scalarCode(code int) int {
	if in.cpu.rdna && (code == nullRDNA || code == m0RDNA) {
		return nullRDNA + m0RDNA - code
	}
	return code
}

// smem11Offset returns the number that a scalar load of RDNA 3 adds to its address.
func (in *Inst) smem11Offset() Operand {
	return Operand{Field: "offset", N: 1, File: Number, Value: uint32(int32(in.Field("offset")<<11) >> 11)}
}

// ScalarOffset returns the SGPR that a scalar load adds to its address beside a number, or -1.
func (in *Inst) ScalarOffset() int {
	switch {
	case in.cpu.rdna && in.Field("soffset") != nullRDNA:
		return in.scalarCode(int(in.Field("soffset")))
	case !in.cpu.rdna && in.Field("soffset_en") != 0 && in.Field("imm") != 0:
		return int(in.Field("soffset"))
	}
	return -1
}

// address sets how many registers the address of a memory access has; with none it is off.
func (in *Inst) address(o *Operand) {
	switch in.enc.name {
	case "MUBUF":
		o.N = int(in.Field("offen") + in.Field("idxen"))
	case "SCRATCH":
		o.N = 0
		if in.ScratchAddress() {
			o.N = 1
		}
	case "GLOBAL":
		if in.Field("saddr") != in.cpu.off {
			o.N = 1
		}
	}
	if o.N == 0 {
		o.File = Off
	}
}

// smemOffset returns the offset of a scalar load: a register or a number.
func (in *Inst) smemOffset() Operand {
	o := Operand{Field: "offset", N: 1}
	if in.Field("imm") == 0 {
		o.Code = int(in.Field("offset") & 0x7f)
		if in.Field("soffset_en") != 0 {
			o.Code = int(in.Field("soffset"))
		}
		return o
	}
	o.File, o.Value = Number, uint32(int32(in.Field("offset")<<11)>>11)
	return o
}

// vectorFields hold numbers of VGPRs in encodings that have no other operands there.
var vectorFields = map[string]bool{"vdst": true, "vsrc1": true, "addr": true, "data": true, "data0": true,
	"data1": true,
	"vaddr": true, "vdata": true}

// isVector reports whether a field holds a VGPR or AGPR.
func (in *Inst) isVector(field string) bool {
	code := in.Field(field)
	switch {
	case strings.HasSuffix(in.enc.name, "_SDWA") && field == "src0":
		return in.Field("scalar0") == 0
	case strings.HasSuffix(in.enc.name, "_SDWA") && field == "vsrc1":
		return in.Field("scalar1") == 0
	case in.HasDPP() && field == "src0":
		return true
	}
	return vectorFields[field] || strings.HasPrefix(field, "src") && code >= firstVector
}

// isAcc reports whether a field that holds a vector register means an AGPR.
func (in *Inst) isAcc(field string) bool {
	mai := strings.HasPrefix(in.enc.name, "MAI")
	switch {
	case mai && field == "src2" && strings.HasPrefix(in.Name, "v_smfmac"):
		return false // indices of a sparse product
	case mai && (field == "vdst" || field == "src2"):
		return in.Field("acc_cd") != 0 && !strings.HasPrefix(in.Name, "v_accvgpr")
	case mai && field == "src0":
		return in.Field("acc")&1 != 0 && !strings.HasPrefix(in.Name, "v_accvgpr")
	case mai && field == "src1":
		return in.Field("acc")&2 != 0
	case field == "addr" || field == "vaddr":
		return false
	}
	return in.Field("acc") != 0 && in.enc.name != "MAI"
}

// scalarOperand returns an operand whose field holds a code of the scalar operands.
func (in *Inst) scalarOperand(a arg, code int) Operand {
	o := Operand{Field: a.field, N: a.n, Code: in.scalarCode(code) * max(1, groups[a.field])}
	switch {
	case a.field == "saddr" && uint64(code) == in.cpu.off:
		o.File = Off
	case code == srcLiteral && a.field != "sdst":
		o.File, o.Value = Literal, in.literal
	}
	return o
}

// DecodeAll decodes a function's code.
func (s *Set) DecodeAll(code []byte, addr uint64) ([]*Inst, error) {
	var out []*Inst
	for at := 0; at < len(code); {
		in, err := s.Decode(code[at:], addr+uint64(at))
		if err != nil {
			return out, err
		}
		out = append(out, in)
		at += in.Size
	}
	return out, nil
}
