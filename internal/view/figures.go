package view

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/ptx"
)

// Figure is a number that describes compiled code.
type Figure struct {
	Name  string `json:"name"` // "shared memory"
	Value int    `json:"value"`
	Bytes bool   `json:"bytes,omitempty"`
}

// figures returns the numbers of a target's code: instructions as they stand in its last stage, registers,
// shared memory.
func figures(t *Target) (list []Figure) {
	add := func(name string, value int, bytes bool) { list = append(list, Figure{name, value, bytes}) }
	for _, s := range t.Stages {
		switch s.Name {
		case "ptx":
			add("registers in use at most, by PTX", t.Memory.most(), false)
			add("instructions of PTX", ptxInstructions(s.Lines), false)
		case "amdgcn":
			for _, f := range amdFields {
				if n, ok := amdField(s.Lines, f.key); ok {
					add(f.name, n, f.bytes)
				}
			}
			add("instructions of AMDGCN", asmInstructions(s.Lines), false)
		case "asm":
			add("instructions of assembly", asmInstructions(s.Lines), false)
		case "ttgir":
			add("shared memory", t.Memory.Shared, true)
		}
	}
	return list
}

// most returns the largest number of registers that are in use at a time.
func (m *Memory) most() (most int) {
	for _, n := range m.Registers {
		most = max(most, n)
	}
	return most
}

func ptxInstructions(lines []string) (n int) {
	m, err := ptx.Parse([]byte(strings.Join(lines, "\n")))
	if err != nil {
		return 0
	}
	for range m.Instructions() {
		n++
	}
	return n
}

// amdFields are fields of the metadata of a code object.
var amdFields = []struct {
	key, name string
	bytes     bool
}{
	{".vgpr_count", "vector registers", false},
	{".agpr_count", "accumulation registers", false},
	{".sgpr_count", "scalar registers", false},
	{".vgpr_spill_count", "vector registers spilled", false},
	{".sgpr_spill_count", "scalar registers spilled", false},
	{".private_segment_fixed_size", "memory of a thread", true},
}

func amdField(lines []string, key string) (int, bool) {
	for _, l := range lines {
		name, value, ok := strings.Cut(strings.TrimLeft(l, " -"), ":")
		if ok && name == key {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			return n, err == nil
		}
	}
	return 0, false
}

// asmInstruction is a line of assembly that begins with the name of an instruction; directives begin with a
// point, labels end with a colon.
var asmInstruction = regexp.MustCompile(`^\t[a-z][\w.]*(\s|$)`)

func asmInstructions(lines []string) (n int) {
	for _, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), ".amdgpu_metadata") {
			break
		}
		if asmInstruction.MatchString(l) {
			n++
		}
	}
	return n
}
