package nvidia

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/target"
)

// TestUntil: a compilation stops behind the stage that it is asked for, and what follows is never made.
func TestUntil(t *testing.T) {
	m, c := golden(t, "add_f32"), Compiler{Capability: 90}
	stages := []string{"ttir", "ttgir", "llir", "ptx"}
	for i, until := range stages {
		var made []string
		in := &target.Input{Module: m.Clone(), Way: device.AnyLaunch, Hosted: true, Until: until,
			Options: target.Options{NumWarps: 4, NumStages: 3, NumCTAs: 1},
			Stages:  func(stage string, _ time.Duration, _ func() []byte) { made = append(made, stage) }}
		in.Kernel = target.EntryOf(in.Module, "")
		if _, err := c.Compile(context.Background(), in, 0); err != nil {
			t.Fatal(err)
		}
		for _, later := range stages[i+1:] {
			if slices.Contains(made, later) {
				t.Errorf("until %s: %q", until, made)
			}
		}
		if !slices.Contains(made, until) {
			t.Errorf("until %s: only %q", until, made)
		}
	}
}
