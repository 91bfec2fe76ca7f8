package compile

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
)

// Many goroutines that ask for one key get one build, made once; a failed one is made again by the next.
func TestBuildOnce(t *testing.T) {
	var b builds
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			x, err := b.get(t.Context(), "k", false, func(*building) error { made.Add(1); return nil })
			if err != nil || x == nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 {
		t.Errorf("made %d times", made.Load())
	}
	broken := errors.New("broken")
	for range 2 {
		if _, err := b.get(t.Context(), "other", false, func(*building) error {
			made.Add(1)
			return broken
		}); err != broken {
			t.Error(err)
		}
	}
	if made.Load() != 3 {
		t.Errorf("a failed build was made %d times in two calls", made.Load()-1)
	}
}

// A goroutine that waits for another tries itself if the other gave up for a reason of its own.
func TestBuildBesideOthers(t *testing.T) {
	for _, c := range []struct {
		err   error
		ahead bool
		again bool
	}{
		{context.Canceled, false, true},
		{fmt.Errorf("k: %w", device.ErrCapturing), false, true},
		{fmt.Errorf("k: %w", ErrNotCompiled), true, true}, // a warm-up beside a launch in strict mode
		{fmt.Errorf("k: %w", ErrNotCompiled), false, false},
		{errors.New("the kernel is wrong"), true, false},
	} {
		var b builds
		begun, fail := make(chan bool), make(chan bool)
		var wg sync.WaitGroup
		wg.Go(func() {
			b.get(t.Context(), "k", false, func(*building) error { close(begun); <-fail; return c.err })
		})
		<-begun
		again := false
		ctx := &waiting{Context: t.Context(), waits: make(chan bool)}
		wg.Go(func() {
			_, err := b.get(ctx, "k", c.ahead, func(*building) error { again = true; return nil })
			if (err == nil) != c.again {
				t.Errorf("beside %v, ahead %v: %v", c.err, c.ahead, err)
			}
		})
		<-ctx.waits
		close(fail)
		wg.Wait()
		if again != c.again {
			t.Errorf("beside %v, ahead %v: tried again: %v", c.err, c.ahead, again)
		}
	}
}

// waiting is a context that tells when somebody waits for its end.
type waiting struct {
	context.Context
	once  sync.Once
	waits chan bool
}

func (w *waiting) Done() <-chan struct{} {
	w.once.Do(func() { close(w.waits) })
	return w.Context.Done()
}

// The oldest of too many builds is dropped from memory.
func TestBuildsBounded(t *testing.T) {
	var b builds
	for i := range maxBuilds + 3 {
		b.get(t.Context(), fmt.Sprint(i), false, func(*building) error { return nil })
	}
	if len(b.byKey) != maxBuilds || len(b.order) != maxBuilds || b.byKey["2"] != nil || b.byKey["3"] == nil {
		t.Errorf("%d builds, the third: %v", len(b.byKey), b.byKey["2"])
	}
}
