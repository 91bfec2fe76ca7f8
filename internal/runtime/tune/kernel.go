package tune

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/autotune"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Options says how kernels are tuned. Package jit's TuneOptions documents the fields that have its
// names.
type Options struct {
	Store       autotune.Store // keeps timings; nil keeps none
	Warmup, Rep time.Duration
	Budget      time.Duration
	Again       bool
	Print       io.Writer
	Verify      bool
	Journal     bool
	Done        func(Choice)
	Progress    func(Result)

	Strict bool                        // only what is tuned already may be launched
	Warn   func(msg string, err error) // receives problems that fail nothing

	Inform func(msg string, args ...any) // receives how long tunings go on, as slog takes it; nil for nobody
}

// Choice is a config that was chosen, with the timings of all.
type Choice struct {
	Kernel string
	Key    []string
	Best   string // "" if none works
	All    []Result
	Took   time.Duration // of the measurements; 0 if nothing was measured
	Found  bool          // nothing was measured
}

// Result is the result of measuring a config.
type Result struct {
	Kernel       string
	Key          []string
	Config       string
	Median       time.Duration
	Low, High    time.Duration // quantiles 0.2 and 0.8
	Failed       string        // why there is no timing, or ""
	Index, Count int           // position among the configs to measure, and their number
}

// Kernel is a kernel with its decorators and the choices made so far. It must not be copied.
type Kernel struct {
	Source *lang.Source
	Name   string
	Opts   *Options

	wrapped sync.Map // lang.Target to *decorators
	memo    memo
	chosen  sync.Map // key of a choice to lang.Config
}

// Work is a launch that can be repeated with other arguments: a kernel, a stream and a grid of the root
// package.
type Work interface {
	// Launch launches with completed arguments.
	Launch(m *args.Matched) error
	// Compile compiles for completed arguments.
	Compile(ctx context.Context, m *args.Matched) error
	// Nothing reports whether a launch with completed arguments has no programs.
	Nothing(m *args.Matched) bool
	// Sync waits for everything launched so far.
	Sync() error
	// Times returns the durations of runs of f for a while, after a warm-up.
	Times(warmup, rep time.Duration, f func() error) ([]time.Duration, error)
	// GraphTimes returns the durations of runs of f that are captured and replayed.
	GraphTimes(rep time.Duration, f func() error) ([]time.Duration, error)
	// Refuse returns an error if nothing can be tuned now, because the stream is being captured.
	Refuse() error
	// Tensor returns access to the contents of a tensor.
	Tensor(t *args.Tensor) Tensor
	// Release frees what Tensor.Save has allocated.
	Release()
}

// Tensor is the contents of a tensor among the arguments.
type Tensor interface {
	Bytes() ([]byte, error)
	CopyBytesFrom(src []byte) error
	// Zero fills the tensor with zeros, in order with the work of the launch.
	Zero() error
	// Save saves the contents and returns a function that restores them.
	Save() (restore func() error, err error)
	// Value returns the tensor as functions of the kernel's file see it.
	Value() *lang.TensorValue
}

// Start says where and for whom a launch is completed.
type Start struct {
	Ctx  context.Context
	Dev  *args.Device
	Work Work
	// Stream identifies the launch's stream: a tuning that is part of a measurement on it does not wait for
	// the measurement's end.
	Stream any
	Ahead  bool // strict mode allows to tune
	// Config is the name of the config to take, instead of the one that a tuning chooses; "" means that one.
	Config string
}
