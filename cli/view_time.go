package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/sample"
	"github.com/nereid-lang/nereid/internal/view"
)

// The processors are sampled for timeFor at least, and then until there are timeSamples of the kernel or
// timeMost is over; a launch that takes longer than timeLimit is not waited for.
const (
	timeFor     = 200 * time.Millisecond
	timeMost    = time.Second
	timeSamples = 500
	timeLimit   = 10 * time.Second
	timePoll    = 20 * time.Millisecond // a ring of samples has room for three of these
)

// cpuTime runs the kernel on the host's processors again and again, and finds out in which lines they are. It
// is nil if the page is not about them.
func (v *viewer) cpuTime(ctx context.Context, text []byte) *view.CPUTime {
	if !slices.Contains(v.flags.targets, "cpu") {
		return nil
	}
	t, err := v.sample(ctx, text)
	if err != nil {
		return &view.CPUTime{Device: "cpu", Lines: []view.LineTime{}, Error: plainText(err)}
	}
	return t
}

// errFaulty is why native code is not run: nothing would stop it from writing where it must not.
var errFaulty = errors.New("the interpreter found faults in the kernel, so that it is not run as native code")

// sample launches and samples.
func (v *viewer) sample(ctx context.Context, text []byte) (*view.CPUTime, error) {
	if v.clean != string(text) {
		if run := v.Run(ctx, text); run.Error != "" || v.clean != string(text) {
			return nil, errFaulty
		}
	}
	dev, err := nereid.OpenDevice("cpu")
	if err != nil {
		return nil, err
	}
	k, err := v.load(text, nereid.With(quietConfig()))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	var counts *sample.Counts
	var n int
	var took time.Duration
	err = v.in.launch(ctx, dev, func(s *nereid.Stream, args []any, tensors map[string]*nereid.Tensor) error {
		launch := func() error {
			if err := v.in.refill(tensors); err != nil {
				return err
			}
			start := time.Now()
			err := errors.Join(k.Launch(s, v.grid, append(args, v.opts)...), s.Sync())
			took += time.Since(start)
			n++
			return err
		}
		if err := launch(); err != nil { // compiles
			return err
		}
		n, took = 0, 0
		counts, err = sampled(launch)
		return err
	})
	if err != nil {
		return nil, err
	}
	t := view.NewCPUTime("cpu", counts, view.NewFiles(v.file, text, stdlibFile))
	t.Launches, t.Took = n, float64(took.Nanoseconds())/1e3/float64(n)
	return t, nil
}

// sampled repeats something for a while and returns where the process was.
func sampled(do func() error) (*sample.Counts, error) {
	s, err := sample.Start()
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	start := time.Now()
	for polled := start; ; {
		if err := do(); err != nil {
			return nil, err
		}
		now := time.Now()
		if now.Sub(polled) > timePoll {
			if err := s.Poll(); err != nil {
				return nil, err
			}
			polled = now
		}
		if took := now.Sub(start); took > timeMost || took > timeFor && s.Counts().Inside() >= timeSamples {
			s.Stop()
			return s.Counts(), nil
		}
	}
}

// recordedScopes reads the scopes of the kernel from a recorded file.
func (v *viewer) recordedScopes() (*view.Scopes, error) {
	t, err := readTrace(v.flags.scopes)
	if err != nil {
		return nil, err
	}
	s := view.NewScopes(t, v.kernel)
	if s == nil {
		return nil, usagef("%s has no scopes of %s: nereid profile --scopes records them", v.flags.scopes,
			v.kernel)
	}
	return s, nil
}

// refill gives tensors of integers their first values again: what a launch made of them may be indices out of
// bounds for the next.
func (in *inputs) refill(tensors map[string]*nereid.Tensor) error {
	for _, t := range in.tensors {
		if t.dtype.IsFloat() {
			continue
		}
		if err := tensors[t.name].CopyBytesFrom(t.data); err != nil {
			return err
		}
	}
	return nil
}
