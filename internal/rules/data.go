package rules

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
)

// Data is a file of evidence: what rules decided for kernels, and what that was worth on a GPU.
type Data struct {
	Commit  string   `json:"commit"` // of the program that measured
	Chip    string   `json:"chip"`
	Kernels []Kernel `json:"kernels"`
}

// Kernel is a launch of a kernel with the decisions of its compilation.
type Kernel struct {
	Name   string `json:"name"`   // of the launch
	Kernel string `json:"kernel"` // of the function, which decides whether it is held out
	// Features describes the launch and its code: warps, stages, programs, registers, spills, shared, ptx.
	Features  map[string]int64 `json:"features,omitempty"`
	Decisions []Decision       `json:"decisions"`
	Times     []Time           `json:"times,omitempty"`
	Failed    string           `json:"failed,omitempty"` // why it was not measured
}

// Time compares the code of the table with that of another value of one rule.
type Time struct {
	Rule    string  `json:"rule"`
	Value   int     `json:"value"` // the table's
	Other   int     `json:"other"`
	Same    bool    `json:"same,omitempty"`    // both values give the same code, which was not timed
	With    float64 `json:"with,omitempty"`    // microseconds with Value, the median of several turns
	Without float64 `json:"without,omitempty"` // microseconds with Other
	Failed  string  `json:"failed,omitempty"`  // why Other gave no time
	Differs string  `json:"differs,omitempty"` // how the results of Other differ beyond rounding
}

// Held reports whether a kernel is held out: values of rules may be chosen by the others alone, and are
// judged by these. A fixed hash of the function's name decides, so that all its launches are on one side.
func Held(kernel string) bool {
	return Hash(kernel)%3 == 0
}

// Hash returns a fixed hash of a name.
func Hash(name string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, name)
	return h.Sum32()
}

// Read reads a data file.
func Read(r io.Reader) (*Data, error) {
	d := &Data{}
	if err := json.NewDecoder(r).Decode(d); err != nil {
		return nil, fmt.Errorf("no data file of rules: %w", err)
	}
	return d, nil
}

// Write writes the file with a line for each kernel.
func (d *Data) Write(w io.Writer) error {
	head, err := json.Marshal([]string{d.Commit, d.Chip})
	if err != nil {
		return err
	}
	var pair [2]json.RawMessage
	if err := json.Unmarshal(head, &pair); err != nil {
		return err
	}
	fmt.Fprintf(w, "{\"commit\": %s, \"chip\": %s, \"kernels\": [", pair[0], pair[1])
	for i, k := range d.Kernels {
		line, err := json.Marshal(k)
		if err != nil {
			return err
		}
		if i > 0 {
			io.WriteString(w, ",")
		}
		fmt.Fprintf(w, "\n%s", line)
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}

// Effect is what a rule is worth on a part of the kernels.
type Effect struct {
	Kernels int     // whose code differs without the rule
	Mean    float64 // geometric mean of the time without the rule over that with it: above 1 it gains
	Least   float64 // of these ratios
	Most    float64
	Wins    int // kernels faster by more than Noise
	Losses  int // and slower
}

// Noise is the share of a time below which two measurements of one code may differ.
const Noise = 0.02

// Effects returns what a rule is worth on kernels that may choose its value and on those that are held out:
// by the times with the rule switched off, or with other numbers if it cannot be.
func (d *Data) Effects(rule string) (chosen, held Effect) {
	var logs [2][]float64
	r := Lookup(rule)
	for _, k := range d.Kernels {
		part := 0
		if Held(k.Kernel) {
			part = 1
		}
		for _, t := range k.Times {
			off := r == nil || r.Off == NoOff || t.Other == r.Off
			if t.Rule == rule && off && t.With > 0 && t.Without > 0 {
				logs[part] = append(logs[part], math.Log(t.Without/t.With))
			}
		}
	}
	return effect(logs[0]), effect(logs[1])
}

func effect(logs []float64) (e Effect) {
	if len(logs) == 0 {
		return e
	}
	sum := 0.0
	for _, l := range logs {
		sum += l
		if l > math.Log(1+Noise) {
			e.Wins++
		}
		if l < -math.Log(1+Noise) {
			e.Losses++
		}
	}
	e.Kernels, e.Mean = len(logs), math.Exp(sum/float64(len(logs)))
	e.Least, e.Most = math.Exp(slices.Min(logs)), math.Exp(slices.Max(logs))
	return e
}

// Change is a decision that other values of rules would make otherwise.
type Change struct {
	Kernel   string
	Held     bool
	Decision Decision // as it was recorded
	Value    int      // the other value
	Now      string   // the outcome as recorded, and with Value
	Then     string
	Time     *Time // measured with a value that decides alike; nil if there is none
}

// Replay returns the decisions of a data file that values of a set would make otherwise. A rule of the kind
// Number takes part in an estimate: all kernels that asked for it are listed.
func (d *Data) Replay(s *Set) (list []Change) {
	for _, k := range d.Kernels {
		for _, x := range k.Decisions {
			r := Lookup(x.Rule)
			if r == nil || s.value(r) == x.Value {
				continue
			}
			now, then := r.outcome(x, x.Value), r.outcome(x, s.value(r))
			if now == then && r.Kind != Number {
				continue
			}
			list = append(list, Change{Kernel: k.Name, Held: Held(k.Kernel), Decision: x, Value: s.value(r),
				Now: now, Then: then, Time: k.timed(r, x, then)})
		}
	}
	return list
}

// timed returns the measurement of a kernel with another value of a rule that gives an outcome, or nil.
func (k *Kernel) timed(r *Rule, d Decision, outcome string) *Time {
	for i := range k.Times {
		if t := &k.Times[i]; t.Rule == r.Name && r.outcome(d, t.Other) == outcome {
			return t
		}
	}
	return nil
}

// outcome returns in words what the rule decides with a value.
func (r *Rule) outcome(d Decision, value int) string {
	switch r.Kind {
	case Number:
		return fmt.Sprint(value)
	case Cap:
		return fmt.Sprint(min(d.N, int64(value)))
	}
	if d.With(r, value) {
		return "yes"
	}
	return "no"
}

// Others returns the values of a rule with which it is worth compiling again a kernel that made these
// decisions: one that decides otherwise. That is off if the rule has it, else half or twice the value.
func (r *Rule) Others(decisions []Decision) []int {
	var tries []int
	if r.Off != NoOff {
		tries = append(tries, r.Off)
	}
	tries = append(tries, 2*r.Value, max(1, r.Value/2))
	if r.Kind == Number {
		return tries
	}
	for _, v := range tries {
		for _, d := range decisions {
			if d.Rule == r.Name && v != r.Value && r.outcome(d, v) != r.outcome(d, r.Value) {
				return []int{v}
			}
		}
	}
	return nil
}
