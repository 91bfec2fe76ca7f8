package pool

import (
	"runtime"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestSettle: a thread leaves a processor that another thread of its launch has, for one that none has, and
// may run wherever it could before.
func TestSettle(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, ok := affinity()
	if !ok || before.count() < 2 {
		txtest.NotHere(t, "one processor")
	}
	var p places
	first := p.settle()
	if !p.taken.add(first) {
		t.Errorf("processor %d is not taken", first)
	}
	pin(first) // whatever the system does meanwhile
	setAffinity(&before)
	if moved := p.settle(); !p.taken.add(moved) {
		t.Errorf("processor %d is not taken", moved)
	}
	if after, _ := affinity(); after != before {
		t.Errorf("the thread may use %v, before %v", after, before)
	}
	for range before.count() { // none is left: the thread stays
		p.settle()
	}
	if p.taken != before {
		t.Errorf("taken %v, want %v", p.taken, before)
	}
}

func TestTake(t *testing.T) {
	allowed, ok := affinity()
	if !ok || allowed.count() < 2 {
		txtest.NotHere(t, "one processor")
	}
	cpu := allowed.next(&cpuSet{}, -1)
	var p places
	if _, to := p.take(cpu); to != cpu {
		t.Errorf("a free processor, %d, became %d", cpu, to)
	}
	if _, to := p.take(cpu); to == cpu || to != allowed.next(&cpuSet{}, cpu) {
		t.Errorf("a taken processor, %d, became %d", cpu, to)
	}
	if _, to := p.take(-1); to != -1 {
		t.Errorf("an unknown processor became %d", to)
	}
}
