package autotune

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Record is what is known of a kernel for one key.
type Record struct {
	Version  int      `json:"version"`
	Kernel   string   `json:"kernel"`
	File     string   `json:"file"`     // the name of the kernel's file, for people
	Device   string   `json:"device"`   // its model
	Compiler string   `json:"compiler"` // the build, with LLVM and the driver
	Source   string   `json:"source"`   // a hash of the kernel's text
	Key      []string `json:"key"`      // what the kernel was tuned for
	Timings  []Timing `json:"timings"`
	Best     string   `json:"best"` // the config that was chosen

	// Accept reports whether a kept timing is of the code that would be measured now; nil accepts all. Layers
	// and Add ask it.
	Accept func(t Timing) bool `json:"-"`
}

// version of the form of a record.
const version = 1

// Timing is the time of one config, in milliseconds: the median and the quantiles around it.
type Timing struct {
	Config string  `json:"config"`
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Failed string  `json:"failed,omitempty"` // why it has no time
	Hash   string  `json:"hash,omitempty"`   // of what was measured, where Record.Source does not tell

	Checked string `json:"checked,omitempty"` // with whose results its own were compared
}

// TimeUp is the failure of a config that a tuning with a budget did not come to: it may be measured another
// day.
const TimeUp = "not measured: the time was up"

// Hash is a hash of a kernel's text.
func Hash(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:16])
}

// Find is the timing of a config.
func (r *Record) Find(config string) (Timing, bool) {
	i := slices.IndexFunc(r.Timings, func(t Timing) bool { return t.Config == config })
	if i < 0 {
		return Timing{}, false
	}
	return r.Timings[i], true
}

// Set adds or replaces a timing.
func (r *Record) Set(t Timing) {
	if i := slices.IndexFunc(r.Timings, func(old Timing) bool { return old.Config == t.Config }); i >= 0 {
		r.Timings[i] = t
		return
	}
	r.Timings = append(r.Timings, t)
}

// Drop removes a timing.
func (r *Record) Drop(config string) {
	r.Timings = slices.DeleteFunc(r.Timings, func(t Timing) bool { return t.Config == config })
}

// Add takes over what another record of the same kernel and key knows: timings that r has not, or had no time
// for, and the choice if r has none.
func (r *Record) Add(from *Record) {
	for _, t := range from.Timings {
		old, ok := r.Find(t.Config)
		if (!ok || old.Failed == TimeUp) && (r.Accept == nil || r.Accept(t)) {
			r.Set(t)
		}
	}
	if t, ok := r.Find(from.Best); r.Best == "" && ok && t.Failed == "" {
		r.Best = from.Best
	}
}

// id identifies a record: all that it depends on but the timings.
func (r *Record) id() string {
	id, _ := json.Marshal([]any{r.Kernel, r.Device, r.Compiler, r.Source, r.Key})
	return Hash(string(id))
}

// clone returns a copy that shares nothing which changes.
func (r *Record) clone() *Record {
	c := *r
	c.Timings = slices.Clone(r.Timings)
	return &c
}

// Margin is the noise that measurements are taken to have: configs whose medians differ by less count as
// equally fast.
const Margin = 0.005

// Pick returns the best of some configs by the record's timings: the fastest, and among those that are as
// fast within the margin the steadiest, the earlier of two alike. It is "" where none has a time.
func (r *Record) Pick(configs []string) string {
	least := math.Inf(1)
	for _, c := range configs {
		if t, ok := r.Find(c); ok && t.Failed == "" {
			least = min(least, t.Median)
		}
	}
	best, spread := "", math.Inf(1)
	for _, c := range configs {
		t, ok := r.Find(c)
		if !ok || t.Failed != "" || t.Median > least*(1+Margin) {
			continue
		}
		if s := t.High - t.Low; best == "" || s < spread {
			best, spread = c, s
		}
	}
	return best
}

// parse reads a record and checks that it makes sense.
func parse(data []byte) (*Record, error) {
	r := &Record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	if r.Version != version || r.Kernel == "" {
		return nil, fmt.Errorf("not a tuning record of version %d", version)
	}
	for _, t := range r.Timings {
		if t.Failed == "" && !(t.Median >= 0 && t.Low <= t.High) {
			return nil, fmt.Errorf("the timing of %q makes no sense", t.Config)
		}
	}
	if t, ok := r.Find(r.Best); r.Best != "" && (!ok || t.Failed != "") {
		return nil, fmt.Errorf("%q is the choice, and has no time", r.Best)
	}
	return r, nil
}

// fits reports whether two records are of one kernel, key, device, compiler and source.
func (r *Record) fits(o *Record) bool {
	return r.Kernel == o.Kernel && r.Device == o.Device && r.Compiler == o.Compiler && r.Source == o.Source &&
		slices.Equal(r.Key, o.Key)
}

// Decode reads a list of records, as an export is written.
func Decode(data []byte) ([]*Record, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("not a list of tuning records: %w", err)
	}
	var out []*Record
	for i, d := range raw {
		r, err := parse(d)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", i+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}
