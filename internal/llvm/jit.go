package llvm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nereid-lang/nereid/internal/dl"
)

// JIT is object code of this machine, linked in memory. Its functions can be called from any goroutine
// until Close.
type JIT struct {
	lib     *Lib
	ref     jitRef
	reports *reports
	close   sync.Once
	closed  atomic.Bool
}

// JITOptions says what the code may refer to and who is told of it.
type JITOptions struct {
	// Symbols are functions and variables that the code refers to and does not define, by name: addresses
	// of callbacks (NewCallback) or of memory that outlives the JIT. Others are looked for in the C library
	// and libm.
	Symbols map[string]uintptr
	GDB     bool // tell debuggers of the code
	Perf    bool // write a dump for perf inject --jit; without effect where LLVM was built without it
}

// reports gathers what a session complains of: the reason behind "failed to materialize".
type reports struct {
	lib      *Lib
	id       uintptr
	options  JITOptions
	linker   *linker // linker of memory that is not LLVM's; may be nil
	mu       sync.Mutex
	messages []string
}

var (
	sessions  sync.Map // uintptr → *reports
	sessionID atomic.Uintptr
)

var (
	reportCallback = sync.OnceValue(func() uintptr { return dl.NewCallback(onReport) })
	layerCallback  = sync.OnceValue(func() uintptr { return dl.NewCallback(onLayer) })
)

func onReport(id uintptr, e errorRef) {
	v, ok := sessions.Load(id)
	if !ok {
		return
	}
	r := v.(*reports)
	err := r.lib.takeError(e)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.messages = append(r.messages, err.Error())
	}
}

// onLayer makes a linking layer that listeners can be added to, or that asks us for memory: LLVM's newer
// one has no C API for either.
func onLayer(id uintptr, session sessionRef, _ *byte) objectLayerRef {
	v, ok := sessions.Load(id)
	if !ok {
		return 0
	}
	r := v.(*reports)
	raw := &r.lib.raw
	if r.linker != nil {
		c := sectionCallbacks()
		return raw.createCallbackLayer(session, id, c[0], c[1], c[2], c[3], c[4], c[5])
	}
	layer := raw.createRTDyldLayer(session)
	if r.options.GDB {
		raw.addListener(layer, raw.gdbListener())
	}
	if r.options.Perf && raw.perfListener != nil {
		if l := raw.perfListener(); l != 0 {
			raw.addListener(layer, l)
		}
	}
	return layer
}

// take is what was reported since the last call, as one text.
func (r *reports) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.Join(r.messages, "; ")
	r.messages = nil
	return text
}

// JIT takes an object file that Compile made for HostTarget. It is linked by the first Lookup, which is
// where a symbol that nobody defines is reported.
func (l *Lib) JIT(obj []byte, opts JITOptions) (*JIT, error) { return l.newJIT(obj, opts, nil) }

func (l *Lib) newJIT(obj []byte, opts JITOptions, into *linker) (*JIT, error) {
	dl.OpenMath()
	j := &JIT{lib: l, reports: &reports{lib: l, id: sessionID.Add(1), options: opts, linker: into}}
	sessions.Store(j.reports.id, j.reports)
	if err := guard(func() error { return j.load(obj, opts) }); err != nil {
		if fatal := (*FatalError)(nil); !errors.As(err, &fatal) { // after which nothing is safe to touch
			_ = j.Close()
		}
		return nil, err
	}
	return j, nil
}

func (j *JIT) load(obj []byte, opts JITOptions) error {
	raw := &j.lib.raw
	var builder jitBuilderRef
	if opts.GDB || opts.Perf || j.reports.linker != nil {
		builder = raw.createJITBuilder()
		raw.setLayerCreator(builder, layerCallback(), j.reports.id)
	}
	if err := j.lib.takeError(raw.createJIT(&j.ref, builder)); err != nil {
		j.ref = 0
		return fmt.Errorf("LLVM JIT: %w", err)
	}
	raw.setErrorReporter(raw.jitSession(j.ref), reportCallback(), j.reports.id)
	if err := j.define(opts.Symbols); err != nil {
		return err
	}
	buffer := j.lib.newBuffer(obj, "kernel.o")
	return j.explain("object", j.lib.takeError(raw.jitAddObject(j.ref, raw.jitDylib(j.ref), buffer)))
}

// define gives the code the addresses of symbols.
func (j *JIT) define(symbols map[string]uintptr) error {
	if len(symbols) == 0 {
		return nil
	}
	raw := &j.lib.raw
	const exportedCallable = 1 | 4 // LLVMJITSymbolGenericFlagsExported and Callable
	pairs := make([]symbolPair, 0, len(symbols))
	for name, address := range symbols {
		pairs = append(pairs, symbolPair{
			name:    raw.jitName(j.ref, name),
			address: uint64(address),
			flags:   [2]uint8{exportedCallable, 0},
		})
	}
	unit := raw.absoluteSymbols(&pairs[0], uintptr(len(pairs)))
	err := j.lib.takeError(raw.define(raw.jitDylib(j.ref), unit))
	if err != nil {
		raw.disposeDefinition(unit)
	}
	return j.explain("symbols", err)
}

// explain adds what the session reported to an error.
func (j *JIT) explain(what string, err error) error {
	reported := j.reports.take()
	switch {
	case err == nil:
		return nil
	case reported == "":
		return fmt.Errorf("LLVM JIT: %s: %w", what, err)
	}
	return fmt.Errorf("LLVM JIT: %s: %s: %w", what, reported, err)
}

// Lookup is the address of a function or variable, for Call. It is valid until Close.
func (j *JIT) Lookup(name string) (uintptr, error) {
	if j.closed.Load() {
		return 0, errors.New("LLVM JIT: lookup after close")
	}
	var address uint64
	err := guard(func() error { return j.lib.takeError(j.lib.raw.jitLookup(j.ref, &address, name)) })
	if err != nil {
		return 0, j.explain(name, err)
	}
	return uintptr(address), nil
}

// Close frees the code. No function of it may be running or be called again. Closing twice is harmless.
func (j *JIT) Close() error {
	var err error
	j.close.Do(func() {
		j.closed.Store(true)
		if j.ref != 0 {
			err = j.lib.takeError(j.lib.raw.disposeJIT(j.ref))
		}
		sessions.Delete(j.reports.id)
	})
	return err
}

// Call calls a function of integers and pointers by its address. With a slice that is reused (args...) it
// allocates nothing. The caller keeps alive, and in place, what the arguments point at.
//
//go:uintptrescapes
func Call(fn uintptr, args ...uintptr) uintptr { return dl.Call(fn, args...) }

// NewCallback makes a C function pointer of a Go function of integers and pointers with at most one result,
// for JITOptions.Symbols. It is never freed and there are only about 2000: one for each kind of callback.
func NewCallback(fn any) uintptr { return dl.NewCallback(fn) }
