package dl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Library is an open library.
type Library struct {
	Path   string // as it was opened: a full path, or a name that the system's loader found
	handle uintptr
}

// Symbol is the address of a symbol.
func (l *Library) Symbol(name string) (uintptr, error) { return symbol(l.handle, name) }

// Candidate is a place where a library may lie: a full path, or a name for the system's loader to find.
type Candidate = string

// Attempt is a candidate that did not do, and why.
type Attempt struct {
	Candidate Candidate
	Err       error
}

// errNotThere is an attempt at a file that does not exist.
var errNotThere = errors.New("not found")

// errStatic is the attempt of a program that opens no libraries.
var errStatic = errors.New("it was built with the tag nereid_static, which leaves native libraries out; " +
	"build it without, for a system with glibc")

// NotFoundError says that no candidate did, what each attempt ran into, and what to do about it.
type NotFoundError struct {
	What     string // "libLLVM 17 to 22"
	Attempts []Attempt
	Hint     string // how to install it
}

func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s cannot be opened", e.What)
	var absent []string
	for _, a := range e.Attempts {
		if errors.Is(a.Err, errNotThere) {
			absent = append(absent, a.Candidate)
			continue
		}
		fmt.Fprintf(&b, "\n  %s: %v", a.Candidate, a.Err)
	}
	if len(absent) > 0 {
		fmt.Fprintf(&b, "\n  not found: %s", strings.Join(absent, ", "))
	}
	if e.Hint != "" && !e.static() {
		fmt.Fprintf(&b, "\n  %s", e.Hint)
	}
	return b.String()
}

// static reports whether the program opens no libraries, so that installing one is of no use.
func (e *NotFoundError) static() bool {
	return len(e.Attempts) == 1 && errors.Is(e.Attempts[0].Err, errStatic)
}

// Is lets errors.Is(err, fs.ErrNotExist) recognise a library that is not installed.
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// Open opens the first candidate that loads and that accept takes. accept (nil takes any) looks at a
// library before it is chosen, at its version for example, and may bind symbols. The error is a
// *NotFoundError without a hint.
func Open(what string, candidates []Candidate, accept func(*Library) error) (*Library, error) {
	failed := &NotFoundError{What: what}
	if Static {
		failed.Attempts = []Attempt{{"this program", errStatic}}
		return nil, failed
	}
	for _, c := range candidates {
		lib, err := open(c)
		if err == nil && accept != nil {
			if err = accept(lib); err != nil {
				unload(lib.handle)
			}
		}
		if err == nil {
			return lib, nil
		}
		failed.Attempts = append(failed.Attempts, Attempt{c, err})
	}
	return nil, failed
}

func open(c Candidate) (*Library, error) {
	if filepath.IsAbs(c) {
		if _, err := os.Stat(c); errors.Is(err, fs.ErrNotExist) {
			return nil, errNotThere
		}
	}
	handle, err := load(c)
	if err != nil {
		return nil, tidy(c, err)
	}
	return &Library{Path: c, handle: handle}, nil
}

// mathLibraries hold what code made at run time may call and the C library of the process need not have.
var mathLibraries = map[string][]string{"linux": {"libm.so.6", "libm.so"}, "freebsd": {"libm.so"}}

// OpenMath opens libm for code made at run time, once.
var OpenMath = sync.OnceFunc(func() {
	for _, name := range mathLibraries[runtime.GOOS] {
		if OpenGlobal(name) == nil {
			return
		}
	}
})

// notThere are the words of each system's loader for a file that is not there.
var notThere = []string{
	": cannot open shared object file: No such file", // Linux, after the name
	" (no such file)",                         // macOS, after each path it tried
	"The specified module could not be found", // Windows
}

// tidy shortens what the system's loader says. A library that is there but lacks one of its own libraries
// is another matter: Linux then begins with the other one's name, macOS says "Library not loaded".
func tidy(c Candidate, err error) error {
	text := err.Error()
	if runtime.GOOS == "linux" && !strings.HasPrefix(text, c) ||
		strings.Contains(text, "Library not loaded") {
		return err
	}
	for _, words := range notThere {
		if strings.Contains(text, words) {
			return errNotThere
		}
	}
	return errors.New(strings.TrimPrefix(text, c+": "))
}

// Func is one row of a table of symbols: where to put it and what it is called. Ptr is a *func, which
// becomes a typed call (convenient, about a microsecond), or a *uintptr, which becomes the address, for
// Call.
type Func struct {
	Ptr      any
	Symbol   string
	Optional bool // missing from some versions: the variable then keeps its zero value
}

// MissingError lists every symbol that a library should have and has not.
type MissingError struct {
	Path    string
	Symbols []string
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s lacks %s", e.Path, strings.Join(e.Symbols, ", "))
}

// Bind fills the variables of a table. The error is a *MissingError; the rows that were found are filled
// all the same.
func (l *Library) Bind(table []Func) error {
	var missing []string
	for _, row := range table {
		addr, err := l.Symbol(row.Symbol)
		switch {
		case err == nil:
			bind(row.Ptr, addr)
		case !row.Optional:
			missing = append(missing, row.Symbol)
		}
	}
	if missing != nil {
		return &MissingError{Path: l.Path, Symbols: missing}
	}
	return nil
}
