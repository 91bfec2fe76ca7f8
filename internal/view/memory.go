package view

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lower"
	"github.com/nereid-lang/nereid/internal/ptx"
)

// Memory is what a program keeps, from its first line to its last: registers by line of PTX, shared memory by
// line of TTGIR.
type Memory struct {
	// Registers has, for each line of PTX, the registers of 32 bits in use after it; -1: no instruction.
	Registers []int    `json:"registers,omitempty"`
	Buffers   []Buffer `json:"buffers,omitempty"`
	Shared    int      `json:"shared"` // bytes
}

// Buffer is a part of shared memory, bytes [Lo, Hi), that is in use from a line of TTGIR to another, from 1.
type Buffer struct {
	Op   string `json:"op"` // "ttg.local_alloc"
	Lo   int    `json:"lo"`
	Hi   int    `json:"hi"`
	At   int    `json:"at"` // line of the operation that has it
	From int    `json:"from"`
	To   int    `json:"to"`
}

// liveLines returns the registers that are in use after each line of PTX. Of several instructions in a line
// the one with the most counts.
func liveLines(lines []string) []int {
	m, err := ptx.Parse([]byte(strings.Join(lines, "\n")))
	if err != nil {
		return nil
	}
	out := make([]int, len(lines))
	for i := range out {
		out[i] = -1
	}
	for _, f := range m.Funcs {
		live := f.Live()
		for i := range f.Body {
			if at := f.Body[i].Line - 1; at < len(out) {
				out[at] = max(out[at], live[i])
			}
		}
	}
	return out
}

// buffersOf returns the shared memory of a kernel in TTGIR, whose lines have no locations.
func buffersOf(target string, lines []string) (list []Buffer, size int) {
	m, err := ir.Parse(diag.NewFileSet(), "ttgir", []byte(numbered(lines)))
	if err != nil {
		return nil, 0
	}
	vendor := vendorOf(target, m)
	kernel := kernelOf(lines)
	if vendor == nil || kernel == "" {
		return nil, 0
	}
	placed, err := lower.Buffers(m, kernel, lower.Options{Vendor: vendor})
	if err != nil {
		return nil, 0
	}
	for _, b := range placed {
		if b.Hi == b.Lo {
			continue
		}
		list = append(list, Buffer{Op: b.Op.Def.FullName(), Lo: b.Lo, Hi: b.Hi, At: lineOf(b.Op),
			From: lineOf(b.From), To: lastLine(b.To)})
		size = max(size, b.Hi)
	}
	return list, size
}

// vendorOf returns whose GPUs a target's are, nil if it is none.
func vendorOf(target string, m *ir.Module) lower.Vendor {
	row := chip.Target(target)
	switch {
	case row.Capability > 0:
		return lower.NVIDIA(row.Capability)
	case row.ROCm != "":
		row.WarpSize = ttg.ThreadsPerWarp(m.Op)
		return lower.AMD(row, lower.AMDOptions{})
	}
	return nil
}

var publicFunc = regexp.MustCompile(`tt\.func public @"?([\w.$]+)`)

// kernelOf returns the name of the kernel of a module.
func kernelOf(lines []string) string {
	for _, l := range lines {
		if m := publicFunc.FindStringSubmatch(l); m != nil {
			return m[1]
		}
	}
	return ""
}

// numbered gives every operation its line as its location.
func numbered(lines []string) string {
	var b strings.Builder
	var open []int // lines of operations whose regions have begun
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		b.WriteString(line)
		at := i
		begins := strings.HasSuffix(trimmed, "{")
		if strings.HasPrefix(trimmed, "}") && len(open) > 0 {
			at, open = open[len(open)-1], open[:len(open)-1]
		}
		switch {
		case begins:
			open = append(open, at)
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "^"),
			strings.HasPrefix(trimmed, "//"):
		default:
			b.WriteString(` loc("ttgir":` + strconv.Itoa(at+1) + `:1)`)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// lineOf returns the line that numbered gave an operation.
func lineOf(op *ir.Op) int {
	if l, ok := op.Loc.(*ir.FileLoc); ok {
		return int(l.Line)
	}
	return 0
}

// lastLine returns the last line of the operations inside op.
func lastLine(op *ir.Op) (last int) {
	for o := range op.Ops() {
		last = max(last, lineOf(o))
	}
	return max(last, lineOf(op))
}
