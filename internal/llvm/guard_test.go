package llvm

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestGuardUntil: whoever waits for LLVM goes with its context, and what LLVM holds is given back when it
// ends.
func TestGuardUntil(t *testing.T) {
	tired := errors.New("tired")
	ctx, cancel := context.WithCancelCause(context.Background())
	release, ended := make(chan bool), make(chan bool)
	done := make(chan error, 1)
	go func() {
		done <- guardUntil(ctx, func() error { <-release; return nil }, func() { close(ended) })
	}()
	cancel(tired)
	if err := <-done; err != tired {
		t.Errorf("got %v", err)
	}
	select {
	case <-ended:
		t.Error("ended before it did")
	case <-time.After(10 * time.Millisecond):
	}
	close(release)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("it has not ended")
	}
}
