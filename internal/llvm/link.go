package llvm

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/codemem"
	"github.com/nereid-lang/nereid/internal/dl"
)

// Code is object code of this machine, linked into memory that it shares with other code. Its entry can be
// called from any goroutine until Close.
type Code struct {
	Entry   uintptr
	regions []*codemem.Region
	jit     *JIT // session that holds the code; nil where regions do
	close   sync.Once
}

// Link links an object file that Compile made for HostTarget and finds its entry. LLVM links; the memory is
// ours, so that nothing of LLVM stays with the code. Debuggers and profilers are told of code that a JIT of
// its own holds.
func (l *Lib) Link(obj []byte, entry string, opts JITOptions) (*Code, error) {
	if !sharesCode || opts.GDB || opts.Perf {
		j, err := l.JIT(obj, opts)
		if err != nil {
			return nil, err
		}
		c := &Code{jit: j}
		if c.Entry, err = j.Lookup(entry); err != nil {
			_ = j.Close()
			return nil, err
		}
		return c, nil
	}
	linker := &linker{memory: &codemem.Shared}
	// more than sections, stubs and the table of symbols take
	if _, err := linker.region(2*len(obj)+4*codemem.PageSize, false); err != nil {
		return nil, err
	}
	at, err := l.linkInto(linker, obj, entry, opts)
	c := &Code{Entry: at, regions: linker.regions}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// sharesCode reports whether the code of many kernels can share memory maps here. On other processors than
// amd64, LLVM links in memory of its own.
const sharesCode = codemem.Supported && runtime.GOARCH == "amd64"

// linkInto links by a JIT that is gone when it returns.
func (l *Lib) linkInto(into *linker, obj []byte, entry string, opts JITOptions) (uintptr, error) {
	j, err := l.newJIT(obj, opts, into)
	if err != nil {
		return 0, err
	}
	at, err := j.Lookup(entry)
	if closed := j.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = into.err
	}
	return at, err
}

// Size returns the bytes of memory that the code takes, or 0 where LLVM holds it.
func (c *Code) Size() (n int) {
	for _, r := range c.regions {
		n += r.Size()
	}
	return n
}

// Close frees the code. It must not be running or be called again. Closing twice is harmless.
func (c *Code) Close() (err error) {
	c.close.Do(func() {
		if c.jit != nil {
			err = c.jit.Close()
		}
		for _, r := range c.regions {
			r.Release()
		}
	})
	return err
}

// linker is where the sections of one object file go.
type linker struct {
	memory  *codemem.Memory
	regions []*codemem.Region // the first is for sections that are not written to after linking
	err     error             // what LLVM could not be told of
}

func (k *linker) region(size int, writable bool) (*codemem.Region, error) {
	r, err := k.memory.Alloc(size)
	if err != nil {
		return nil, err
	}
	r.Data = writable
	k.regions = append(k.regions, r)
	return r, nil
}

// section returns memory for a section, or 0 where there is none.
func (k *linker) section(size, align int, writable bool) uintptr {
	align = max(1, align)
	var mem []byte
	if !writable {
		mem = k.regions[0].Section(size, align)
	}
	if mem == nil {
		r, err := k.region(max(1, size)+align, writable)
		if err != nil {
			k.err = err
			return 0
		}
		mem = r.Section(size, align)
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
}

// seal makes all that can be executable.
func (k *linker) seal() error {
	for _, r := range k.regions {
		if r.Data {
			continue
		}
		if err := r.Seal(); err != nil {
			return err
		}
	}
	return nil
}

// What LLVM calls to get memory for the sections of a session, whose id it hands back.
var sectionCallbacks = sync.OnceValue(func() [6]uintptr {
	return [6]uintptr{
		// the session is the context of its object file
		dl.NewCallback(func(id uintptr) uintptr { return id }),
		dl.NewCallback(func(uintptr) {}), // at the end of the session
		dl.NewCallback(onCodeSection), dl.NewCallback(onDataSection),
		dl.NewCallback(onFinalize),
		dl.NewCallback(func(uintptr) {}), // the memory stays when the session goes
	}
})

func linkerOf(id uintptr) *linker {
	if v, ok := sessions.Load(id); ok {
		return v.(*reports).linker
	}
	return nil
}

func onCodeSection(id, size uintptr, align, _ uint32, _ *byte) uintptr {
	return linkerOf(id).section(int(size), int(align), false)
}

func onDataSection(id, size uintptr, align, _ uint32, name *byte, readOnly int32) uintptr {
	return linkerOf(id).section(int(size), int(align), readOnly == 0 && !linkedOnly(dl.GoString(name)))
}

// linkedOnly reports whether a section that counts as writable is written to by the linker alone.
func linkedOnly(name string) bool { return name == ".got" || strings.HasPrefix(name, ".data.rel.ro") }

// onFinalize returns 1 where memory cannot be made executable.
func onFinalize(id uintptr, _ **byte) uintptr {
	k := linkerOf(id)
	if k.err = k.seal(); k.err != nil {
		return 1
	}
	return 0
}
