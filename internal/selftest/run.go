package selftest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nereid-lang/nereid"
)

// Options says what to run.
type Options struct {
	Device  *nereid.Device
	Conf    nereid.Config // how kernels are compiled
	Seed    uint64        // seed of the configs and the inputs
	First   int           // the first config of the seed
	Configs int           // how many; 0: until For has passed
	For     time.Duration // how long; 0: until Configs have run
	Runs    int           // runs of each config
	Jobs    int           // how many configs are compiled at a time; 0: one for each core
	Only    []string      // kinds; none: all
	Config  string        // the only config, of the only kind

	Step func(kind, config string) // is called before each config, by any goroutine; may be nil
	Fail func(Failure)             // is called for each failure, by one goroutine at a time; may be nil
}

// hang is how long a case may take. A kernel that takes longer waits for something that never happens.
const hang = 5 * time.Minute

// slow is how long a compilation may take; most take less than a second.
const slow = time.Minute

// suite is a run of the self-test.
type suite struct {
	Options
	judge  *judge
	store  *store
	kinds  []*kind
	fixed  Config // the only config
	next   atomic.Int64
	end    time.Time     // when no more configs begin; zero: never
	turn   chan struct{} // taken by the case that is alone on a GPU
	cancel context.CancelFunc

	mu   sync.Mutex
	sum  Summary
	lost Failure // how the loss of the device showed first, in a config that may have no part in it
}

// Run runs configs until the context ends, or the options' count or time is reached, or the device is lost.
func Run(ctx context.Context, o Options) (*Summary, error) {
	s := &suite{Options: o, kinds: chosen(o.Only), turn: make(chan struct{}, 1)}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	ctx, s.cancel = context.WithCancel(ctx)
	defer s.cancel()
	begun := time.Now()
	if o.For > 0 {
		s.end = begun.Add(o.For)
	}
	var wg sync.WaitGroup
	for range s.Jobs {
		wg.Go(func() { s.worker(ctx) })
	}
	wg.Wait()
	if s.lost.Err != "" && !slices.ContainsFunc(s.sum.Failures, func(f Failure) bool { return f.Lost }) {
		s.fail(s.lost)
	}
	s.sum.Took = time.Since(begun)
	return &s.sum, nil
}

// prepare checks the options and compiles the judge's kernels.
func (s *suite) prepare(ctx context.Context) (err error) {
	s.Runs = max(1, s.Runs)
	if s.Jobs < 1 {
		s.Jobs = runtime.GOMAXPROCS(0)
	}
	if s.Conf.Budget.Time == 0 {
		s.Conf.Budget.Time = slow
	}
	if s.judge, err = newJudge(ctx, s.Device, s.Conf); err != nil {
		return err
	}
	s.store = newStore(s.judge.place)
	s.sum = Summary{Device: s.Device.String(), Seed: s.Seed, Runs: s.Runs, Failures: []Failure{}}
	for _, k := range s.kinds {
		s.sum.Rows = append(s.sum.Rows, Row{Kind: k.name})
	}
	return s.fix()
}

// fix reads the only config.
func (s *suite) fix() (err error) {
	if s.Config == "" {
		return nil
	}
	if len(s.kinds) != 1 {
		return errors.New("a config belongs to one kind: name it")
	}
	if s.fixed, err = ParseConfig(s.Config); err != nil {
		return err
	}
	if s.Configs == 0 && s.For == 0 {
		s.Configs = 1
	}
	return s.fixed.check(s.kinds[0].draw(random(1, "example"), s.judge.place))
}

// worker takes configs one after another.
func (s *suite) worker(ctx context.Context) {
	spare := newSpare()
	defer spare.close()
	result, err := nereid.NewTensor(s.Device, nereid.Int32, 2)
	if err != nil {
		s.fail(Failure{Kind: s.kinds[0].name, Err: err.Error()})
		return
	}
	defer result.Close()
	for ctx.Err() == nil && (s.end.IsZero() || time.Now().Before(s.end)) {
		n := int(s.next.Add(1)) - 1
		if s.Configs > 0 && n >= s.Configs {
			return
		}
		r := random(s.Seed, "config", strconv.Itoa(s.First+n))
		k := pick(r, s.kinds)
		c := s.fixed
		if c == nil {
			c = k.draw(r, s.judge.place)
		}
		if s.Step != nil {
			s.Step(k.name, c.String())
		}
		t := &trial{suite: s, kind: k, config: c, result: result,
			env: &env{place: s.judge.place, store: s.store, seed: s.Seed, spare: spare}}
		t.run(ctx)
	}
}

