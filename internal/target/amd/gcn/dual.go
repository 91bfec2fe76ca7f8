package gcn

import (
	"encoding/binary"
	"fmt"
)

// dualOps are the instructions that the halves of a VOPD instruction can be, by opcode; the first 16 in
// either half.
var dualOps = []string{"fmac_f32", "fmaak_f32", "fmamk_f32", "mul_f32", "add_f32", "sub_f32", "subrev_f32",
	"mul_dx9_zero_f32", "mov_b32", "cndmask_b32", "max_f32", "min_f32", "dot2acc_f32_f16", "dot2acc_f32_bf16",
	"", "",
	"add_nc_u32", "lshlrev_b32", "and_b32"}

// decodeDual decodes a VOPD instruction: two operations that read their sources before either writes.
func (s *Set) decodeDual(e *encoding, word uint64, buf [12]byte, addr uint64, n int) (*Inst, error) {
	x, y := e.op.of(word), e.get(word, "opy")
	in := &Inst{Op: &Op{Name: "v_dual", Base: "v_dual", enc: e, cpu: s.cpu}, Addr: addr, Size: e.size,
		word:    word,
		literal: binary.LittleEndian.Uint32(buf[e.size:])}
	dstX := int(e.get(word, "vdstx"))
	dstY := int(e.get(word, "vdsty"))<<1 | ^dstX&1
	for _, h := range []struct {
		op       uint64
		src, vs1 string
		dst      int
	}{{x, "srcx0", "vsrcx1", dstX}, {y, "srcy0", "vsrcy1", dstY}} {
		if h.op >= uint64(len(dualOps)) || dualOps[h.op] == "" {
			return nil, fmt.Errorf("%#x: %08x: no dual instruction %#x", addr, uint32(word), h.op)
		}
		half, literal := in.dualHalf(dualOps[h.op], h.dst, h.src, h.vs1)
		if literal {
			in.Size = e.size + 4
		}
		in.Dual = append(in.Dual, half)
		in.Args = append(in.Args, half.Args...)
	}
	if in.Size > n {
		return nil, fmt.Errorf("code ends within an instruction at %#x", addr)
	}
	return in, nil
}

// dualHalf returns one operation and whether it uses a literal.
func (in *Inst) dualHalf(name string, dst int, src, vsrc1 string) (*Inst, bool) {
	op := &Op{Name: "v_dual_" + name, Base: canonical("v_" + name), enc: in.enc, cpu: in.cpu}
	h := &Inst{Op: op, Addr: in.Addr, Size: in.Size, word: in.word, literal: in.literal}
	first := h.operand(arg{field: src, n: 1})
	first.Field = "src0"
	if code := int(in.Field(src)); code >= firstVector {
		first.File, first.Code = Vector, code-firstVector
	}
	second := Operand{Field: "vsrc1", File: Vector, Code: int(in.Field(vsrc1)), N: 1}
	literal := Operand{Field: "literal", File: Literal, N: 1, Value: in.literal}
	h.Args = []Operand{{Field: "vdst", File: Vector, Code: dst, N: 1}, first, second}
	uses := first.File == Literal
	switch name {
	case "mov_b32":
		h.Args = h.Args[:2]
	case "fmaak_f32":
		h.Args, uses = append(h.Args, literal), true
	case "fmamk_f32":
		h.Args, uses = []Operand{h.Args[0], first, literal, second}, true
	case "cndmask_b32": // vcc, which the text leaves out
		h.Args = append(h.Args, Operand{File: Scalar, Code: VCC, N: 1})
	}
	return h, uses
}
