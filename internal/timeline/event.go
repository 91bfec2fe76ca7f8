package timeline

import (
	"encoding/json"
	"strconv"
	"time"
)

// Categories of events, by which readers tell them apart.
const (
	Kernel  = "kernel"  // a kernel runs on its device
	Launch  = "launch"  // the host queues a kernel or a graph on a GPU
	Compile = "compile" // a kernel is compiled, or found in the cache
	Stage   = "stage"   // a stage of a compilation
	Tune    = "tune"    // a config is chosen
	Copy    = "copy"    // memory is copied
	Scope   = "scope"   // a warp is in a scope of a kernel
	Graph   = "graph"   // work is captured; on the track of a device, a graph runs there
)

// tracks are the names of the tracks of categories on the host, in the order in which they are shown.
var tracks = []struct{ category, name string }{
	{Tune, "tuning"}, {Compile, "compilations"}, {Stage, "stages"}, {Copy, "copies"}, {Graph, "captures"},
	{Launch, "launches"}, {Kernel, "kernels on the host"},
}

// Arg is a fact about an event. Value is a string, an int64, a float64 or a bool.
type Arg struct {
	Key   string
	Value any
}

// event is a line of the file.
type event struct {
	phase    byte // X: a span, M: metadata, s and f: the ends of an arrow
	category string
	name     string
	track    int
	start    time.Duration // since the log's beginning
	took     time.Duration
	id       uint64 // of an arrow
	args     []Arg
}

// append appends the event as JSON, with a comma and the end of the line.
func (e *event) append(b []byte, pid int) []byte {
	b = append(b, `{"ph":"`...)
	b = append(b, e.phase)
	b = append(b, `","pid":`...)
	b = strconv.AppendInt(b, int64(pid), 10)
	b = append(b, `,"tid":`...)
	b = strconv.AppendInt(b, int64(e.track), 10)
	b = append(b, `,"name":`...)
	b = appendValue(b, e.name)
	if e.category != "" {
		b = append(b, `,"cat":"`...)
		b = append(append(b, e.category...), '"')
	}
	if e.phase != 'M' {
		b = appendMicros(append(b, `,"ts":`...), e.start)
	}
	if e.phase == 'X' {
		b = appendMicros(append(b, `,"dur":`...), e.took)
	}
	if e.id != 0 {
		b = strconv.AppendUint(append(b, `,"id":`...), e.id, 10)
	}
	if e.phase == 'f' { // the arrow ends at the span around it, not at the next
		b = append(b, `,"bp":"e"`...)
	}
	b = appendArgs(b, e.args)
	return append(b, "},\n"...)
}

func appendArgs(b []byte, args []Arg) []byte {
	if len(args) == 0 {
		return b
	}
	sep := `,"args":{`
	for _, a := range args {
		b = append(b, sep...)
		b = append(appendValue(b, a.Key), ':')
		b = appendValue(b, a.Value)
		sep = ","
	}
	return append(b, '}')
}

// appendMicros appends a duration in microseconds, exact to the nanosecond.
func appendMicros(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, float64(d)/1e3, 'f', 3, 64)
}

// appendValue appends a string or a number.
func appendValue(b []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil { // infinities and NaNs, which JSON has not
		return append(b, "null"...)
	}
	return append(b, text...)
}
