package compile

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync"
	"weak"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/target"
)

// maxBuilds bounds the specializations of a kernel that are kept in memory; the oldest are dropped first.
const maxBuilds = 2048

// builds holds the specializations of a kernel. Each is compiled once, however many goroutines ask for it.
type builds struct {
	mu    sync.Mutex
	byKey map[string]*building
	order []string
}

// building is a specialization, compiled or being compiled.
type building struct {
	code.Build
	spec   Spec    // what is compiled
	kernel *Kernel // makes code for launches that Exec cannot serve; nil if there are none

	done chan struct{} // closed when Exec or err is set
	err  error
}

// Request asks for a Build.
type Request struct {
	Spec
	// Ahead is set if the caller compiles ahead of time, which strict mode allows.
	Ahead bool
	// All asks for the code of all launches, also of those that the Build's own code does not serve, and for
	// that of the ways for which Want returns true; nil wants all.
	All  bool
	Want func(device.Way) bool
	// Refuse returns why nothing can be compiled now, or nil. The function may be nil.
	Refuse func() error

	// Way says for which launches the code is made; the zero value stands for device.AnyLaunch in Build.
	Way device.Way
	// Launch is the launch that waits for the code, nil if it is not known. It is not kept.
	Launch *target.Launch
}

// Build returns the specialization of a request, compiled now or before.
func (k *Kernel) Build(ctx context.Context, r Request) (*code.Build, error) {
	if r.Way.IsGeneral() {
		r.Way = device.AnyLaunch
	}
	b, err := k.built.get(ctx, args.Key(r.Dev, r.Args, r.Opts), r.Ahead, func(b *building) error {
		return k.fill(ctx, b, r)
	})
	if err != nil {
		return nil, err
	}
	if !r.All && !(r.Ahead && k.Set.Strict) {
		return &b.Build, nil
	}
	if r.Want == nil {
		r.Want = func(device.Way) bool { return true }
	}
	if f, ok := r.Dev.Backend.(former); ok && isUnloaded(b.Exec) {
		return &b.Build, k.formsAhead(ctx, b, f, r)
	}
	return &b.Build, b.prepare(ctx, r.Want)
}

// prepare makes the code of all launches that the executable's own code does not serve, or not well: in
// strict mode, no launch may make it.
func (b *building) prepare(ctx context.Context, want func(device.Way) bool) error {
	p, ok := b.Exec.(target.Partial)
	if !ok {
		return nil
	}
	err := p.Prepare(ctx, want)
	runtime.KeepAlive(b) // whose maker holds it weakly
	return err
}

// fill makes the executable of a build.
func (k *Kernel) fill(ctx context.Context, b *building, r Request) error {
	if r.Refuse != nil {
		if err := r.Refuse(); err != nil {
			return err
		}
	}
	b.spec = r.Spec
	b.Variant = k.variant(r.Args, r.Dev.Defaults(r.Opts))
	b.Source, b.Params = k.Source, code.WordParams(k.Params, r.Args)
	b.Around, b.Metadata = k.Set.Around, k.metadata(r.Spec)
	if k.Set.Profile {
		labels := pprof.Labels("kernel", k.Name, "device", r.Dev.String())
		b.Labels = &labels
	}
	var err error
	var way device.Way
	if b.Exec, way, err = k.make(ctx, r); err != nil {
		return err
	}
	if p, ok := b.Exec.(target.Partial); ok {
		b.serveAll(k, p, r)
	}
	if k.Set.Isolate {
		if b.Exec, err = isolate(r.Dev, b.Exec); err != nil {
			return err
		}
	}
	b.Inspect()
	b.discardLater(k.Set.Hooks.Unload)
	k.tell(b.Variant, way)
	return nil
}

// tell calls the hook for new code of a variant.
func (k *Kernel) tell(v code.Variant, way device.Way) {
	if f := k.Set.Hooks.Built; f != nil {
		v.Form = code.Form(way)
		f(v)
	}
}

// serveAll tells an executable how to make the code for launches that it does not serve, or not well. It
// holds the build weakly: the collector discards the executable when the build is gone, which it must not
// keep alive itself.
func (b *building) serveAll(k *Kernel, p target.Partial, r Request) {
	r.Refuse, r.Launch = nil, nil
	b.kernel = k
	otherwise(weak.Make(b), p, r)
}

