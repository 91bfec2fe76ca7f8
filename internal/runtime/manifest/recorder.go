package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// Recorder records the variants that a program launches, for a manifest. The zero value is ready to use.
// Tuned kernels are recorded with every config that was tried.
type Recorder struct {
	// File, if set, receives each variant at once. Its contents stay, and processes may share it. A file that
	// is no manifest is not changed.
	File string

	mu    sync.Mutex
	list  []code.Variant
	noted map[code.Variant]bool // the variants in list

	// State of the file when this recorder last saw it. Variants that others add behind end are read before
	// the next write.
	kept    map[code.Variant]bool // variants in the file
	missing []code.Variant        // recorded variants that are not in the file
	seen    fs.FileInfo
	end     int64 // end of its last variant; -1 if variants cannot be added in place
	busy    bool  // the lock was held for too long the last time
}

// Variants returns the recorded variants, sorted.
func (r *Recorder) Variants() []code.Variant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sorted()
}

func (r *Recorder) sorted() []code.Variant {
	list := slices.Clone(r.list)
	slices.SortFunc(list, func(a, b code.Variant) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// Write writes a manifest of the recorded variants.
func (r *Recorder) Write(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := writeFile(name, r.sorted()); err != nil {
		return fmt.Errorf("nereid: %w", err)
	}
	return nil
}

// Add records a variant.
func (r *Recorder) Add(v code.Variant) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.noted[v] {
		return nil
	}
	r.note(v)
	if r.File == "" {
		return nil
	}
	r.missing = append(r.missing, v)
	return r.update()
}

func (r *Recorder) note(v code.Variant) {
	if r.noted == nil {
		r.noted = map[code.Variant]bool{}
	}
	if !r.noted[v] {
		r.noted[v] = true
		r.list = append(r.list, v)
	}
}

// recordWait is how long update waits for the lock of a manifest. After a timeout it does not wait until it
// has got the lock once.
const recordWait = 500 * time.Millisecond

// update adds missing variants to the file under its lock. The cost depends on the new variants only, not on
// the size of the file.
func (r *Recorder) update() error {
	wait := recordWait
	if r.busy {
		wait = 0
	}
	unlock, err := cache.LockFolder(filepath.Dir(r.File), wait)
	if r.busy = errors.Is(err, cache.ErrBusy); r.busy {
		return fmt.Errorf("another process holds the lock of %s", filepath.Dir(r.File))
	}
	locked := err == nil // some file systems have no locks
	if locked {
		defer unlock()
	}
	f, err := os.OpenFile(r.File, os.O_RDWR|safefile.NonBlock, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.rewrite()
	case err != nil:
		return err
	}
	defer f.Close()
	if err := r.catchUp(f); err != nil {
		return err
	}
	if !locked || r.end < 0 {
		return r.rewrite()
	}
	return r.extend(f)
}

// catchUp reads the variants that others have added to the file since it was last seen.
func (r *Recorder) catchUp(f *os.File) error {
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Size() > maxSize:
		return fmt.Errorf("%s is no regular file of at most %d bytes", r.File, maxSize)
	}
	size := info.Size()
	tail := int64(len(textTail))
	same := r.seen != nil && r.end >= 0 && os.SameFile(r.seen, info)
	r.seen = info
	if same && size == r.end+tail {
		return nil
	}
	if same && size > r.end+tail && r.takeIn(f, r.end, size, textHead, len(textSep)-len(textFirst)) == nil {
		return nil
	}
	r.kept = map[code.Variant]bool{}
	if err := r.takeIn(f, 0, size, "", 0); err != nil {
		r.seen = nil
		return fmt.Errorf("%s %w", r.File, err)
	}
	r.missing = slices.Clone(r.list)
	return nil
}

// takeIn reads the variants of bytes from to to of the file. The part becomes a manifest by adding the text
// before and leaving out the first without bytes.
func (r *Recorder) takeIn(f *os.File, from, to int64, before string, without int) error {
	data := make([]byte, len(before)+int(to-from)-without)
	copy(data, before)
	if _, err := io.ReadFull(io.NewSectionReader(f, from+int64(without), to-from),
		data[len(before):]); err != nil {
		return err
	}
	m, end, err := parse(data)
	if err != nil || end < 0 && before != "" {
		return errors.Join(err, errors.New("has changed"))
	}
	for _, v := range m.Variants {
		r.kept[v] = true
		r.note(v)
	}
	r.end = -1
	if end >= 0 {
		r.end = from + int64(end-len(before)+without)
	}
	return nil
}

// extend overwrites the end of the file with the missing variants.
func (r *Recorder) extend(f *os.File) error {
	r.missing = slices.DeleteFunc(r.missing, func(v code.Variant) bool { return r.kept[v] })
	text, err := textOf(r.missing)
	if err != nil || len(r.missing) == 0 {
		return err
	}
	if r.seen.Size() != r.end+int64(len(textTail)) { // a process was killed while adding
		if err := f.Truncate(r.end); err != nil {
			return err
		}
	}
	text = append([]byte(","), text[len(textHead):]...)
	if _, err := f.WriteAt(text, r.end); err != nil {
		r.seen = nil
		return err
	}
	r.end += int64(len(text) - len(textTail))
	for _, v := range r.missing {
		r.kept[v] = true
	}
	r.missing = nil
	return nil
}

// rewrite writes the file anew: the first time, or if extend cannot add to it.
func (r *Recorder) rewrite() error {
	r.seen = nil
	return writeFile(r.File, r.sorted())
}

// writeFile replaces a file atomically.
func writeFile(name string, list []code.Variant) error {
	data, err := textOf(list)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close(), os.Chmod(f.Name(), 0o644))
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
