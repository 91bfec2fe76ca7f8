package view

import (
	"cmp"
	"time"
)

// RawStage is a stage as the compiler gives it.
type RawStage struct {
	Name string
	Text []byte
	Took time.Duration
}

// labels are the names of stages in a page.
var labels = map[string]string{
	"source": "TTIR before passes", "ttir": "TTIR", "ttgir": "TTGIR", "linalg": "linalg", "llir": "LLVM IR",
	"ptx": "PTX", "amdgcn": "AMDGCN", "asm": "Assembly",
}

// NewTarget makes the stages of a compilation ready for a page.
func NewTarget(name string, stages []RawStage, passes []Pass, files *Files) *Target {
	t := &Target{Name: name, Passes: passes}
	calls := callers{}
	for _, s := range stages {
		if len(s.Text) == 0 {
			continue
		}
		text := read(s.Name, s.Text)
		switch s.Name {
		case "source", "ttir", "ttgir", "linalg":
			calls.add(text)
		default:
			calls.extend(text)
		}
		out := Stage{Name: s.Name, Label: cmp.Or(labels[s.Name], s.Name), Took: milliseconds(s.Took),
			Lines: text.lines, Links: make([][]int, len(text.lines))}
		for i, places := range text.places {
			out.Links[i] = files.link(places)
		}
		t.Stages = append(t.Stages, out)
		switch s.Name {
		case "ttgir":
			if list, err := Layouts(s.Text); err == nil {
				t.Layouts = list
			}
			t.Memory.Buffers, t.Memory.Shared = buffersOf(name, text.lines)
		case "ptx":
			t.Memory.Registers = liveLines(text.lines)
		}
	}
	t.Figures = figures(t)
	return t
}
