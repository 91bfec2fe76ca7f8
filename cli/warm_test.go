package cli

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestWithin: a signal, which ends the context, ends the wait for a file that never comes.
func TestWithin(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	forever := make(chan int)
	defer close(forever)
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err := within(ctx, func() (int, error) { return <-forever, nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	got, err := within(t.Context(), func() (int, error) { return 7, nil })
	if got != 7 || err != nil {
		t.Errorf("%d, %v, want 7", got, err)
	}
}