func otherwise(build weak.Pointer[building], p target.Partial, r Request) {
	p.Otherwise(func(ctx context.Context, way device.Way, ahead bool) (target.Executable, error) {
		b := build.Value()
		if b == nil {
			return nil, errors.New("nereid: the kernel is gone")
		}
		r := r
		r.Way = way
		r.Ahead = ahead // in strict mode, what there is must serve
		e, _, err := b.kernel.make(ctx, r)
		if err == nil {
			b.kernel.tell(b.Variant, way)
		}
		if p, ok := e.(target.Partial); ok && way.Fallback {
			otherwise(build, p, r)
		}
		if !way.IsGeneral() && errors.Is(err, ErrNotCompiled) {
			err = fmt.Errorf("%w: %w", device.ErrAhead, err)
		}
		return e, err
	})
}

// isolate returns an executable whose launches run in a child process, or exec itself if the device does not
// isolate.
func isolate(dev *args.Device, exec target.Executable) (target.Executable, error) {
	d, ok := dev.Backend.(target.Isolator)
	if !ok {
		return exec, nil
	}
	x, err := d.Isolate(exec)
	if err != nil {
		exec.Close()
		return nil, fmt.Errorf("nereid: %w", err)
	}
	return x, nil
}

// get returns the build of a key and calls make if there is none. A failed build is dropped, so the next
// caller tries again.
func (b *builds) get(ctx context.Context, key string, ahead bool,
	make func(*building) error) (*building, error) {
	for {
		x, mine := b.claim(key)
		if mine {
			b.fill(key, x, make)
			return x, x.err
		}
		select {
		case <-x.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if x.err != nil && gaveUp(x.err, ahead) && ctx.Err() == nil {
			continue
		}
		return x, x.err
	}
}

// gaveUp reports whether another goroutine failed for a reason of its own, which does not hold for this one.
func gaveUp(err error, ahead bool) bool {
	return IsCancelled(err) || errors.Is(err, device.ErrCapturing) || ahead && errors.Is(err, ErrNotCompiled)
}

// IsCancelled reports whether an error is that of a context that ended.
func IsCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// claim returns the build of a key and whether the caller must fill it.
func (b *builds) claim(key string) (x *building, mine bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if x := b.byKey[key]; x != nil {
		return x, false
	}
	if b.byKey == nil {
		b.byKey = map[string]*building{}
	}
	x = &building{done: make(chan struct{})}
	b.byKey[key] = x
	b.order = append(b.order, key)
	if len(b.order) > maxBuilds {
		delete(b.byKey, b.order[0])
		b.order = b.order[1:]
	}
	return x, true
}

// fill runs make and wakes the waiting goroutines.
func (b *builds) fill(key string, x *building, make func(*building) error) {
	defer close(x.done)
	x.err = errors.New("nereid: the compilation panicked") // seen only if make panics
	defer func() {
		if x.err != nil {
			b.drop(key, x)
		}
	}()
	x.err = make(x)
}

// discardLater has the collector discard the code when nobody can launch it any more, where that is safe, and
// then call the hook.
func (b *building) discardLater(hook func(v code.Variant, dev string)) {
	discarder, _ := b.Exec.(target.Discarder)
	if discarder != nil || hook != nil {
		runtime.AddCleanup(b, discarded.discard, discarded{discarder, hook, b.Variant, b.spec.Dev.String()})
	}
}

// discarded is what is left to do when nobody can launch a build any more.
type discarded struct {
	code    target.Discarder // nil if the device frees code by itself
	hook    func(v code.Variant, dev string)
	variant code.Variant
	dev     string
}

func (d discarded) discard() {
	if d.hook != nil {
		d.hook(d.variant, d.dev)
	}
	if d.code != nil {
		d.code.Discard()
	}
}

// drop removes a failed build.
func (b *builds) drop(key string, x *building) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byKey[key] != x {
		return
	}
	delete(b.byKey, key)
	for i, k := range b.order {
		if k == key {
			b.order = append(b.order[:i], b.order[i+1:]...)
			break
		}
	}
}
