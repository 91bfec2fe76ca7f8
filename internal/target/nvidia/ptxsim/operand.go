package ptxsim

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/ptx"
)

// operand is an operand of an instruction.
type operand struct {
	kind  operandKind
	reg   int
	neg   bool   // !%p
	imm   uint64 // or the offset of an address
	read  func(c *block, t int32) uint64
	elems []operand // {a, b}, or a|b
	name  string    // name of a symbol, label or parameter
	param param
}

type operandKind uint8

const (
	isNone operandKind = iota // _
	isReg
	isImm
	isFloat // an immediate with a point, whose bits depend on the type
	isSpecial
	isName
	isVector
	isPair
	isAddress // [reg+imm] or [name+imm]
	isParam   // [param+imm]
)

func (p *parser) operand(s string) (operand, error) {
	switch {
	case s == "_":
		return operand{kind: isNone}, nil
	case s[0] == '{' || s[0] == '(':
		return p.list(isVector, ptx.Split(strings.Trim(s, "{}() \t")))
	case s[0] == '[':
		return p.address(strings.TrimSpace(s[1 : len(s)-1]))
	case strings.Contains(s, "|"):
		return p.list(isPair, strings.Split(s, "|"))
	case s[0] == '!':
		o, err := p.operand(s[1:])
		o.neg = true
		return o, err
	case s[0] == '-' && len(s) > 1 && s[1] == '%':
		return operand{}, fmt.Errorf("operand %q", s)
	}
	if r, ok := p.register(s); ok {
		return operand{kind: isReg, reg: r}, nil
	}
	if f, ok := special[s]; ok {
		return operand{kind: isSpecial, read: f}, nil
	}
	return p.constant(s)
}

func (p *parser) list(kind operandKind, parts []string) (operand, error) {
	o := operand{kind: kind}
	for _, e := range parts {
		x, err := p.operand(strings.TrimSpace(e))
		if err != nil {
			return o, err
		}
		o.elems = append(o.elems, x)
	}
	return o, nil
}

// constant parses a number or a name.
func (p *parser) constant(s string) (operand, error) {
	switch {
	case len(s) == 10 && (strings.HasPrefix(s, "0f") || strings.HasPrefix(s, "0F")):
		v, err := strconv.ParseUint(s[2:], 16, 32)
		return operand{kind: isImm, imm: v}, err
	case len(s) == 18 && (strings.HasPrefix(s, "0d") || strings.HasPrefix(s, "0D")):
		v, err := strconv.ParseUint(s[2:], 16, 64)
		return operand{kind: isImm, imm: v}, err
	case s[0] >= '0' && s[0] <= '9' || s[0] == '-':
		if strings.ContainsAny(s, ".") {
			f, err := strconv.ParseFloat(s, 64)
			return operand{kind: isFloat, imm: math.Float64bits(f)}, err
		}
		v, err := parseInt(s)
		return operand{kind: isImm, imm: uint64(v)}, err
	}
	return operand{kind: isName, name: s}, nil
}

// address parses the text in brackets: a base and an offset, or a list of coordinates behind a base.
func (p *parser) address(s string) (operand, error) {
	if parts := ptx.Split(s); len(parts) == 2 {
		o, err := p.address(parts[0])
		if err != nil {
			return o, err
		}
		at, err := p.operand(parts[1])
		if o.kind != isAddress || at.kind != isVector {
			return o, fmt.Errorf("operand [%s]", s)
		}
		o.elems = append(o.elems, at)
		return o, err
	}
	base, off := s, int64(0)
	if i := strings.LastIndexByte(s, '+'); i >= 0 {
		v, err := parseInt(strings.TrimSpace(s[i+1:]))
		if err != nil {
			return operand{}, err
		}
		base, off = strings.TrimSpace(s[:i]), v
	}
	if q, ok := p.param(base); ok {
		return operand{kind: isParam, param: q, imm: uint64(off), name: base}, nil
	}
	b, err := p.operand(base)
	if err != nil {
		return b, err
	}
	return operand{kind: isAddress, elems: []operand{b}, imm: uint64(off)}, nil
}

