package llvm

import (
	"errors"
	"fmt"
	"sync"

	"github.com/nereid-lang/nereid/internal/dl"
)

// Lib is a libLLVM that is open and ready. It is safe for use from many goroutines.
type Lib struct {
	raw      raw
	path     string
	at       uintptr // where LLVMGetVersion is
	version  Version
	families map[string]bool // targets that this build has: "NVPTX"
	slots    chan struct{}   // taken by compilations
}

// Version of a libLLVM.
type Version struct{ Major, Minor, Patch int }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// Version is which LLVM this is. It belongs into the key of every cache of compiled code.
func (l *Lib) Version() Version { return l.version }

// Path is where the library was found.
func (l *Lib) Path() string { return l.path }

// ErrNone is wrapped by the error of Load where there is no libLLVM that will do.
var ErrNone = errors.New("there is no LLVM")

// noLLVM is ErrNone with the reason, which alone is shown.
type noLLVM struct{ error }

func (e noLLVM) Unwrap() error        { return e.error }
func (e noLLVM) Is(target error) bool { return target == ErrNone }

// Load opens the libLLVM of this process, on the first call. Where it looks: NEREID_LLVM alone if it is
// set, otherwise the usual names and folders, the newest version first. When there is none, the error wraps
// ErrNone and a *dl.NotFoundError, and says how to install one.
func Load() (*Lib, error) { return loaded() }

var loaded = sync.OnceValues(func() (*Lib, error) { return openFirst(candidates()) })

// Open opens one libLLVM by its path, beside any other.
func Open(path string) (*Lib, error) { return openFirst([]dl.Candidate{path}) }

func openFirst(list []dl.Candidate) (*Lib, error) {
	lib := &Lib{slots: newSlots()}
	accept := func(file *dl.Library) error { return lib.bind(file) }
	file, err := dl.Open(fmt.Sprintf("libLLVM %d to %d", minVersion, maxVersion), list, accept)
	if missing := (*dl.NotFoundError)(nil); errors.As(err, &missing) {
		missing.Hint = hint
	}
	if err != nil {
		return nil, noLLVM{err}
	}
	lib.path = file.Path
	return lib.start(file)
}

// started holds what was opened, by the address of a symbol: one library under two names is started once.
var started struct {
	sync.Mutex
	libs map[uintptr]*Lib
}

// bind takes the symbols of a library, if its version will do.
func (l *Lib) bind(file *dl.Library) error {
	version, err := versionOf(file)
	if err != nil {
		return err
	}
	if version.Major < minVersion || version.Major > maxVersion {
		return fmt.Errorf("this is LLVM %v", version)
	}
	l.version = version
	return file.Bind(l.raw.symbols())
}

// versionOf asks for the version before anything else is bound, so that an older library is refused for its
// age and not for its symbols.
func versionOf(file *dl.Library) (Version, error) {
	var get func(major, minor, patch *uint32)
	if err := file.Bind([]dl.Func{{Ptr: &get, Symbol: "LLVMGetVersion"}}); err != nil {
		return Version{}, errors.New("no LLVMGetVersion: LLVM 15 or older, or no LLVM at all")
	}
	var major, minor, patch uint32
	get(&major, &minor, &patch)
	return Version{int(major), int(minor), int(patch)}, nil
}

// start makes the targets known and sets what LLVM keeps for the whole process, once for each library.
func (l *Lib) start(file *dl.Library) (*Lib, error) {
	id, err := file.Symbol("LLVMGetVersion")
	if err != nil {
		return nil, err
	}
	l.at = id
	started.Lock()
	defer started.Unlock()
	if known := started.libs[id]; known != nil {
		return known, nil
	}
	l.families = map[string]bool{}
	for _, f := range families {
		l.families[f.name] = initialize(file, f.name, f.initializers)
	}
	l.raw.installFatalHandler(fatalCallback())
	if l.families["NVPTX"] {
		// Pointers to shared and local memory have 32 bits, as in Triton's IR. An option that LLVM does not
		// know would end the process; every version has this one where it has the target.
		l.setProcessOptions("-nvptx-short-ptr")
	}
	if started.libs == nil {
		started.libs = map[uintptr]*Lib{}
	}
	started.libs[id] = l
	return l, nil
}

// initialize reports whether the library has a target, and makes it known if so.
func initialize(file *dl.Library, family string, parts []string) bool {
	table := make([]dl.Func, len(parts))
	calls := make([]func(), len(parts))
	for i, part := range parts {
		table[i] = dl.Func{Ptr: &calls[i], Symbol: "LLVMInitialize" + family + part}
	}
	if file.Bind(table) != nil {
		return false
	}
	for _, call := range calls {
		call()
	}
	return true
}

func (l *Lib) setProcessOptions(options ...string) {
	argv := make([]*byte, 0, len(options)+2)
	for _, arg := range append([]string{"nereid"}, options...) {
		argv = append(argv, &append([]byte(arg), 0)[0])
	}
	l.raw.parseCommandLineOptions(int32(len(argv)), &append(argv, nil)[0], nil)
}

// take copies a message that LLVM gave us and frees it.
func (l *Lib) take(message *byte) string {
	if message == nil {
		return ""
	}
	text := dl.GoString(message)
	l.raw.disposeMessage(message)
	return text
}

// takeError turns an LLVMErrorRef into an error and frees it. Zero is success.
func (l *Lib) takeError(e errorRef) error {
	if e == 0 {
		return nil
	}
	message := l.raw.getErrorMessage(e)
	text := dl.GoString(message)
	l.raw.disposeErrorMessage(message)
	return errors.New(text)
}

// takeBuffer copies a memory buffer and frees it.
func (l *Lib) takeBuffer(b bufferRef) []byte {
	defer l.raw.bufferDispose(b)
	return dl.GoBytes(l.raw.bufferStart(b), int(l.raw.bufferSize(b)))
}

// newBuffer copies bytes into a memory buffer of LLVM's.
func (l *Lib) newBuffer(data []byte, name string) bufferRef {
	var first *byte
	if len(data) > 0 {
		first = &data[0]
	}
	return l.raw.bufferCopy(first, uintptr(len(data)), name)
}
