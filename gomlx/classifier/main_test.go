package main

import (
	"math"
	"os"
	"testing"
)

// TestTraining trains on both backends: the losses fall alike.
func TestTraining(t *testing.T) {
	const steps = 120
	device := os.Getenv("NEREID_TEST_DEVICE")
	if device == "" {
		device = "cpu"
	}
	ours, right, err := train("nereid:"+device, steps)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	theirs, _, err := train("go", steps)
	if err != nil {
		t.Fatalf("%+v", err)
	}
	for i := range ours {
		if d := math.Abs(float64(ours[i] - theirs[i])); d > 0.01 {
			t.Fatalf("step %d: a loss of %v, and %v by GoMLX's backend", i, ours[i], theirs[i])
		}
	}
	t.Logf("loss %v … %v (GoMLX's backend: %v … %v), accuracy %v", ours[0], ours[steps-1], theirs[0],
		theirs[steps-1], right)
	if ours[steps-1] > ours[0]/3 {
		t.Errorf("the loss falls from %v to %v only", ours[0], ours[steps-1])
	}
}
