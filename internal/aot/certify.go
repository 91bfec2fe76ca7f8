package aot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/certify"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// CertifyOptions says with which arguments code is compared with its source.
type CertifyOptions struct {
	Seed  uint64   // of the tensors' contents
	Sizes []string // NAME=EXPRESSION for numbers of launches: arguments, and sizes of rules
	Grid  []string // expressions for variants whose table gives no grid; nil means three programs
}

// Uncertified is a compilation whose code could not be compared with its source.
type Uncertified struct {
	Name, Target, Reason string
}

func (u Uncertified) String() string { return fmt.Sprintf("%s for %s: %s", u.Name, u.Target, u.Reason) }

// notCertified is the error of code that cannot be compared: it gets a certificate that says so.
type notCertified struct{ error }

// certifyAll gives the compilations their certificates. Code that differs from its source is an error.
func (b *builder) certifyAll(ctx context.Context, out *Built, done []*work) error {
	if err := b.o.Certify.check(done); err != nil {
		return err
	}
	b.begun = 0
	b.each(ctx, len(done), func(i int) {
		w := done[i]
		b.step(len(done), "certificate of "+w.variants[0].Name+" for "+w.target)
		w.certificate, w.err = b.certify(ctx, w)
		var no notCertified
		if errors.As(w.err, &no) {
			w.certificate, w.err = w.refused(no), nil
		}
	})
	var failed []error
	for _, w := range done {
		switch {
		case w.err != nil:
			failed = append(failed, fmt.Errorf("%s for %s: %w", w.variants[0].Name, w.target, w.err))
		case w.certificate != nil && w.certificate.Verdict == bundle.VerdictRefused:
			out.Uncertified = append(out.Uncertified,
				Uncertified{w.variants[0].Name, w.target, w.certificate.Reason})
		}
	}
	if len(failed) > 0 {
		err := errors.Join(failed[:min(len(failed), maxFaults)]...)
		return fmt.Errorf("%w\n%d of %d certifications failed", err, len(failed), len(done))
	}
	return ctx.Err()
}

// refused returns the certificate of code that was not compared. It has no path of this machine.
func (w *work) refused(why error) *bundle.Certificate {
	dir := filepath.Dir(w.variants[0].File) + string(filepath.Separator)
	return &bundle.Certificate{Verdict: bundle.VerdictRefused, Reason: strings.ReplaceAll(why.Error(), dir, "")}
}

// simulator returns the device that runs code for a target in the ring.
func simulator(t string) (*nereid.Device, error) {
	_, arch, _ := strings.Cut(t, ":")
	switch {
	case jit.TraitsFor(t).HostOnly:
		return nil, notCertified{errors.New("code for CPUs computes with floats, not in the ring")}
	case fromOutside(t):
		return nil, notCertified{fmt.Errorf("no simulator runs code for %s", t)}
	}
	dev, err := nereid.OpenDevice("sim:" + arch)
	if err != nil {
		return nil, notCertified{fmt.Errorf("there is no simulator: %w", err)}
	}
	return dev, nil
}

// certify compares the code of a compilation with its source.
func (b *builder) certify(ctx context.Context, w *work) (*bundle.Certificate, error) {
	dev, err := simulator(w.target)
	if err != nil {
		return nil, err
	}
	v := w.variants[0]
	o := defaults(w.target, v)
	o.Certify = true
	p := &proof{ctx: ctx, w: w, options: nereid.Options(o), certify: b.o.Certify}
	code, err := p.compile(dev)
	if err != nil {
		return nil, err
	}
	defer code.Close()
	c := &bundle.Certificate{Verdict: bundle.VerdictEqual, Device: dev.String(), Seed: b.o.Certify.Seed}
	if err := p.sameIR(c, code); err != nil {
		return nil, err
	}
	in, err := p.choose()
	if err != nil {
		return nil, err
	}
	in.fill(b.o.Certify.Seed)
	c.Grid, c.Arguments = in.grid, in.describe()
	c.Compared, err = p.compare(dev, code, in)
	return c, err
}

// proof is the comparison of a compilation with its source.
type proof struct {
	ctx     context.Context
	w       *work
	options nereid.Options
	certify *CertifyOptions
}

