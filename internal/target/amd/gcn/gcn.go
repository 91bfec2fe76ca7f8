package gcn

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// processor is a column of ops.txt.
type processor struct {
	name      string
	encodings []*encoding
	policies  [3]string // how LLVM names the fields sc0, nt and sc1
	sve       bool      // the field sve says whether a scratch access has an address in VGPRs
	wave      int       // lanes
	off       uint64    // the field saddr of an access without an address in SGPRs
	rdna      bool      // operands, waits and names are those of RDNA 3
}

// processors lists the columns of ops.txt, in order.
var processors = []processor{
	{"gfx942", gfx9, [3]string{"sc0", "nt", "sc1"}, true, 64, 0x7f, false},
	{"gfx90a", gfx9, [3]string{"glc", "slc", "scc"}, false, 64, 0x7f, false},
	{"gfx1100", gfx11, [3]string{"glc", "slc", "dlc"}, true, 32, nullRDNA, true},
}

// nullRDNA and m0RDNA are the codes of the operands null and m0 on RDNA 3, where they are the other way
// round.
const nullRDNA, m0RDNA = 124, 125

// groups are the fields that count in groups of registers.
var groups = map[string]int{"sbase": 2, "srsrc": 4}

// Op is an instruction in one encoding: a row of ops.txt.
type Op struct {
	Name string // LLVM's, with the suffix of the encoding: v_add_f32_e32
	Base string // without it
	enc  *encoding
	args []arg
	cpu  *processor
}

// RDNA reports whether the instruction is one of RDNA 3.
func (o *Op) RDNA() bool { return o.cpu.rdna }

// Encoding returns the name of the instruction's format: SOP2, VOP3, DS …
func (o *Op) Encoding() string { return o.enc.name }

// arg is an operand of a row: the field that holds it and its number of registers.
type arg struct {
	field string
	file  byte // 's' or 'a' for registers that the field alone does not tell; '#' for a number; else 0
	n     int
	half  bool   // half of a register, written v1.l or v1.h
	fixed string // the register that the instruction always uses, such as vcc
}

//go:embed ops.txt
var opsText string

// Set is the instruction set of a processor.
type Set struct {
	Name      string
	cpu       *processor
	encodings []*encoding
	ops       map[*encoding]map[uint64]*Op
}

var sets = sync.OnceValue(readSets)

// SetOf returns the instruction set of a processor such as gfx942.
func SetOf(name string) (*Set, error) {
	for _, s := range sets() {
		if s.Name == name {
			return s, nil
		}
	}
	var have []string
	for _, p := range processors {
		have = append(have, p.name)
	}
	return nil, fmt.Errorf("no instruction table for the processor %q: have %s", name,
		strings.Join(have, ", "))
}

func readSets() []*Set {
	var out []*Set
	for column, p := range processors {
		s := &Set{Name: p.name, cpu: &p, encodings: p.encodings, ops: map[*encoding]map[uint64]*Op{}}
		byName := map[string]*encoding{}
		for _, e := range p.encodings {
			byName[e.name] = e
			s.ops[e] = map[uint64]*Op{}
		}
		for line := range strings.Lines(opsText) {
			words := strings.Fields(line)
			if words[0] == "#" || words[column] == "-" {
				continue
			}
			rest := words[len(processors):]
			if code, err := strconv.ParseUint(words[column], 0, 32); err == nil {
				s.ops[byName[rest[0]]][code] = readRow(&p, byName[rest[0]], rest[1], rest[2:])
			}
		}
		out = append(out, s)
	}
	return out
}

func readRow(p *processor, e *encoding, name string, args []string) *Op {
	op := &Op{Name: name, Base: name, enc: e, cpu: p}
	for _, suffix := range []string{"_e32", "_e64", "_dpp", "_sdwa"} {
		op.Base = strings.TrimSuffix(op.Base, suffix)
	}
	if p.rdna {
		op.Base = canonical(op.Base)
	}
	for _, text := range args {
		op.args = append(op.args, readArg(text))
	}
	return op
}

func readArg(text string) arg {
	if fixed, ok := strings.CutPrefix(text, "="); ok {
		if fixed == "vcc_lo" {
			return arg{fixed: "vcc", n: 1}
		}
		return arg{fixed: fixed, n: 2}
	}
	a := arg{n: 1}
	if name, n, ok := strings.Cut(text, ":"); ok {
		text = name
		a.n, _ = strconv.Atoi(n)
	}
	if name, file, ok := strings.Cut(text, "/"); ok {
		text, a.file = name, file[0]
	}
	if name, ok := strings.CutSuffix(text, ".h"); ok {
		text, a.half = name, true
	}
	if name, ok := strings.CutSuffix(text, "#"); ok {
		text, a.file = name, '#'
	}
	a.field = text
	return a
}

func encodingOf(list []*encoding, word uint64) *encoding {
	for _, e := range list {
		if word&e.mask == e.match {
			return e
		}
	}
	return nil
}