// trial is the runs of one config.
type trial struct {
	*suite
	kind    *kind
	config  Config
	env     *env
	result  *nereid.Tensor // result of the judge
	runs    int
	failure Failure
	seen    map[string]bool // contents that were wrong
	right   bool            // a run was right
	flying  bool            // the kernel is launched, and not known to have ended
}

// run runs a config and notes the outcome.
func (t *trial) run(ctx context.Context) {
	begun := time.Now()
	err := t.all(ctx)
	lost := err != nil && t.isLost()
	t.env.close()
	if ctx.Err() != nil && err != nil && !(lost && t.flying) {
		return // it was interrupted
	}
	row := Row{Kind: t.kind.name, Configs: 1, Runs: t.runs, Took: time.Since(begun)}
	var refused *nereid.Refusal
	switch {
	case err == nil && t.failure.Wrong == 0:
	case errors.As(err, &refused) && !lost:
		row.Refused = 1
	default:
		row.Failed = 1
		t.blame(err, lost)
	}
	t.note(row)
}

// blame completes the failure and reports it. Without a device there is nothing more to run, and the blame is
// on configs whose kernels were under way: others find the device lost as well.
func (t *trial) blame(err error, lost bool) {
	f := &t.failure
	f.Kind, f.Config, f.Seed, f.Runs, f.Device = t.kind.name, t.config.String(), t.Seed, t.Runs,
		t.Device.String()
	f.Outcomes = len(t.seen)
	if t.right {
		f.Outcomes++
	}
	if err != nil {
		f.Err, f.Lost = err.Error(), lost
	}
	if lost {
		defer t.cancel()
	}
	if lost && !t.flying {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.suite.lost = *f
		return
	}
	t.fail(*f)
}

// isLost reports whether the device takes no more work after an error.
func (t *trial) isLost() bool {
	var word [4]byte
	return t.judge.place.gpu && t.result.CopyBytesTo(word[:]) != nil
}

// all makes the work and runs it. The first run, which compiles, is beside those of other workers; the others
// are alone on a GPU.
func (t *trial) all(ctx context.Context) error {
	w, err := t.kind.work(t.env, t.config)
	if err != nil {
		return err
	}
	k, err := w.open(t.Conf, t.kind.file)
	if err != nil {
		return err
	}
	stream, end, err := streamOf(ctx, t.Device)
	if err != nil {
		return err
	}
	defer end()
	if err := t.once(k, stream, w); err != nil {
		return err
	}
	if t.judge.place.gpu {
		t.turn <- struct{}{}
		defer func() { <-t.turn }()
	}
	for range t.Runs - 1 {
		if err := t.once(k, stream, w); err != nil {
			return err
		}
	}
	return nil
}

// once is one run.
func (t *trial) once(k *nereid.Kernel, s *nereid.Stream, w *work) error {
	for _, o := range w.outs {
		if err := t.judge.reset(s, o); err != nil {
			return err
		}
	}
	if err := w.launch(k, s, &t.flying); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	t.flying = false
	t.runs++
	right := true
	for _, o := range w.outs {
		differs, err := t.judge.differs(s, o, t.result)
		if err == nil && differs {
			right = false
			err = t.wrong(o)
		}
		if err != nil {
			return err
		}
	}
	if right {
		t.right = true
	} else {
		t.failure.Wrong++
	}
	return nil
}

// wrong notes an output that is not what it must be.
func (t *trial) wrong(o *output) error {
	got, err := o.read()
	if err != nil {
		return err
	}
	want, err := o.want.read()
	if err != nil {
		return err
	}
	d := o.diff(got, want, t.env.guard())
	if d.count == 0 {
		return fmt.Errorf("%s compared %s as different, and the host finds no difference", t.Device, o.name)
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[digest(o.name, got)] = true
	if t.failure.Elements < d.count {
		t.failure.Elements, t.failure.Of, t.failure.First = d.count, o.n, d.String()
	}
	return nil
}
