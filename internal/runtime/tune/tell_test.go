package tune

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// A long tuning is told of while it lasts, and its end; a short one is not.
func TestTelling(t *testing.T) {
	after, every := tellAfter, tellEvery
	defer func() { tellAfter, tellEvery = after, every }()
	var mu sync.Mutex
	var lines []string
	o := &Options{Inform: func(msg string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, fmt.Sprintln(append([]any{msg}, args...)...))
	}}
	r := &run{k: &Kernel{Name: "k", Opts: o}}
	tellAfter, tellEvery = time.Hour, time.Hour
	r.tell(3).end("a")
	if len(lines) != 0 {
		t.Fatalf("a short tuning: %q", lines)
	}
	tellAfter, tellEvery = time.Microsecond, time.Millisecond
	told := r.tell(3)
	told.measured.Add(2)
	for range 10000 {
		time.Sleep(time.Millisecond)
		mu.Lock()
		n := len(lines)
		mu.Unlock()
		if n >= 3 {
			break
		}
	}
	told.end("BLOCK: 64")
	mu.Lock()
	defer mu.Unlock()
	if len(lines) < 4 || !strings.Contains(lines[2], "nereid: tuning kernel k configs 3 measured 2") ||
		!strings.HasPrefix(lines[len(lines)-1], "nereid: tuned kernel k") ||
		!strings.Contains(lines[len(lines)-1], "config BLOCK: 64") {
		t.Errorf("a long tuning: %q", lines)
	}
	n := len(lines)
	mu.Unlock()
	time.Sleep(5 * time.Millisecond)
	mu.Lock()
	if len(lines) != n {
		t.Errorf("it is told of after its end: %q", lines[n:])
	}
}
