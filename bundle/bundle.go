package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sort"
	"sync"

	format "github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/safefile"
	"github.com/nereid-lang/nereid/run"
)

// Bundle is an open bundle. Many goroutines may use it at once.
type Bundle struct {
	file     *format.File
	from     io.Closer // nil if there is nothing to close
	variants []Variant // by name

	groups func() map[string][]*Variant

	mu      sync.Mutex
	closed  bool
	loading []*loading // everything that was loaded, or is being loaded
}

// Open opens a bundle by its path. Parts of it are read when they are needed, until Close.
func Open(path string) (*Bundle, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|safefile.NonBlock, 0)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return openFile(path, f)
}

// OpenFS opens a bundle of a file system such as an embed.FS.
func OpenFS(fsys fs.FS, name string) (*Bundle, error) {
	if fsys == nil {
		return nil, errors.New("bundle: the file system is nil")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return openFile(name, f)
}

// OpenBytes opens a bundle in memory, which must not change.
func OpenBytes(data []byte) (*Bundle, error) {
	return newBundle(bytes.NewReader(data), int64(len(data)), nil)
}

// maxRead bounds a bundle that has to be read whole.
const maxRead = 4 << 30

// openFile opens a bundle in a regular file, which is closed with it, or here if it is no bundle.
func openFile(name string, f fs.File) (*Bundle, error) {
	b, err := readFile(f)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%w (%s)", err, name)
	}
	return b, nil
}

func readFile(f fs.File) (*Bundle, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("bundle: expected a file, and this is a %s", kindOf(info.Mode()))
	}
	if r, ok := f.(io.ReaderAt); ok {
		return newBundle(r, info.Size(), f)
	}
	data, err := io.ReadAll(io.LimitReader(f, min(info.Size(), maxRead)+1))
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	return newBundle(bytes.NewReader(data), int64(len(data)), f)
}

// kindOf names what a file is if it is no regular file.
func kindOf(m fs.FileMode) string {
	if m.IsDir() {
		return "folder"
	}
	return "pipe or a device"
}

func newBundle(r io.ReaderAt, size int64, from io.Closer) (*Bundle, error) {
	file, err := format.Open(r, size)
	if err != nil {
		return nil, damage(err)
	}
	b := &Bundle{file: file, from: from}
	b.variants = make([]Variant, 0, file.Len())
	for i := 0; i < file.Len(); {
		e := file.Entry(i)
		entries := file.Named(e.Name)
		b.variants = append(b.variants, Variant{of: b, entries: entries})
		i += len(entries)
	}
	b.groups = sync.OnceValue(b.groupAll)
	return b, nil
}

// open reports whether the bundle was opened: a nil or a zero Bundle was not.
func (b *Bundle) open() bool { return b != nil && b.file != nil }

// groupAll returns the variants of each group.
func (b *Bundle) groupAll() map[string][]*Variant {
	groups := map[string][]*Variant{}
	for i := range b.variants {
		v := &b.variants[i]
		if g := v.Group(); g != "" {
			groups[g] = append(groups[g], v)
		}
	}
	return groups
}

// Variants returns all variants, sorted by name.
func (b *Bundle) Variants() []*Variant {
	return b.Find(func(*Variant) bool { return true })
}

// Find returns the variants that a function accepts, sorted by name.
func (b *Bundle) Find(accept func(*Variant) bool) []*Variant {
	if !b.open() {
		return nil
	}
	var list []*Variant
	for i := range b.variants {
		if v := &b.variants[i]; accept(v) {
			list = append(list, v)
		}
	}
	return list
}

// Lookup returns the variant of a name. The error is a NotFoundError if there is none.
func (b *Bundle) Lookup(name string) (*Variant, error) {
	if !b.open() {
		return nil, errNil
	}
	at := sort.Search(len(b.variants), func(i int) bool { return b.variants[i].Name() >= name })
	if at == len(b.variants) || b.variants[at].Name() != name {
		names := make([]string, len(b.variants))
		for i := range names {
			names[i] = b.variants[i].Name()
		}
		return nil, &NotFoundError{"variant", name, names}
	}
	return &b.variants[at], nil
}

// Group returns the variants of a group, sorted by name. The error is a NotFoundError if there is no such
// group.
func (b *Bundle) Group(name string) ([]*Variant, error) {
	if !b.open() {
		return nil, errNil
	}
	list := b.groups()[name]
	if list == nil {
		return nil, &NotFoundError{"group", name, b.Groups()}
	}
	return slices.Clone(list), nil
}

// Groups returns the names of the groups, sorted.
func (b *Bundle) Groups() []string {
	if !b.open() {
		return nil
	}
	var names []string
	for name := range b.groups() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Hash names the content of the bundle: bundles with equal hashes hold the same code.
func (b *Bundle) Hash() string {
	if !b.open() {
		return ""
	}
	return b.file.Hash()
}

// Loaded returns the number of times that code of the bundle was loaded on a device.
func (b *Bundle) Loaded() int {
	if !b.open() {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.loading)
}

// Close frees all code that was loaded, once its launches are done, and the file. Launches and loads then
// fail with run.ErrClosed. Closing twice is harmless.
func (b *Bundle) Close() error {
	if !b.open() {
		return nil
	}
	b.mu.Lock()
	closed, list := b.closed, b.loading
	b.closed, b.loading = true, nil
	b.mu.Unlock()
	if closed {
		return nil
	}
	var errs []error
	for _, l := range list {
		l.once.Do(func() { l.err = errClosed }) // waits for a load that is under way
		errs = append(errs, l.code.Close())
	}
	if b.from != nil {
		errs = append(errs, b.from.Close())
	}
	return errors.Join(errs...)
}

// Device returns a device to run bundles on: "cuda", "cuda:1", "hip:0", "cpu". An empty name means the one in
// NEREID_DEVICE, or else a GPU, or else the CPU, which needs no LLVM. It is run.OpenDevice.
func Device(name string) (*run.Device, error) {
	return run.OpenDevice(name)
}