// special registers.
var special = map[string]func(c *block, t int32) uint64{
	"%tid.x":    func(_ *block, t int32) uint64 { return uint64(t) },
	"%tid.y":    func(*block, int32) uint64 { return 0 },
	"%tid.z":    func(*block, int32) uint64 { return 0 },
	"%ntid.x":   func(c *block, _ int32) uint64 { return uint64(c.n) },
	"%ntid.y":   func(*block, int32) uint64 { return 1 },
	"%ntid.z":   func(*block, int32) uint64 { return 1 },
	"%ctaid.x":  func(c *block, _ int32) uint64 { return uint64(c.id[0]) },
	"%ctaid.y":  func(c *block, _ int32) uint64 { return uint64(c.id[1]) },
	"%ctaid.z":  func(c *block, _ int32) uint64 { return uint64(c.id[2]) },
	"%nctaid.x": func(c *block, _ int32) uint64 { return uint64(c.launch.Grid[0]) },
	"%nctaid.y": func(c *block, _ int32) uint64 { return uint64(c.launch.Grid[1]) },
	"%nctaid.z": func(c *block, _ int32) uint64 { return uint64(c.launch.Grid[2]) },
	"%laneid":   func(_ *block, t int32) uint64 { return uint64(t & 31) },
	"%warpid":   func(_ *block, t int32) uint64 { return uint64(t >> 5) },
	"%clock":    func(c *block, _ int32) uint64 { return uint64(uint32(c.steps)) },
	"%clock64":  func(c *block, _ int32) uint64 { return uint64(c.steps) },
	"%smid":     func(*block, int32) uint64 { return 0 },
	"%globaltimer": func(c *block, _ int32) uint64 {
		return uint64(c.steps)
	},
	"%cluster_ctarank":  func(c *block, _ int32) uint64 { return uint64(c.rank) },
	"%cluster_nctarank": func(c *block, _ int32) uint64 { return uint64(len(c.cluster.blocks)) },
	"%cluster_ctaid.x":  func(c *block, _ int32) uint64 { return uint64(c.rank) },
	"%cluster_nctaid.x": func(c *block, _ int32) uint64 { return uint64(len(c.cluster.blocks)) },
	"%clusterid.x":      func(c *block, _ int32) uint64 { return uint64(c.id[0] / len(c.cluster.blocks)) },
	"%clusterid.y":      func(c *block, _ int32) uint64 { return uint64(c.id[1]) },
	"%clusterid.z":      func(c *block, _ int32) uint64 { return uint64(c.id[2]) },
	"%nclusterid.x": func(c *block, _ int32) uint64 {
		return uint64(c.launch.Grid[0] / len(c.cluster.blocks))
	},
	"%nclusterid.y": func(c *block, _ int32) uint64 { return uint64(c.launch.Grid[1]) },
	"%nclusterid.z": func(c *block, _ int32) uint64 { return uint64(c.launch.Grid[2]) },
}

// typ is a type in an instruction's name.
type typ struct {
	kind  byte // 's', 'u', 'b', 'f', 'p'
	bits  int
	lanes int // 2 for f16x2
	fmt   *num.Format
}

var types = map[string]typ{
	"pred": {'p', 1, 1, nil},
	"s8":   {'s', 8, 1, nil}, "s16": {'s', 16, 1, nil}, "s32": {'s', 32, 1, nil}, "s64": {'s', 64, 1, nil},
	"s16x2": {'s', 16, 2, nil}, "u16x2": {'u', 16, 2, nil},
	"u8": {'u', 8, 1, nil}, "u16": {'u', 16, 1, nil}, "u32": {'u', 32, 1, nil}, "u64": {'u', 64, 1, nil},
	"b8": {'b', 8, 1, nil}, "b16": {'b', 16, 1, nil}, "b32": {'b', 32, 1, nil}, "b64": {'b', 64, 1, nil},
	"b128": {'b', 128, 1, nil}, "f16": {'f', 16, 1, num.F16}, "bf16": {'f', 16, 1, num.BF16},
	"f32": {'f', 32, 1, num.F32}, "f64": {'f', 64, 1, num.F64}, "tf32": {'f', 32, 1, num.TF32},
	"f16x2": {'f', 16, 2, num.F16}, "bf16x2": {'f', 16, 2, num.BF16}, "f32x2": {'f', 32, 2, num.F32},
	"e4m3x2": {'f', 8, 2, num.F8E4M3FN}, "e5m2x2": {'f', 8, 2, num.F8E5M2}, "e4m3": {'f', 8, 1, num.F8E4M3FN},
	"e5m2": {'f', 8, 1, num.F8E5M2},
}

// typeOf returns the type of a name; its bits are zero when it is none.
func typeOf(name string) typ { return types[name] }

// mask cuts a value to the type's width.
func (t typ) mask(v uint64) uint64 {
	if t.bits >= 64 {
		return v
	}
	return v & (1<<t.bits - 1)
}

// signed returns a value with its sign extended.
func (t typ) signed(v uint64) int64 {
	s := 64 - t.bits
	return int64(v<<s) >> s
}

// float returns the value of bits.
func (t typ) float(v uint64) float64 { return t.fmt.Decode(v) }

// bitsOf returns the bits of a value, rounded to nearest.
func (t typ) bitsOf(f float64) uint64 { return t.fmt.Encode(f) }
