package warm

import (
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// TestClear: a cleared table finds no plan, not even that of the launch before, whose code may be freed.
func TestClear(t *testing.T) {
	var table Table
	var opts device.Options
	dev := &args.Device{}
	p := &Plan{Dev: dev}
	p.Keep(&args.Look{Classes: []args.Class{args.ClassOne}}, opts)
	table.Add(p)
	if table.Find(&p.Look, &opts, dev) != p {
		t.Fatal("the plan is not found")
	}
	table.Clear()
	if !table.Empty() || table.Find(&p.Look, &opts, dev) != nil {
		t.Error("a cleared table finds a plan")
	}
}
