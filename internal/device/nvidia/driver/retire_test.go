package driver

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// unloads waits for the unloading that goes on, and returns the calls since the last time without those that
// make the context current.
func (f *fake) unloads(c *Context) []string {
	c.hold() // waits
	defer c.release()
	calls := slices.DeleteFunc(f.calls, func(call string) bool { return strings.HasPrefix(call, "current") })
	f.calls = nil
	return calls
}

func load(t *testing.T, f *fake, c *Context) *Module {
	t.Helper()
	m, err := c.Load([]byte("// ptx"), JITOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f.calls = nil
	return m
}

// A retired module is unloaded after the context was synchronized.
func TestRetire(t *testing.T) {
	f, c := started(t, 1)
	m := load(t, f, c)
	m.Retire()
	if got := f.unloads(c); !slices.Equal(got, []string{"ctxSync", "unload 51"}) {
		t.Errorf("calls: %q", got)
	}
	if err := m.Unload(); err != nil || len(f.unloads(c)) != 0 {
		t.Error("unloaded twice", err)
	}
}

// While a graph is open, or is being captured, nothing is synchronized and nothing unloaded.
func TestRetireBesideGraphs(t *testing.T) {
	f, c := started(t, 1)
	s, err := c.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	m := load(t, f, c)
	quiet := func(when string) {
		time.Sleep(5 * time.Millisecond)
		c.retired.mu.Lock()
		defer c.retired.mu.Unlock()
		if slices.Contains(f.calls, "unload 51") || slices.Contains(f.calls, "ctxSync") {
			t.Errorf("%s: %q", when, f.calls)
		}
	}
	g, err := s.Capture(func() error {
		m.Retire()
		quiet("during a capture")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	quiet("with an open graph")
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if got := f.unloads(c); !slices.Contains(got, "unload 51") {
		t.Errorf("after the graph: %q", got)
	}
	if g.Close(); c.retired.held != 0 {
		t.Errorf("%d held after a second Close", c.retired.held)
	}
	f.results["begin"] = ErrInvalidValue
	if _, err := s.Capture(func() error { return nil }); err == nil || c.retired.held != 0 {
		t.Errorf("a capture that did not begin: %v, %d held", err, c.retired.held)
	}
}

// With streams of others, modules stay: others may have captured their functions.
func TestRetireBesideOthers(t *testing.T) {
	f, c := started(t, 1)
	m := load(t, f, c)
	c.ExternalStream(7)
	m.Retire()
	if got := f.unloads(c); len(got) != 0 {
		t.Errorf("calls: %q", got)
	}
}

// Modules of a context that is lost are left alone.
func TestRetireLost(t *testing.T) {
	f, c := started(t, 1)
	m := load(t, f, c)
	f.results["ctxSync"] = ErrIllegalAddress
	m.Retire()
	if got := f.unloads(c); slices.Contains(got, "unload 51") {
		t.Errorf("calls: %q", got)
	}
}
