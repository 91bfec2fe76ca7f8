package nereid

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/lang"
)

// Variant names one specialisation of a kernel: what a launch compiles, and what a manifest lists.
type Variant struct {
	File      string  `json:"file"`
	Kernel    string  `json:"kernel"`
	Signature string  `json:"signature"` // as Kernel.Compile takes it
	Options   Options `json:"options"`
}

// String is the variant on one line.
func (v Variant) String() string {
	return fmt.Sprintf("%s:%s(%s) %s", v.File, v.Kernel, v.Signature, strings.TrimSpace(v.Options.Key()))
}

// Manifest is a list of variants, as a file has it.
type Manifest struct {
	Version  int       `json:"version"`
	Variants []Variant `json:"variants"`
}

const manifestVersion = 1

// ReadManifest reads a file that a Recorder wrote.
func ReadManifest(name string) (*Manifest, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("nereid: %s is no manifest: %w", name, err)
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("nereid: %s is a manifest of version %d, not %d", name, m.Version, manifestVersion)
	}
	return m, nil
}

// Recorder notes the variants that a program launches, for a manifest. The zero value is ready.
type Recorder struct {
	File string // written anew with each variant, if it is set

	mu   sync.Mutex
	list []Variant
}

// Variants are those noted so far, in a fixed order.
func (r *Recorder) Variants() []Variant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sorted()
}

func (r *Recorder) sorted() []Variant {
	list := slices.Clone(r.list)
	slices.SortFunc(list, func(a, b Variant) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// add notes a variant. That the file cannot be written is no reason to fail a launch.
func (r *Recorder) add(v Variant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == 0 && r.File != "" { // go on with what an earlier run has noted
		if m, err := ReadManifest(r.File); err == nil {
			r.list = m.Variants
		}
	}
	if slices.Contains(r.list, v) {
		return
	}
	r.list = append(r.list, v)
	if r.File != "" {
		r.write(r.File)
	}
}

// Write writes a manifest of what was noted.
func (r *Recorder) Write(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write(name)
}

func (r *Recorder) write(name string) error {
	data, err := json.MarshalIndent(Manifest{manifestVersion, r.sorted()}, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Warmup compiles variants of the module's kernels for a device, several at once, so that launches find them. Variants of other files
// are left alone. progress, if it is not nil, is told of each. The errors of all are joined.
func (m *Module) Warmup(ctx context.Context, dev *Device, list []Variant, progress func(done, total int, v Variant, err error)) error {
	var mine []Variant
	for _, v := range list {
		if v.File == "" || v.File == m.src.Name {
			mine = append(mine, v)
		}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	done := 0
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, v := range mine {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			err := m.warm(ctx, dev, v)
			mu.Lock()
			defer mu.Unlock()
			done++
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", v, err))
			}
			if progress != nil {
				progress(done, len(mine), v, err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// warm compiles one variant, strict mode or not.
func (m *Module) warm(ctx context.Context, dev *Device, v Variant) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	k, err := m.Kernel(v.Kernel)
	if err != nil {
		return err
	}
	specs, err := lang.ParseSignature(k.params, v.Signature)
	if err != nil {
		return err
	}
	_, err = k.build(withWarmup(ctx), dev, &launch{k: k, dev: dev, opts: v.Options, specs: specs})
	return err
}

type warmupKey struct{}

// withWarmup marks a context in which compiling is what is wanted.
func withWarmup(ctx context.Context) context.Context {
	return context.WithValue(ctx, warmupKey{}, true)
}

// ErrNotCompiled is what a launch returns in strict mode that would have to compile or to tune; the error names the variant.
var ErrNotCompiled = errors.New("not compiled ahead of time, and the configuration is strict")

// variant is the name of what a launch compiles.
func (k *Kernel) variant(specs []lang.ArgSpec, opts Options) Variant {
	return Variant{k.m.src.Name, k.name, lang.FormatSignature(specs), opts.Defaults()}
}

// allowed reports whether compiling may go on: strict mode and hooks may refuse.
func (k *Kernel) allowed(ctx context.Context, v Variant) error {
	if k.m.conf.Strict && ctx.Value(warmupKey{}) == nil {
		return fmt.Errorf("nereid: %s: %w", v, ErrNotCompiled)
	}
	if f := k.m.conf.Hooks.BeforeCompile; f != nil {
		if err := f(ctx, v); err != nil {
			return &vetoed{err}
		}
	}
	return nil
}

// vetoed is what a hook said instead of letting a kernel be compiled.
type vetoed struct{ error }

func (v *vetoed) Unwrap() error { return v.error }
