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

// TestFindOther: a plan serves arguments of its own classes and texts, on its device, under its options.
func TestFindOther(t *testing.T) {
	var table Table
	dev, other := &args.Device{}, &args.Device{}
	look := func(text string, classes ...args.Class) *args.Look {
		return &args.Look{Classes: classes, Texts: []string{text}}
	}
	var opts device.Options
	p := &Plan{Dev: dev}
	p.Keep(look("a", args.ClassConstText, 0, 0, args.ClassInt32), opts)
	for range 2 { // the second time it is the plan of the launch before
		table.Add(p)
		if table.Find(look("a", args.ClassConstText, 0, 0, args.ClassInt32), &opts, dev) != p {
			t.Fatal("the plan is not found")
		}
		for what, found := range map[string]*Plan{
			"device":  table.Find(&p.Look, &opts, other),
			"options": table.Find(&p.Look, &device.Options{Overlap: true}, dev),
			"text":    table.Find(look("b", args.ClassConstText, 0, 0, args.ClassInt32), &opts, dev),
			"class":   table.Find(look("a", args.ClassConstText, 0, 0, args.ClassInt64), &opts, dev),
			"count":   table.Find(look("a", args.ClassConstText, 0, 0), &opts, dev),
		} {
			if found != nil {
				t.Errorf("another %s takes the plan", what)
			}
		}
	}
}
