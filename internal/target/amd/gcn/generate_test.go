package gcn

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestTable makes ops.txt from LLVM's disassembler and compares it with the checked-in file, or replaces that
// with -update; without it, those of one processor at each commit. Each opcode of each encoding is
// disassembled with fields of known values: the operands of the text say which field each is, and how many
// registers.
func TestTable(t *testing.T) {
	mc := txtest.LLVMTool(t, "llvm-mc")
	chosen := txtest.Sample(t, len(processors))
	rows := map[string]map[string]string{} // encoding, name, operands → processor → opcode
	var probed []int
	for i, cpu := range processors {
		if !chosen(i) && !txtest.Updating() {
			continue
		}
		probed = append(probed, i)
		for _, e := range cpu.encodings {
			probeEncoding(t, mc, cpu, e, rows)
		}
	}
	if len(probed) == len(processors) {
		txtest.Golden(t, "ops.txt", tableText(rows))
		return
	}
	for _, i := range probed {
		compareColumn(t, processors[i].name, i, rows)
	}
}

// compareColumn compares the opcodes of a processor, column i of ops.txt, with what LLVM says.
func compareColumn(t *testing.T, cpu string, i int, rows map[string]map[string]string) {
	t.Helper()
	want := map[string]string{}
	for line := range strings.Lines(txtest.Read(t, "ops.txt")) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", len(processors)+1)
		if len(fields) > len(processors) && fields[0] != "#" && fields[i] != "-" {
			want[fields[len(processors)]] = fields[i]
		}
	}
	if len(want) < 100 {
		t.Errorf("ops.txt has %d instructions of %s", len(want), cpu)
	}
	for key, opcode := range want {
		if got := rows[key][cpu]; got != opcode {
			t.Errorf("%s: %s is %s, in ops.txt %s", cpu, key, cmp.Or(got, "none"), opcode)
		}
	}
	for key := range rows {
		if want[key] == "" {
			t.Errorf("%s: %s is not in ops.txt", cpu, key)
		}
	}
}

func tableText(rows map[string]map[string]string) string {
	var b strings.Builder
	b.WriteString("# Made by TestTable -update from LLVM's disassembler: the opcode on each processor, " +
		"then\n" +
		"# encoding, name and operands.\n#")
	for _, cpu := range processors {
		b.WriteString(" " + cpu.name)
	}
	b.WriteString("\n")
	for _, key := range slices.SortedFunc(maps.Keys(rows), cmp.Compare[string]) {
		for _, cpu := range processors {
			b.WriteString(cmp.Or(rows[key][cpu.name], "-") + " ")
		}
		b.WriteString(key + "\n")
	}
	return b.String()
}

