package timeline

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Log is a timeline that is being recorded. Each event is written at once, with one call of Write: what was
// recorded is there even if the process ends by os.Exit or crashes. Any number of goroutines may use it.
type Log struct {
	mu     sync.Mutex
	w      io.Writer
	err    error // of the first write that failed; nothing is written after it
	line   []byte
	begin  time.Time
	pid    int
	lanes  map[string][]lane // tracks of a category
	tracks int               // number of tracks
	seen   map[string]bool   // devices that the file describes
	queues map[device.Stream]*queue
	arrows uint64
	ticks  sync.Once
	ended  chan struct{}

	sampled sync.WaitGroup
}

// lane is a track of the host, on which spans do not overlap.
type lane struct {
	track int
	until time.Time // end of its last span
}

var (
	active  atomic.Pointer[Log]
	fromEnv sync.Once
)

// On returns the process's log, nil if nothing is recorded.
func On() *Log {
	fromEnv.Do(startEnv)
	return active.Load()
}

// startEnv starts the log of the file that the environment names. Processes may share a file: each event is
// one write at its end.
func startEnv() {
	name := knob.Trace.Get()
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		slog.Warn("nereid: nothing is recorded: "+knob.Trace.Name(), "err", err)
		return
	}
	info, err := f.Stat()
	active.Store(newLog(f, err != nil || info.Size() == 0))
}

// Start begins to record to w. Kernels that were launched before are not seen.
func Start(w io.Writer) (*Log, error) {
	fromEnv.Do(startEnv)
	l := newLog(w, true)
	if !active.CompareAndSwap(nil, l) {
		return nil, errors.New("nereid: a profile is being recorded already")
	}
	return l, nil
}

// newLog returns a log that writes to w, with the beginning of the file if it is the first.
func newLog(w io.Writer, first bool) *Log {
	l := &Log{
		w: w, begin: time.Now(), pid: os.Getpid(), lanes: map[string][]lane{}, seen: map[string]bool{},
		queues: map[device.Stream]*queue{}, ended: make(chan struct{}),
	}
	if first { // the format allows the list to have no end
		l.line = append(l.line, "[\n"...)
	}
	name := "nereid"
	if len(os.Args) > 0 {
		name = filepath.Base(os.Args[0])
	}
	l.write(&event{phase: 'M', name: "process_name", args: []Arg{{"name", name}}})
	l.write(&event{phase: 'M', name: "nereid_begin", args: []Arg{{"unix_ns", l.begin.UnixNano()}}})
	if knob.TraceLines.Get() {
		l.sampled.Go(l.sample)
	}
	return l
}

// Stop ends the recording, once the work whose times are open is done, and returns the first error of a
// write.
func (l *Log) Stop() error {
	if !active.CompareAndSwap(l, nil) {
		return nil
	}
	close(l.ended)
	l.sampled.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.queues {
		l.drain(q, true)
		q.close()
	}
	if l.err != nil {
		return fmt.Errorf("nereid: the profile is not complete: %w", l.err)
	}
	return nil
}

// Span records that something of a category lasted from start to end.
func (l *Log) Span(category, name string, start, end time.Time, args ...Arg) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.span(category, name, start, end, args)
}

// span is Span, under the lock. It returns the track.
func (l *Log) span(category, name string, start, end time.Time, args []Arg) int {
	t := l.free(category, start, end)
	l.write(&event{phase: 'X', category: category, name: name, track: t, start: start.Sub(l.begin),
		took: end.Sub(start), args: args})
	return t
}

// behindStreams puts tracks of no category of the host below those of streams.
const behindStreams = 100

// free returns a track of a category on which nothing happened since start, for a span that ends at end.
// Spans come in the order of their ends, so that a track need only remember its last one.
func (l *Log) free(category string, start, end time.Time) int {
	for i := range l.lanes[category] {
		if x := &l.lanes[category][i]; !x.until.After(start) {
			x.until = end
			return x.track
		}
	}
	name, order := category, len(tracks)+behindStreams
	for i, t := range tracks {
		if t.category == category {
			name, order = t.name, i
		}
	}
	if n := len(l.lanes[category]); n > 0 {
		name = fmt.Sprintf("%s %d", name, n+1)
	}
	x := lane{l.track(name, order), end}
	l.lanes[category] = append(l.lanes[category], x)
	return x.track
}

// track returns a new track.
func (l *Log) track(name string, order int) int {
	l.tracks++
	l.write(&event{phase: 'M', name: "thread_name", track: l.tracks, args: []Arg{{"name", name}}})
	l.write(&event{phase: 'M', name: "thread_sort_index", track: l.tracks,
		args: []Arg{{"sort_index", int64(order)}}})
	return l.tracks
}

// write writes an event.
func (l *Log) write(e *event) {
	l.line = e.append(l.line, l.pid)
	if l.err == nil {
		_, l.err = l.w.Write(l.line)
	}
	l.line = l.line[:0]
}

// describe writes what readers should know of a device, once.
func (l *Log) describe(d device.Device) {
	if l.seen[d.Name()] {
		return
	}
	l.seen[d.Name()] = true
	args := []Arg{{"device", d.Name()}, {"info", d.Info()}}
	if rate := d.Traits().BytesPerSecond; rate != 0 {
		args = append(args, Arg{"bytes_per_second", rate})
	}
	l.write(&event{phase: 'M', name: "nereid_device", args: args})
}
