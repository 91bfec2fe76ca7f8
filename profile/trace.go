package profile

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Categories of events.
const (
	CategoryKernel  = "kernel"  // a kernel runs on its device
	CategoryLaunch  = "launch"  // the host queues a kernel or a graph on a GPU
	CategoryCompile = "compile" // a kernel is compiled, or found in the cache
	CategoryStage   = "stage"   // a stage of a compilation
	CategoryTune    = "tune"    // a config is chosen
	CategoryCopy    = "copy"    // memory is copied
	CategoryScope   = "scope"   // a warp is in a scope of a kernel
	CategoryGraph   = "graph"   // work is captured, or a graph runs on its device
)

// Event is an event of a timeline, in the form of Chrome's trace format. Times are microseconds.
type Event struct {
	Phase    string         `json:"ph"` // X: a span, M: metadata, s and f: the ends of an arrow
	Process  int            `json:"pid"`
	Track    int            `json:"tid"`
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Start    float64        `json:"ts"`
	Took     float64        `json:"dur,omitempty"`
	ID       uint64         `json:"id,omitempty"`
	Bind     string         `json:"bp,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// Trace is a recording.
type Trace struct {
	Events  []Event
	Devices map[string]Device // devices that kernels ran on, by name
	Begin   time.Time         // from which the times of events count; zero if the recording does not say
}

// Device is a device of a recording.
type Device struct {
	Info           string  // a line about it
	BytesPerSecond float64 // the most that its memory can read and write; 0 if it is not known
}

// Read reads a recording, of which the process may still run or have ended in any way: an event that is cut
// off at the end is left out. Processes that share a file get a common beginning.
func Read(r io.Reader) (*Trace, error) {
	t := &Trace{Devices: map[string]Device{}}
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		cut := errors.Is(err, io.EOF)
		if err != nil && !cut {
			return nil, err
		}
		if e := t.addLine(line); e != nil && !cut {
			return nil, fmt.Errorf("line %d is no event of a timeline: %w", n, e)
		}
		if cut {
			break
		}
	}
	t.align()
	return t, nil
}

// addLine adds the event of a line. The format's brackets are on lines of their own.
func (t *Trace) addLine(line []byte) error {
	line = bytes.TrimSuffix(bytes.TrimSpace(line), []byte(","))
	switch {
	case len(line) == 0, line[0] == '[', line[0] == ']', bytes.HasPrefix(line, []byte(`{"displayTimeUnit"`)):
		return nil
	}
	var e Event
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	if e.Phase == "" {
		return errors.New(`it has no "ph"`)
	}
	if e.Phase == "M" && e.Name == "nereid_device" {
		rate, _ := e.Args["bytes_per_second"].(float64)
		t.Devices[e.text("device")] = Device{e.text("info"), rate}
	}
	t.Events = append(t.Events, e)
	return nil
}

// text returns a fact about the event that is a string.
func (e *Event) text(key string) string {
	s, _ := e.Args[key].(string)
	return s
}

// number returns a fact about the event that is a number.
func (e *Event) number(key string) float64 {
	x, _ := e.Args[key].(float64)
	return x
}

// align shifts the events of processes to the beginning of the first.
func (t *Trace) align() {
	begin := map[int]float64{}
	for i := range t.Events {
		if e := &t.Events[i]; e.Phase == "M" && e.Name == "nereid_begin" {
			begin[e.Process] = e.number("unix_ns")
		}
	}
	first := 0.0
	for _, ns := range begin {
		if first == 0 || ns < first {
			first = ns
		}
	}
	if first > 0 {
		t.Begin = time.Unix(0, int64(first))
	}
	for i := range t.Events {
		if e := &t.Events[i]; e.Phase != "M" && begin[e.Process] > 0 {
			e.Start += (begin[e.Process] - first) / 1e3
		}
	}
	t.Events = slices.DeleteFunc(t.Events, func(e Event) bool { return e.Name == "nereid_begin" })
	slices.SortStableFunc(t.Events, func(a, b Event) int { // metadata first
		if m := strings.Compare(meta(a), meta(b)); m != 0 {
			return m
		}
		return cmp.Compare(a.Start, b.Start)
	})
}

func meta(e Event) string {
	if e.Phase == "M" {
		return "0"
	}
	return "1"
}

// WriteTrace writes the recording for Perfetto (https://ui.perfetto.dev) and chrome://tracing.
func (t *Trace) WriteTrace(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, `{"displayTimeUnit":"ns","traceEvents":[`)
	for i, e := range t.Events {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		b.Write(text)
		if i+1 < len(t.Events) {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	fmt.Fprintln(b, "]}")
	return b.Flush()
}
