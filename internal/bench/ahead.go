package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
	"github.com/nereid-lang/nereid/internal/aot"
	"github.com/nereid-lang/nereid/kernels"
)

// Ahead compares a launch in three ways: compiled when it comes, in strict mode after a warm-up with what the
// first way recorded, and from a bundle with all forms. Times are in microseconds, medians of turns.
type Ahead struct {
	Kernel string      `json:"kernel"`
	Grid   nereid.Grid `json:"grid"`
	JIT    float64     `json:"jit"`
	Strict float64     `json:"strict"`
	Bundle float64     `json:"bundle"`
	Bytes  int         `json:"bytes"`           // of the bundle
	Forms  []string    `json:"forms,omitempty"` // of code that the first way made
	Failed string      `json:"failed,omitempty"`
}

// aheadTurns is how often each way is measured, in turn with the others.
const aheadTurns = 5

// CompareAhead makes the suite emit an Ahead row for each launch in place of its own figures.
func (s *Suite) CompareAhead(ctx context.Context) {
	if len(s.Only) == 0 {
		s.Only = slices.DeleteFunc(s.Names(), func(name string) bool {
			return name == "compile" || name == "launch"
		})
	}
	s.timer = func(file, kernel string, grid nereid.Grid, args ...any) (time.Duration, error) {
		row := Ahead{Kernel: kernel, Grid: grid}
		if err := s.compareAhead(ctx, &row, file, args); err != nil {
			row.Failed = err.Error()
			s.wrong = true
		}
		s.emit(row)
		return time.Duration(row.JIT * float64(time.Microsecond)), nil
	}
}

func (s *Suite) compareAhead(ctx context.Context, row *Ahead, file string, args []any) error {
	var seen nereid.Recorder
	jit, err := s.launcherWith(file, row, args, nereid.Config{Record: &seen})
	if err != nil {
		return err
	}
	if err := jit(); err != nil {
		return err
	}
	list := seen.Variants()
	for _, v := range list {
		if v.Form != "" {
			row.Forms = append(row.Forms, v.Form)
		}
	}
	m, err := nereid.LoadFS(kernels.Files, file, nereid.With(nereid.Config{Strict: true}))
	if err != nil {
		return err
	}
	if err := m.Warmup(ctx, s.Device, list, nil); err != nil {
		return err
	}
	k, err := m.Kernel(row.Kernel)
	if err != nil {
		return err
	}
	strict := func() error { return k.Launch(s.stream, row.Grid, args...) }
	b, v, err := s.bundled(ctx, file, list[0], row)
	if err != nil {
		return fmt.Errorf("%s: %w", list[0], err)
	}
	defer b.Close()
	c, err := v.Load(s.Device)
	if err != nil {
		return err
	}
	own := runtimeArgs(k, c, args)
	bundled := func() error { return v.Launch(s.stream, row.Grid, own...) }
	return s.inTurn([]func() error{jit, strict, bundled}, []*float64{&row.JIT, &row.Strict, &row.Bundle})
}

// bundled builds a bundle of a variant, with all forms, for the suite's device.
func (s *Suite) bundled(ctx context.Context, file string, v nereid.Variant,
	row *Ahead) (*bundle.Bundle, *bundle.Variant, error) {
	dir, err := os.MkdirTemp("", "nereid-bench")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, kernels.Files); err != nil {
		return nil, nil, err
	}
	built, err := aot.Build(ctx, []aot.Variant{{Name: "v", File: filepath.Join(dir, file), Kernel: v.Kernel,
		Signature: v.Signature, Options: v.Options}},
		aot.BuildOptions{Targets: []string{s.Device.Target()}, Forms: true})
	if err != nil {
		return nil, nil, err
	}
	var data bytes.Buffer
	if _, err := built.Writer.WriteTo(&data); err != nil {
		return nil, nil, err
	}
	row.Bytes = data.Len()
	b, err := bundle.OpenBytes(data.Bytes())
	if err != nil {
		return nil, nil, err
	}
	found, err := b.Lookup("v")
	return b, found, err
}

// inTurn measures functions one after the other, several times, and sets the medians.
func (s *Suite) inTurn(list []func() error, to []*float64) error {
	times := make([][]float64, len(list))
	for range aheadTurns {
		for i, f := range list {
			t, err := s.stream.Measure(s.Rep/4, s.Rep, f)
			if err != nil {
				return err
			}
			times[i] = append(times[i], float64(t.Nanoseconds())/1e3)
		}
	}
	for i := range list {
		slices.Sort(times[i])
		*to[i] = times[i][len(times[i])/2]
	}
	return nil
}

// launcherWith returns a launch of a row's kernel under a configuration.
func (s *Suite) launcherWith(file string, row *Ahead, args []any, conf nereid.Config) (func() error, error) {
	m, err := nereid.LoadFS(kernels.Files, file, nereid.With(conf))
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(row.Kernel)
	return func() error { return k.Launch(s.stream, row.Grid, args...) }, err
}

// runtimeArgs returns the arguments that are not compiled in, in the order of the parameters.
func runtimeArgs(k *nereid.Kernel, c *nereid.Compiled, args []any) (out []any) {
	taken := map[string]bool{}
	for _, p := range c.Info().Params {
		taken[p.Name] = true
	}
	params := k.Params()
	for i, a := range args {
		if _, ok := a.(nereid.Options); !ok && i < len(params) && taken[params[i].Name] {
			out = append(out, a)
		}
	}
	return out
}