// compile compiles the variant for a device, with floats of the ring.
func (p *proof) compile(dev *nereid.Device) (*nereid.Compiled, error) {
	c, err := p.w.kernel.Compile(p.ctx, dev, p.w.variants[0].Signature, p.options)
	if certify.Refused(err) {
		return nil, notCertified{err}
	}
	return c, err
}

// place matches what IR says of lines and files.
var place = regexp.MustCompile(`(?m)^#loc.*\n| loc\((?:#loc\d*|unknown|"[^"]*"(?::\d+:\d+)?)\)`)

// irStages are the stages of which certificates have hashes.
var irStages = []string{"ttir", "ttgir"}

// sameIR notes the hashes of IR, which is that of the code in the bundle, and of the code that runs.
func (p *proof) sameIR(c *bundle.Certificate, ring *nereid.Compiled) error {
	c.IR = map[string]string{}
	for _, s := range p.w.out.Stages {
		if !slices.Contains(irStages, s.Name) {
			continue
		}
		text := place.ReplaceAll(s.Text, nil)
		if again := place.ReplaceAll(ring.Stage(s.Name), nil); string(again) != string(text) {
			return fmt.Errorf("its %s for the simulator is another", s.Name)
		}
		c.IR[s.Name] = bundle.HashOf(text)
	}
	stages := ring.Stages
	ran := stages[len(stages)-1]
	if ran.Name == bundle.PartPTX {
		ran.Text = portable(ran.Text)
	}
	c.Ran = bundle.HashOf(ran.Text)
	return nil
}

// compare launches source and code on the same arguments.
func (p *proof) compare(dev *nereid.Device, code *nereid.Compiled, in *inputs) (all certify.Outcome,
	err error) {
	judge := nereid.NewInterpreter(nereid.InterpOptions{Workers: 1, Stdout: io.Discard})
	source, err := p.compile(judge)
	if err != nil {
		return all, err
	}
	want, err := in.launch(p.ctx, judge, source)
	if err != nil {
		return all, notCertified{fmt.Errorf("source: %w", err)}
	}
	got, err := in.launch(p.ctx, dev, code)
	if err != nil {
		return all, fmt.Errorf("on %s: %w", dev, err)
	}
	for i, a := range in.args {
		if !a.tensor {
			continue
		}
		o := certify.Compare(a.dtype, a.data, want[i], got[i])
		if o.Different > 0 {
			return all, fmt.Errorf("the code differs from its source on %s (%s): %s, %d of %d elements, "+
				"first at %d: %s", dev, in, a.name, o.Different, o.Elements, o.First,
				certify.Describe(a.dtype, want[i], got[i], o.First))
		}
		all.Add(o)
	}
	if why := all.Empty(); why != "" {
		return all, notCertified{fmt.Errorf("%s (%s)", why, in)}
	}
	return all, nil
}

// launch runs code on copies of the tensors and returns what it leaves in them, nil for numbers.
func (in *inputs) launch(ctx context.Context, dev *nereid.Device, c *nereid.Compiled) ([][]byte, error) {
	s, err := dev.NewStream(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	args := make([]any, len(in.args))
	tensors := make([]*nereid.Tensor, len(in.args))
	for i, a := range in.args {
		if !a.tensor {
			args[i] = nereid.Arg(a.name, a.value)
			continue
		}
		t, err := nereid.NewTensor(dev, nereid.DType(a.dtype), a.elements)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		if err := t.CopyBytesFrom(a.data); err != nil {
			return nil, err
		}
		tensors[i], args[i] = t, nereid.Arg(a.name, t)
	}
	if err := c.Launch(s, in.grid, args...); err != nil {
		return nil, err
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	return contents(tensors)
}

// contents returns the bytes of tensors.
func contents(tensors []*nereid.Tensor) ([][]byte, error) {
	out := make([][]byte, len(tensors))
	for i, t := range tensors {
		if t == nil {
			continue
		}
		out[i] = make([]byte, t.Len()*t.DType.Size())
		if err := t.CopyBytesTo(out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// certificate returns the certificate of an entry with its parts, as a part of its own.
func (w *work) certified(e *bundle.Entry, parts map[string][]byte) ([]byte, error) {
	c := *w.certificate
	c.Source, c.Code = e.Source, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if bundle.IsCode(name) {
			c.Code[name] = bundle.HashOf(parts[name])
			c.SameCode = c.SameCode || c.Code[name] == c.Ran
		}
	}
	return json.MarshalIndent(&c, "", "  ")
}