// probes lists, for encodings, the values of fields to try; the first that LLVM accepts counts.
var probes = map[string][]map[string]uint64{
	"SMEM11":   {{"sdata": 8, "sbase": 12, "offset": 0x20}, {"sbase": 12, "offset": 0x20}, {"sdata": 8}, {}},
	"VOPC_DPP": {{"src0": 20, "vsrc1": 60, "dpp_ctrl": 0x111, "bank_mask": 15, "row_mask": 15}},
	"SOP1":     {{"sdst": 8, "ssrc0": 24}},
	"SOP2":     {{"sdst": 8, "ssrc0": 24, "ssrc1": 48}},
	"SOPC":     {{"ssrc0": 24, "ssrc1": 48}},
	"SOPK":     {{"sdst": 8, "simm16": 0x1234}},
	"SOPP":     {{"simm16": 0x12}, {"simm16": 0}},
	"SMEM": {{"sdata": 8, "sbase": 12, "imm": 1, "offset": 0x20}, {"sbase": 12, "imm": 1, "offset": 0x20},
		{"sdata": 8}, {}},
	"VOP1": {{"vdst": 10, "src0": 256 + 20}, {}},
	"VOP2": {{"vdst": 10, "src0": 256 + 20, "vsrc1": 60}},
	"VOPC": {{"src0": 256 + 20, "vsrc1": 60}},
	"MAI": {{"vdst": 10, "src0": 256 + 20, "src1": 256 + 60, "src2": 256 + 100},
		{"vdst": 10, "src0": 256 + 20}},
	"MAIX": {{"vdst": 10, "src0": 256 + 20, "src1": 256 + 60, "src2": 256 + 100}},
	"VOP3P": {{"vdst": 10, "src0": 256 + 20, "src1": 256 + 60, "src2": 256 + 100, "op_sel_hi": 3,
		"op_sel_hi2": 1}},
	"DS": {{"vdst": 10, "addr": 20, "data0": 60, "data1": 100}, {"addr": 20, "data0": 60, "data1": 100},
		{"vdst": 10, "addr": 20, "data0": 60}, {"addr": 20, "data0": 60}, {"vdst": 10, "addr": 20},
		{"vdst": 10}, {}},
	"GLOBAL": {{"vdst": 10, "addr": 20, "data": 60, "saddr": 0x7f, "sc0": 1},
		{"vdst": 10, "addr": 20, "data": 60, "saddr": 0x7f}, {"saddr": 0x7f}, {}},
	"FLAT": {{"vdst": 10, "addr": 20, "data": 60, "sc0": 1}, {"vdst": 10, "addr": 20, "data": 60}},
	"SCRATCH": {{"vdst": 10, "addr": 20, "data": 60, "saddr": 0x7f, "sve": 1},
		{"vdst": 10, "addr": 20, "data": 60, "saddr": 0x7f}},
	"MUBUF": {{"vdata": 10, "vaddr": 20, "srsrc": 6, "soffset": 48, "offen": 1, "sc0": 1},
		{"vdata": 10, "vaddr": 20, "srsrc": 6, "soffset": 48, "offen": 1}, {}},
	"VOP3": {{"vdst": 10, "src0": 256 + 20, "src1": 256 + 60, "src2": 256 + 100},
		{"vdst": 10, "src0": 256 + 20, "src1": 48, "src2": 72},
		{"vdst": 10, "src0": 256 + 20, "src1": 256 + 60},
		{"vdst": 10, "src0": 256 + 20, "src1": 48}, {"vdst": 10, "src0": 24, "src1": 48},
		{"vdst": 10, "src0": 256 + 20},
		{"vdst": 10, "src0": 256 + 20, "src1": 256 + 60, "src2": 100}, {}},
	"VOP1_SDWA": {{"vdst": 10, "src0": 20, "dst_sel": 6, "src0_sel": 6}},
	"VOP2_SDWA": {{"vdst": 10, "src0": 20, "vsrc1": 60, "dst_sel": 6, "src0_sel": 6, "src1_sel": 6}},
	"VOPC_SDWA": {{"src0": 20, "vsrc1": 60, "src0_sel": 6, "src1_sel": 6}},
	"VOP1_DPP":  {{"vdst": 10, "src0": 20, "dpp_ctrl": 0x111, "bank_mask": 15, "row_mask": 15}},
	"VOP2_DPP":  {{"vdst": 10, "src0": 20, "vsrc1": 60, "dpp_ctrl": 0x111, "bank_mask": 15, "row_mask": 15}},
}

func probeEncoding(t *testing.T, mc string, cpu processor, e *encoding, rows map[string]map[string]string) {
	todo := map[uint64]bool{}
	for op := range uint64(1) << e.op.n {
		todo[op] = true
	}
	add := func(op uint64, p map[string]uint64, text string) {
		key := e.name + " " + shape(e, p, text)
		if rows[key] == nil {
			rows[key] = map[string]string{}
		}
		rows[key][cpu.name] = fmt.Sprintf("%#x", op)
		delete(todo, op)
	}
	for _, p := range probesOf(e) {
		for op, text := range disassembleAll(t, mc, cpu, e, p, slices.Sorted(maps.Keys(todo))) {
			add(op, p, text)
		}
	}
}

// probesOf returns the values of fields to try for an encoding. Where a field of an address off has another
// value, that is tried too.
func probesOf(e *encoding) []map[string]uint64 {
	var out []map[string]uint64
	for _, p := range probes[e.name] {
		for _, off := range []uint64{0x7f, nullRDNA} {
			q := maps.Clone(p)
			for name := range q {
				if _, ok := e.field(name); !ok {
					q = nil
					break
				}
			}
			if q != nil && (e.name == "GLOBAL" || e.name == "SCRATCH" || e.name == "SMEM11" ||
				off == nullRDNA) {
				setOff(e, q, off)
			}
			if q != nil {
				out = append(out, q)
			}
		}
	}
	return out
}

// setOff sets the field of an address that is left out, where the encoding has one.
func setOff(e *encoding, p map[string]uint64, off uint64) {
	if _, ok := e.field("saddr"); ok {
		p["saddr"] = off
	}
	if e.name == "SMEM11" {
		p["soffset"] = nullRDNA
	}
}

