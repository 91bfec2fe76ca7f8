package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/rules"
)

// guarded returns a panic of f as an error: one kernel must not end a measurement.
func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// ruledCase is a launch, compiled with the table and with other values of rules.
type ruledCase struct {
	k      rules.Kernel
	mem    deviceMemory
	s      *nereid.Stream
	base   *ruledCode
	others map[int]*ruledCode // by index of k.Times; those whose code differs
}

// prepare compiles a launch with the table, and with each value of a rule that decides otherwise.
func (x *ruledCase) prepare(ctx context.Context, m *ruleMeasurer, path string) {
	err := guarded(func() error {
		c, err := replay.Read(path)
		if err != nil {
			return err
		}
		x.k.Kernel = c.Kernel
		return x.compile(ctx, m, c)
	})
	if err != nil {
		x.k.Failed = strings.TrimPrefix(err.Error(), path+": ")
	}
}

func (x *ruledCase) compile(ctx context.Context, m *ruleMeasurer, c *replay.Case) (err error) {
	if c.Empty() {
		return errors.New("the grid has no programs")
	}
	x.mem, x.others = deviceMemory{}, map[int]*ruledCode{}
	if err := x.mem.fill(m.dev, c); err != nil {
		return err
	}
	if x.s, err = m.dev.NewStream(ctx); err != nil {
		return err
	}
	if x.base, err = m.code(c, x.mem, x.s, ""); err != nil {
		return err
	}
	x.k.Decisions, x.k.Features = x.base.decisions, x.base.features(c)
	want := *c
	if want.Before, want.After, err = x.mem.begins(c); err != nil {
		return err
	}
	for _, r := range rules.All() {
		if len(m.only) > 0 && !slices.Contains(m.only, r.Name) || !asked(x.base.decisions, r) {
			continue
		}
		for _, other := range r.Others(x.base.decisions) {
			x.other(m, c, &want, r, other)
		}
	}
	return nil
}

// other compiles the launch with another value of a rule.
func (x *ruledCase) other(m *ruleMeasurer, c, want *replay.Case, r *rules.Rule, value int) {
	t := rules.Time{Rule: r.Name, Value: r.Value, Other: value}
	err := guarded(func() error {
		code, err := m.code(c, x.mem, x.s, fmt.Sprintf("%s=%d", r.Name, value))
		if err != nil {
			return err
		}
		if t.Same = code.digest == x.base.digest; t.Same {
			return nil
		}
		x.others[len(x.k.Times)] = code
		_, got, err := x.mem.begins(c)
		if err != nil {
			return err
		}
		if _, err := want.Compare(got); err != nil {
			t.Differs = err.Error()
		}
		return nil
	})
	if err != nil {
		t.Failed = err.Error()
	}
	x.k.Times = append(x.k.Times, t)
}

// time measures the codes that differ from that of the table, and frees the launch.
func (x *ruledCase) time(m *ruleMeasurer) {
	for i := range x.k.Times {
		t, code := &x.k.Times[i], x.others[i]
		if code == nil || t.Failed != "" || !m.clock {
			continue
		}
		err := guarded(func() (err error) {
			t.With, t.Without, err = m.inTurns(x.s, x.base, code)
			return err
		})
		if err != nil {
			t.Failed = err.Error()
		}
	}
	if x.s != nil {
		x.s.Close()
	}
	x.mem.close()
}

// compared is how many bytes of each storage are compared.
const compared = 4 << 20

// begins returns the first bytes of the storages of a case, as they were recorded and as they are.
func (m deviceMemory) begins(c *replay.Case) (before, now map[string][]byte, err error) {
	before, now = map[string][]byte{}, map[string][]byte{}
	for name, t := range m {
		before[name] = c.Before[name][:min(compared, len(c.Before[name]))]
		now[name] = make([]byte, len(before[name]))
		if err := t.Slice(0, 0, len(now[name]), 1).CopyBytesTo(now[name]); err != nil {
			return nil, nil, err
		}
	}
	return before, now, nil
}

// asked reports whether a rule took part in a compilation.
func asked(list []rules.Decision, r *rules.Rule) bool {
	return slices.ContainsFunc(list, func(d rules.Decision) bool { return d.Rule == r.Name })
}

// ruledCode is a kernel compiled with values of rules, and launched.
type ruledCode struct {
	launch    func() error
	decisions []rules.Decision
	digest    string
	facts     replay.Timing
}

// warmLaunches is how often a kernel is launched before its code is complete: a launch may ask for code of
// its own, which the next one runs.
const warmLaunches = 3

// code compiles a case with overrides of rules and launches it with the memory as it was recorded.
func (m *ruleMeasurer) code(c *replay.Case, mem deviceMemory, s *nereid.Stream, over string) (
	*ruledCode, error) {
	with, err := rules.Parse(over)
	if err != nil {
		return nil, err
	}
	set, trace := rules.NewTrace(with)
	defer trace.Close()
	conf := m.conf
	conf.Rules = set.Text()
	rep := &replayer{dev: m.dev, root: m.root, conf: conf, modules: map[string]*nereid.Module{},
		lost: lost{root: m.root}}
	kernel, err := rep.kernel(c, c.Path, givenStage{})
	if err != nil {
		return nil, err
	}
	args, err := rep.arguments(c, mem, guess{dev: m.dev})
	if err != nil {
		return nil, err
	}
	code := &ruledCode{launch: func() error { return kernel.Launch(s, nereid.Grid(c.Grid), args...) }}
	for range warmLaunches {
		if err := errors.Join(code.launch(), s.Sync()); err != nil {
			return nil, err
		}
	}
	code.decisions, code.digest = trace.Decisions(), trace.Code()
	code.facts = resources(context.Background(), kernel, s, args, replayOptions(c))
	if err := mem.again(c); err != nil {
		return nil, err
	}
	return code, errors.Join(code.launch(), s.Sync())
}

// again copies the recorded memory to the device once more.
func (m deviceMemory) again(c *replay.Case) error {
	for name, data := range c.Before {
		if err := m[name].Slice(0, 0, len(data), 1).CopyBytesFrom(data); err != nil {
			return err
		}
	}
	for _, a := range c.Args {
		if err := m.point(a); err != nil {
			return err
		}
	}
	return nil
}

// features describes a launch and its code.
func (code *ruledCode) features(c *replay.Case) map[string]int64 {
	f := map[string]int64{"programs": int64(c.Grid[0] * c.Grid[1] * c.Grid[2]),
		"registers": int64(code.facts.Registers), "spills": int64(code.facts.Spills),
		"shared": int64(code.facts.Shared)}
	for _, name := range []string{"num_warps", "num_stages"} {
		if n, ok := c.Options[name].(int64); ok {
			f[name] = n
		}
	}
	for _, data := range c.Before {
		f["bytes"] += int64(len(data))
	}
	return f
}

// inTurns measures two codes in turns and returns the medians in microseconds.
func (m *ruleMeasurer) inTurns(s *nereid.Stream, a, b *ruledCode) (with, without float64, err error) {
	var times [2]nereid.Times
	for i := range 2 * m.turns {
		code, at := a, i%2
		if at == 1 {
			code = b
		}
		t, err := s.Measure(m.rep/4, m.rep, code.launch)
		if err != nil {
			return 0, 0, err
		}
		times[at] = append(times[at], t)
	}
	micro := func(t nereid.Times) float64 {
		slices.Sort(t)
		return float64(t.Median().Nanoseconds()) / 1e3
	}
	return micro(times[0]), micro(times[1]), nil
}
