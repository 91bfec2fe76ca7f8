package autotune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// Folder is a Store with a file for each record. A nil *Folder, or one with no folder, keeps nothing.
type Folder struct {
	Dir      string
	ReadOnly bool
}

// path is the file of a record: named for the kernel, and for all that it depends on but the timings.
func (s *Folder) path(r *Record) string {
	return filepath.Join(s.Dir, safefile.Name(r.Kernel)+"-"+r.id()+".json")
}

// maxRecord bounds the file of a record: a kernel has some hundred configs of some hundred bytes.
const maxRecord = 16 << 20

// read reads the record of a file, if nobody else can have written it.
func (s *Folder) read(path string) (*Record, error) {
	data, err := safefile.ReadTrusted(path, maxRecord)
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// Check says why the folder is not used: others can write to it. A folder that is not there is not refused.
func (s *Folder) Check() error {
	var refused *safefile.FolderError
	if err := safefile.CheckFolder(s.Dir); errors.As(err, &refused) {
		return err
	}
	return nil
}

// make makes the folder.
func (s *Folder) make() error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	return s.Check()
}

// Load fills in the timings that are kept for a record.
func (s *Folder) Load(_ context.Context, r *Record) bool {
	if s == nil || s.Dir == "" || s.Check() != nil {
		return false
	}
	old, err := s.read(s.path(r))
	if err != nil || !old.fits(r) {
		return false
	}
	r.Timings, r.Best = old.Timings, old.Best
	return true
}

// Save implements Store. A store without a folder, or one that is only read, keeps nothing, and that is no
// error.
func (s *Folder) Save(r *Record) error {
	if s == nil || s.Dir == "" || s.ReadOnly {
		return nil
	}
	r.Version = version
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := s.make(); err != nil {
		return err
	}
	s.sweep()
	return replaceFile(s.path(r), append(data, '\n'))
}

// temporary is what the names of files begin with while they are written, and abandoned the age of one that
// nobody writes any more.
const (
	temporary = ".tmp"
	abandoned = time.Hour
)

// sweep removes what killed processes left behind.
func (s *Folder) sweep() {
	files, _ := filepath.Glob(filepath.Join(s.Dir, temporary+"*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(f)
		}
	}
}

// lockWait is how long a tuning of another process is waited for: one that takes longer hangs, most likely.
const lockWait = 10 * time.Minute

// Lock implements Store. It keeps other processes of the machine from tuning at the same time: they would
// disturb each other's measurements, and wait for the choice of the first.
func (s *Folder) Lock(ctx context.Context, _ *Record) (unlock func()) {
	if s == nil || s.Dir == "" || s.ReadOnly || s.make() != nil {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	return lockFile(ctx, filepath.Join(s.Dir, "lock"))
}

// All are the records of the folder that can be read, by kernel and key.
func (s *Folder) All() []*Record {
	if s == nil || s.Dir == "" || s.Check() != nil {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(s.Dir, "*.json"))
	var out []*Record
	for _, f := range files {
		if r, err := s.read(f); err == nil {
			out = append(out, r)
		}
	}
	SortRecords(out)
	return out
}

// Stamp changes whenever a record is saved.
func (s *Folder) Stamp() (stamp string) {
	files, _ := filepath.Glob(filepath.Join(s.Dir, "*.json"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			stamp += fmt.Sprint(info.ModTime().UnixNano(), info.Size(), " ")
		}
	}
	return stamp
}

// Merge takes records over from elsewhere, timing by timing: what is measured here already stays.
func (s *Folder) Merge(ctx context.Context, records []*Record) (taken int, err error) {
	if s.ReadOnly {
		return 0, fmt.Errorf("%s is only read", s.Dir)
	}
	unlock := s.Lock(ctx, nil)
	defer unlock()
	for _, r := range records {
		mine := *r
		mine.Timings, mine.Best = nil, ""
		s.Load(ctx, &mine)
		mine.Add(r)
		if err := s.Save(&mine); err != nil {
			return taken, err
		}
		taken++
	}
	return taken, nil
}