// disassembleAll returns LLVM's text of those opcodes that it accepts with these fields.
func disassembleAll(t *testing.T, mc string, cpu processor, e *encoding, p map[string]uint64,
	ops []uint64) map[uint64]string {
	const marker = 0xb0010000 // s_movk_i32 s1, n
	list := cpu.encodings
	var in bytes.Buffer
	for i, op := range ops {
		word := e.match | op<<e.op.lo
		if encodingOf(list, word) != e || e.op.of(word) != op {
			continue
		}
		for name, v := range p {
			f, ok := e.field(name)
			if !ok {
				t.Fatalf("%s has no field %s", e.name, name)
			}
			word |= v << f.lo
		}
		code := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, uint32(marker|i)),
			word)
		code = code[:4+e.size]
		if e.name == "SOPK" || e.name == "VOP2" {
			code = append(code, 0x78, 0x56, 0x34, 0x12) // the literal of v_fmamk and s_setreg_imm32
		}
		// what follows an invalid instruction does not swallow a marker
		code = append(code, 0xff, 0xff, 0xff, 0xff)
		for _, b := range code {
			fmt.Fprintf(&in, "0x%02x ", b)
		}
		in.WriteString("\n")
	}
	cmd := exec.Command(mc, "-disassemble", "-triple=amdgcn", "-mcpu="+cpu.name, "-show-encoding")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return answers(string(out), ops, e.size)
}

var answerLine = regexp.MustCompile(`^\t(.*?)\s*; encoding: \[(.*)\]`)

// garbage matches texts of what is no instruction of ours: the second half of an invalid one, instructions
// for global wave sync, loads into the LDS.
var garbage = regexp.MustCompile(`0xffffffff|ttmp|Invalid|gds$|lds$|^ds_gws|^exp`)

func answers(out string, ops []uint64, size int) map[uint64]string {
	texts, at := map[uint64]string{}, -1
	fresh := false
	for line := range strings.Lines(out) {
		m := answerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if imm, ok := strings.CutPrefix(m[1], "s_movk_i32 s1, "); ok {
			n, _ := strconv.ParseInt(imm, 0, 32)
			at, fresh = int(n), true
			continue
		}
		bytes := strings.Count(m[2], "0x")
		if fresh && !garbage.MatchString(m[1]) && (bytes == size || strings.Contains(m[1], "0x12345678")) {
			texts[ops[at]] = m[1]
		}
		fresh = false
	}
	return texts
}

var register = regexp.MustCompile(`^([vsa])(?:\[(\d+):(\d+)\]|(\d+))(\.l)?$`)

// shape turns the text of a probe into name and operands of a row, such as "v_lshl_add_u64 vdst:2 src0:2 src1
// src2:2".
func shape(e *encoding, p map[string]uint64, text string) string {
	name, rest, _ := strings.Cut(text, " ")
	switch {
	case rest == "":
		return name
	case e.name == "SOPP": // one number, which each instruction writes in its own way
		return name + " simm16"
	}
	rest = regexp.MustCompile(`hwreg\(.*\)`).ReplaceAllString(rest, "0x1234")
	out := []string{name}
	for _, arg := range strings.Split(rest, ", ") {
		arg, _, _ = strings.Cut(arg, " ")
		out = append(out, operandShape(e, p, arg))
	}
	return strings.Join(out, " ")
}

// named are operands whose text is not that of a register.
var named = map[string]string{
	"SMEM 0x20": "offset", "SMEM11 0x20": "offset", "VOP3 s0": "sdst",
	"SMEM 8": "sdata#", "SOPK 0x1234": "simm16", "SOPK 4660": "simm16",
	"SOPC 0x30":       "ssrc1#",
	"VOP2 0x12345678": "literal", "SOPK 0x12345678": "literal", "VOP3 s[0:1]": "sdst:2",
	"GLOBAL off": "saddr:2", "SCRATCH off": "saddr",
}

func operandShape(e *encoding, p map[string]uint64, arg string) string {
	if n := named[e.name+" "+arg]; n != "" {
		return n
	}
	m := register.FindStringSubmatch(arg)
	if m == nil {
		return "=" + arg
	}
	lo, _ := strconv.Atoi(cmp.Or(m[2], m[4]))
	hi, _ := strconv.Atoi(cmp.Or(m[3], m[4]))
	for _, f := range e.fields {
		v, ok := p[f.name]
		n := int(v) * max(1, groups[f.name])
		if ok && (n == lo || n >= 256 && n-256 == lo) {
			return f.name + half(m[5]) + files(f.name, m[1]) + width(hi-lo+1)
		}
	}
	return "=" + arg
}

// files returns the register file of an operand where its field does not tell.
func files(field, file string) string {
	if file == "a" || file == "s" && field == "vdst" {
		return "/" + file
	}
	return ""
}

// half returns the mark of half a register.
func half(suffix string) string {
	if suffix == "" {
		return ""
	}
	return ".h"
}

func width(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(":%d", n)
}
