package autotune

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// File is a Store in one JSON file, a list of records as Encode writes them. Processes share it: a Save adds
// to what the file holds by then. A file that is damaged, or that others can write, counts as empty.
type File struct {
	Name     string
	ReadOnly bool

	mu   sync.Mutex
	seen fs.FileInfo // state of the file when mem was read from it
	mem  *Memory
}

// maxFile bounds the file: a larger one counts as damaged.
const maxFile = 16 * maxRecord

// read returns the records of the file, from memory if it has not changed.
func (f *File) read() (*Memory, error) {
	info, err := os.Stat(f.Name)
	if err != nil {
		return &Memory{}, err
	}
	if s := f.seen; s != nil && os.SameFile(s, info) && s.ModTime().Equal(info.ModTime()) &&
		s.Size() == info.Size() {
		return f.mem, nil
	}
	data, err := safefile.ReadTrusted(f.Name, maxFile)
	if err != nil {
		return &Memory{}, err
	}
	list, err := Decode(data)
	if err != nil {
		return &Memory{}, err
	}
	f.seen, f.mem = info, &Memory{}
	f.mem.Merge(list)
	return f.mem, nil
}

// Check returns an error for a file that cannot be used: it is damaged, or others can write to its folder.
func (f *File) Check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.read(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var refused *safefile.FolderError
	if err := safefile.CheckFolder(filepath.Dir(f.Name)); errors.As(err, &refused) {
		return err
	}
	return nil
}

// Load implements Store.
func (f *File) Load(ctx context.Context, r *Record) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	m, err := f.read()
	return err == nil && m.Load(ctx, r)
}

// Save implements Store.
func (f *File) Save(r *Record) error {
	if f.ReadOnly {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	unlock := f.guard(context.Background(), ".writing", time.Minute)
	defer unlock()
	m, _ := f.read()
	f.seen = nil // m has more than the file that it was read from, should the writing fail
	m.Save(r)
	data, err := Encode(m.All())
	if err != nil {
		return err
	}
	return replaceFile(f.Name, data)
}

// replaceFile writes a file as a whole.
func replaceFile(name string, data []byte) error {
	t, err := os.CreateTemp(filepath.Dir(name), temporary+"*")
	if err != nil {
		return err
	}
	_, err = t.Write(data)
	if e := t.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(t.Name(), 0o644) // others may read it
	}
	if err == nil {
		err = os.Rename(t.Name(), name)
	}
	if err != nil {
		os.Remove(t.Name())
	}
	return err
}

// Lock implements Store.
func (f *File) Lock(ctx context.Context, _ *Record) (unlock func()) {
	if f.ReadOnly {
		return func() {}
	}
	return f.guard(ctx, ".tuning", lockWait)
}

// guard locks a file beside the store's for at most the given time to wait.
func (f *File) guard(ctx context.Context, suffix string, wait time.Duration) (unlock func()) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return lockFile(ctx, f.Name+suffix)
}

// lockFile locks a file, or returns without a lock if that fails.
func lockFile(ctx context.Context, name string) (unlock func()) {
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR|safefile.NonBlock), flock.SetPermissions(0o600))
	if ok, err := l.TryLockContext(ctx, 20*time.Millisecond); !ok || err != nil {
		l.Close()
		return func() {}
	}
	return func() { l.Close() }
}
