package llvm

import (
	"context"
	"runtime"
	"sync"

	"github.com/nereid-lang/nereid/internal/dl"
)

// FatalError is what LLVM would have ended the process for, "Cannot select: …" for example.
type FatalError struct{ Msg string }

func (e *FatalError) Error() string { return "LLVM gave up: " + e.Msg }

// guarded maps the id of a thread to where a fatal error on it is to be reported.
var guarded sync.Map // uintptr → chan<- outcome

type outcome struct {
	err      error
	panicked any
}

// guard runs f, which calls LLVM, and turns a fatal error inside LLVM into an error.
//
// LLVM calls a handler for such an error and exits when that returns. Ours never returns: it reports, and
// then its thread sleeps for ever, with what the compilation held. That is a leak of a thread for each
// fatal error, which no valid IR causes, in exchange for a process that lives. So f has a goroutine and a
// thread of its own.
func guard(f func() error) error { return guardUntil(context.Background(), f, func() {}) }

// guardUntil is guard that waits no longer than until the context ends. LLVM cannot be interrupted: f goes
// on to its end, with nobody to see its result. ended is called when f has ended, in a fatal error too.
func guardUntil(ctx context.Context, f func() error, ended func()) error {
	done := make(chan outcome, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		id := dl.ThreadID()
		guarded.Store(id, (chan<- outcome)(done))
		defer guarded.Delete(id)
		done <- capture(f)
	}()
	var result outcome
	select {
	case result = <-done:
		ended()
	case <-ctx.Done():
		go func() {
			<-done
			ended()
		}()
		return context.Cause(ctx)
	}
	if result.panicked != nil {
		panic(result.panicked) // where the caller can recover it
	}
	return result.err
}

func capture(f func() error) (result outcome) {
	defer func() { result.panicked = recover() }()
	return outcome{err: f()}
}

var fatalCallback = sync.OnceValue(func() uintptr { return dl.NewCallback(onFatal) })

func onFatal(reason *byte) {
	err := &FatalError{Msg: dl.GoString(reason)}
	done, ok := guarded.Load(dl.ThreadID())
	if !ok {
		panic(err) // a call that should have been guarded: a stack trace beats LLVM's exit
	}
	done.(chan<- outcome) <- outcome{err: err}
	select {}
}
