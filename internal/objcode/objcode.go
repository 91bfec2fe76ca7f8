package objcode

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/codemem"
	"github.com/nereid-lang/nereid/internal/dl"
)

// ErrUnsupported is wrapped by the errors of object files that need more than this package does.
var ErrUnsupported = errors.New("the built-in linker does not link it")

// Supported reports whether object files can be linked on this system.
func Supported() bool { return codemem.Supported && !dl.Static }

// Code is linked code. Its entry can be called from any goroutine until Close.
type Code struct {
	Entry  uintptr
	region *codemem.Region
	close  sync.Once
}

// Link links an object file and finds its entry. symbols are functions that the code may call, by name;
// others are looked for in the C library and libm.
func Link(obj []byte, entry string, symbols map[string]uintptr) (*Code, error) {
	switch {
	case dl.Static:
		return nil, fmt.Errorf("%w: the program was built with the tag nereid_static, and calls no "+
			"native code",
			ErrUnsupported)
	case !codemem.Supported:
		return nil, fmt.Errorf("%w: there is no memory for code on %s/%s", ErrUnsupported, runtime.GOOS,
			runtime.GOARCH)
	}
	o, err := parse(obj)
	if err != nil {
		return nil, err
	}
	if o.arch.goarch != runtime.GOARCH {
		return nil, fmt.Errorf("the code is for %s processors, and this is %s", o.arch.goarch, runtime.GOARCH)
	}
	region, err := codemem.Shared.Alloc(o.size)
	if err != nil {
		return nil, err
	}
	c := &Code{region: region}
	if err := o.into(c, entry, symbols); err != nil {
		region.Release()
		return nil, err
	}
	return c, nil
}

// into links the file into the code's memory.
func (o *object) into(c *Code, entry string, symbols map[string]uintptr) error {
	mem := c.region.Section(o.size, 1)
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(mem))))
	if base%o.align != 0 {
		return fmt.Errorf("%w: a section asks for an alignment of %d bytes", ErrUnsupported, o.align)
	}
	at, err := o.link(mem, base, entry, func(name string) (uint64, error) {
		if a, ok := symbols[name]; ok {
			return uint64(a), nil
		}
		a, err := dl.FindC(name)
		return uint64(a), err
	})
	if err != nil {
		return err
	}
	c.Entry = uintptr(at)
	return c.region.Seal()
}

// Size returns the bytes of memory that the code takes.
func (c *Code) Size() int { return c.region.Size() }

// Close frees the code. It must not be running or be called again. Closing twice is harmless.
func (c *Code) Close() error {
	c.close.Do(c.region.Release)
	return nil
}
