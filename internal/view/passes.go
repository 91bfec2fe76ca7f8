package view

import (
	"bytes"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pass"
)

// Watcher records the passes of one compilation: their times, and the text after each.
type Watcher struct {
	passes []Pass
	text   []string // after the last pass
	begun  time.Time
	found  []string // before the pass that runs

	spent time.Duration            // by the watcher itself, since the last stage
	own   map[string]time.Duration // the same, by stage
}

// Stage implements target.PassWatcher.
func (w *Watcher) Stage(s pass.Stage) {
	start := time.Now()
	if s.After {
		w.after(s, start.Sub(w.begun))
	} else {
		w.found = nil
		if s.Index == 0 { // the module may have changed since the last pipeline
			w.found = textOf(s.Module)
		}
	}
	w.begun = time.Now()
	w.spent += w.begun.Sub(start)
}

// after records a pass that took so long.
func (w *Watcher) after(s pass.Stage, took time.Duration) {
	p := Pass{Name: s.Pass, Took: milliseconds(took)}
	if w.found != nil && len(w.passes) == 0 {
		w.passes = append(w.passes, Pass{Edits: changes(nil, w.found), First: true})
		w.text = w.found
	} else if w.found != nil {
		if e := changes(w.text, w.found); e != nil {
			w.passes = append(w.passes, Pass{Edits: e})
		}
		w.text = w.found
	}
	now := textOf(s.Module)
	p.Edits = changes(w.text, now)
	w.text = now
	w.passes = append(w.passes, p)
}

// Ended gives the passes since the last stage the name of the stage that they made.
func (w *Watcher) Ended(stage string) {
	if w.own == nil {
		w.own = map[string]time.Duration{}
	}
	w.own[stage] += w.spent
	w.spent = 0
	for i := len(w.passes) - 1; i >= 0 && w.passes[i].Stage == ""; i-- {
		w.passes[i].Stage = stage
	}
}

// Took returns the time of a stage without that of the watcher.
func (w *Watcher) Took(stage string, took time.Duration) time.Duration {
	return max(0, took-w.own[stage])
}

// Passes returns what was recorded. An entry without a name is what happened between two pipelines.
func (w *Watcher) Passes() []Pass { return w.passes }

// textOf returns a module as lines, without locations.
func textOf(m *ir.Module) []string {
	var b bytes.Buffer
	if err := ir.Print(&b, m.Op, ir.PrintOptions{}); err != nil {
		return []string{"// " + err.Error()}
	}
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
