package view

import (
	"path/filepath"

	"github.com/nereid-lang/nereid/internal/sample"
)

// CPUTime is where the host's processors were while a kernel ran on them, by line.
type CPUTime struct {
	Device   string     `json:"device"`
	Launches int        `json:"launches"`
	Took     float64    `json:"took"`    // microseconds of a launch, by the clock, in the mean
	Period   float64    `json:"period"`  // microseconds of a thread between two samples
	Samples  int        `json:"samples"` // in the kernel's code
	Other    int        `json:"other"`   // elsewhere: launching, waiting
	Lines    []LineTime `json:"lines"`
	Error    string     `json:"error,omitempty"`
}

// LineTime is how often a processor was found in the code of a line.
type LineTime struct {
	Place   string `json:"place"` // "softmax.py:11"
	Link    []int  `json:"link"`
	Samples int    `json:"samples"`
}

// NewCPUTime makes lines of samples, those with the most first.
func NewCPUTime(device string, c *sample.Counts, files *Files) *CPUTime {
	t := &CPUTime{Device: device, Period: float64(sample.Period.Nanoseconds()) / 1e3, Other: c.Other,
		Lines: []LineTime{}}
	at := map[Place]int{}
	for _, n := range c.List() {
		t.Samples += n.Samples
		p := Place{File: n.File, Line: n.Line}
		k, known := at[p]
		if !known {
			k = len(t.Lines)
			at[p] = k
			l := LineTime{Place: "(no line)", Link: []int{}}
			if p.Line > 0 {
				l.Place, l.Link = filepath.Base(p.File)+":"+itoa(p.Line), files.link([]Place{p})
			}
			t.Lines = append(t.Lines, l)
		}
		t.Lines[k].Samples += n.Samples
	}
	return t
}
