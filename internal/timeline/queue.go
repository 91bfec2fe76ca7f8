package timeline

import (
	"fmt"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
)

// queue is a stream of a device that runs work later than it is queued.
type queue struct {
	track   int
	waiting []work        // queued and not known to be done, in order
	last    device.Mark   // end of the last work whose time is known; nil if there is none
	at      time.Time     // the host's time of last
	spare   []device.Mark // marks that are free
}

// work is something queued between two marks.
type work struct {
	from, to device.Mark
	queued   time.Time // when from was queued
	category string
	name     string
	args     []Arg
	arrow    uint64 // from the launch on the host

	held bool          // its scopes may be read yet
	own  time.Duration // what it took by the clock of its own code; 0 if that is not known
}

// tooMany is how much work may wait before its times are asked for.
const tooMany = 256

// Run calls run, which queues work on a stream of a device, or does it, and records both: the call on the
// host and, where the device has a clock, the work on the device. Work that is being captured has no time.
func (l *Log) Run(category, name string, dev device.Device, s device.Stream, args []Arg,
	run func() error) error {
	clock, _ := s.(device.Clocked)
	if clock == nil {
		start := time.Now()
		err := run()
		l.ran(category, name, dev, start, time.Now(), args, err)
		return err
	}
	start := time.Now()
	w, timed := l.mark(clock, s)
	err := run()
	if timed { // at once: a kernel may be short
		m, failed := clock.Mark(w.to)
		w.to, timed = m, failed == nil
	}
	end := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.describe(dev)
	args = append([]Arg{{"device", dev.Name()}}, args...)
	t := l.span(Launch, name, start, end, Failed(args, err))
	if !timed {
		return err
	}
	q := l.queueOf(dev, s)
	if err != nil {
		q.free(w.from, w.to)
		return err
	}
	l.arrows++
	w.category, w.name, w.args, w.arrow = category, name, args, l.arrows
	w.held = category == Kernel && l.RecordsScopes()
	l.write(&event{phase: 's', category: Launch, name: "runs", track: t, start: start.Sub(l.begin),
		id: w.arrow})
	q.waiting = append(q.waiting, w)
	if len(q.waiting) > tooMany {
		l.drain(q, false)
	}
	l.ticks.Do(func() { go l.tick() })
	return nil
}

// ran records work that the host has done itself.
func (l *Log) ran(category, name string, dev device.Device, start, end time.Time, args []Arg, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.describe(dev)
	l.span(category, name, start, end, Failed(append([]Arg{{"device", dev.Name()}}, args...), err))
}

// Failed adds an error to the facts about an event.
func Failed(args []Arg, err error) []Arg {
	if err == nil {
		return args
	}
	return append(args, Arg{"error", err.Error()})
}

// mark puts a mark in front of work, unless it is being captured, and finds one for behind it.
func (l *Log) mark(clock device.Clocked, s device.Stream) (w work, ok bool) {
	if r, is := s.(device.Recording); is {
		if on, err := r.Capturing(); on || err != nil {
			return w, false
		}
	}
	l.mu.Lock()
	if q := l.queues[s]; q != nil {
		w.from, w.to = q.take(), q.take()
	}
	l.mu.Unlock()
	m, err := clock.Mark(w.from)
	w.from, w.queued = m, time.Now()
	return w, err == nil
}

// queueOf returns the queue of a stream.
func (l *Log) queueOf(dev device.Device, s device.Stream) *queue {
	q := l.queues[s]
	if q == nil {
		n := len(l.queues) + 1
		q = &queue{track: l.track(fmt.Sprintf("%s, stream %d", dev.Name(), n), len(tracks)+n)}
		l.queues[s] = q
	}
	return q
}

// take returns a mark that is free, or nil.
func (q *queue) take() device.Mark {
	n := len(q.spare)
	if n == 0 {
		return nil
	}
	m := q.spare[n-1]
	q.spare = q.spare[:n-1]
	return m
}

// free takes marks back.
func (q *queue) free(marks ...device.Mark) {
	for _, m := range marks {
		if m != nil {
			q.spare = append(q.spare, m)
		}
	}
}

// close gives the marks back to the device.
func (q *queue) close() {
	q.free(q.last)
	for _, m := range q.spare {
		m.Close()
	}
	q.last, q.spare = nil, nil
}

// Release lets the work of a stream be recorded whose scopes will not be read.
func (l *Log) Release(s device.Stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q := l.queues[s]; q != nil {
		q.release(0)
	}
}

// release lets work be recorded that waited for its scopes. The last of it took so long, if that is known.
func (q *queue) release(own time.Duration) {
	for i := range q.waiting {
		q.waiting[i].held = false
	}
	if n := len(q.waiting); n > 0 {
		q.waiting[n-1].own = own
	}
}

// Drain records the work that is done.
func (l *Log) Drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.queues {
		l.drain(q, false)
	}
}

// Close forgets a stream whose work is done.
func (l *Log) Close(s device.Stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q := l.queues[s]; q != nil {
		l.drain(q, true)
		q.close()
		q.waiting = nil
	}
}

// tick records what is done now and then: a program may end without waiting for a stream.
func (l *Log) tick() {
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			l.Drain()
		case <-l.ended:
			return
		}
	}
}

// drain records the work of a queue that is done or, with wait, all of it.
func (l *Log) drain(q *queue, wait bool) {
	for len(q.waiting) > 0 {
		w := &q.waiting[0]
		if w.held {
			return
		}
		done, err := w.to.Done()
		for wait && !done && err == nil {
			time.Sleep(50 * time.Microsecond)
			done, err = w.to.Done()
		}
		if err == nil && !done {
			return
		}
		if err == nil {
			err = l.settle(q, w)
		}
		if err != nil { // the device has failed, and says so elsewhere
			q.waiting = nil
			return
		}
		q.waiting = q.waiting[1:]
	}
	q.waiting = nil
}

// span returns when work began that took so long from mark to mark, and what it took itself: on an idle
// device the launch comes before the kernel.
func (w *work) span(start time.Time, took time.Duration) (time.Time, time.Duration) {
	if w.own <= 0 || w.own >= took {
		return start, took
	}
	return start.Add(took - w.own), w.own
}

// settle records work that is done. Its beginning by the host's clock is known from the work before it on the
// stream: the device measures from mark to mark.
func (l *Log) settle(q *queue, w *work) error {
	took, err := w.to.Since(w.from)
	if err != nil {
		return err
	}
	start := w.queued
	if q.last != nil {
		gap, err := w.from.Since(q.last)
		if err != nil {
			return err
		}
		if at := q.at.Add(gap); at.After(start) { // it cannot have begun before it was queued
			start = at
		}
	}
	start, took = w.span(start, took)
	l.write(&event{phase: 'X', category: w.category, name: w.name, track: q.track,
		start: start.Sub(l.begin), took: took, args: w.args})
	l.write(&event{phase: 'f', category: Launch, name: "runs", track: q.track, start: start.Sub(l.begin),
		id: w.arrow})
	q.free(q.last, w.from)
	q.last, q.at = w.to, start.Add(took)
	return nil
}
