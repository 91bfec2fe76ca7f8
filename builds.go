package nereid

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// maxBuilds bounds the specializations of a kernel that are kept in memory; the oldest are dropped first.
const maxBuilds = 2048

// builds holds the specializations of a kernel. Each is compiled once, however many goroutines ask for it.
type builds struct {
	mu    sync.Mutex
	byKey map[string]*build
	order []string
}

// build is a specialization, compiled or being compiled.
type build struct {
	exec  target.Executable
	hooks *Hooks // hooks for launches, or nil

	apart   []target.Apart // pairs of arguments that must not overlap
	bounded target.Bounded // exec if launches must pass the memory of their arguments, else nil

	done chan struct{} // closed when exec or err is set
	err  error

	variant Variant
}

// get returns the build of a key and calls make if there is none. A failed build is dropped, so the next
// caller tries again.
func (b *builds) get(ctx context.Context, key string, make func(*build) error) (*build, error) {
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
		if x.err != nil && (isCancelled(x.err) && ctx.Err() == nil || errors.Is(x.err, ErrCapturing)) {
			continue // the other goroutine gave up, this one has not
		}
		return x, x.err
	}
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// claim returns the build of a key and whether the caller must fill it.
func (b *builds) claim(key string) (x *build, mine bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if x := b.byKey[key]; x != nil {
		return x, false
	}
	if b.byKey == nil {
		b.byKey = map[string]*build{}
	}
	x = &build{done: make(chan struct{})}
	b.byKey[key] = x
	b.order = append(b.order, key)
	if len(b.order) > maxBuilds {
		delete(b.byKey, b.order[0])
		b.order = b.order[1:]
	}
	return x, true
}

// fill runs make and wakes the waiting goroutines. The collector discards the code when nobody can launch it
// any more, where that is safe.
func (b *builds) fill(key string, x *build, make func(*build) error) {
	defer close(x.done)
	x.err = errors.New("nereid: the compilation panicked") // seen only if make panics
	defer func() {
		if x.err != nil {
			b.drop(key, x)
		}
	}()
	if x.err = make(x); x.err != nil {
		return
	}
	if d, ok := x.exec.(target.Discarder); ok {
		runtime.AddCleanup(x, func(d target.Discarder) { d.Discard() }, d)
	}
}

// drop removes a failed build.
func (b *builds) drop(key string, x *build) {
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

// build returns the kernel compiled for the arguments of a launch.
func (k *Kernel) build(ctx context.Context, dev *Device, l *launch) (*build, error) {
	return k.built.get(ctx, args.Key(dev.core(), l.specs, l.opts), func(b *build) error {
		if l.on != nil {
			if err := l.on.refuse(k.name, "compiled"); err != nil {
				return err
			}
		}
		b.variant = k.variant(l.specs, l.opts)
		if h := &k.m.conf.Hooks; h.BeforeLaunch != nil || h.AfterLaunch != nil {
			b.hooks = h
		}
		var err error
		b.exec, err = k.make(ctx, dev, l.specs, l.opts)
		err = l.explain(err)
		if err == nil && k.m.conf.Isolate {
			b.exec, err = isolate(dev, b.exec)
		}
		if x, ok := b.exec.(target.Assuming); ok {
			b.apart = x.Apart()
		}
		if x, ok := b.exec.(target.Bounded); ok && x.Bounded() {
			b.bounded = x
		}
		if r := k.m.conf.Record; r != nil && err == nil {
			if err := r.add(b.variant); err != nil { // no reason to fail a launch
				k.m.conf.warn("nereid: what is launched is not recorded in "+r.File, err)
			}
		}
		return err
	})
}
