//go:build nereid_static

package dl

// A static program has no system loader: it runs where there is no C library (Alpine, an empty image), and
// every library is absent. Nothing below is reached, since Open returns no Library.

// Static says that the program was built to open no libraries, so that it needs none itself.
const Static = true

func load(string) (uintptr, error)            { return 0, errStatic }
func symbol(uintptr, string) (uintptr, error) { return 0, errStatic }
func unload(uintptr)                          {}

// OpenGlobal opens a library for all that is loaded later.
func OpenGlobal(string) error { return errStatic }

// FindC returns the address of a symbol of the C library.
func FindC(string) (uintptr, error) { return 0, errStatic }

// ThreadID names the thread that it is called on.
func ThreadID() uintptr { return 0 }

// Call calls a C function.
func Call(uintptr, ...uintptr) uintptr { panic(errStatic) }

// NewCallback makes a C function pointer of a Go function.
func NewCallback(any) uintptr { return 0 }

func bind(any, uintptr) {}
