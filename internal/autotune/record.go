// Package autotune keeps what tuning has measured, and chooses by it.
//
// A record is what is known of one kernel for one key on one kind of device: the time of every config that was ever measured. Editing
// the list of configs measures only what is new. Records lie beside the cache of compiled kernels, one small JSON file each, and are
// checked before use: one for another device, another build of the compiler or another source of the kernel counts as absent.
package autotune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// Record is what is known of a kernel for one key.
type Record struct {
	Version  int      `json:"version"`
	Kernel   string   `json:"kernel"`
	File     string   `json:"file"`     // the name of the kernel's file, for people
	Device   string   `json:"device"`   // its model
	Compiler string   `json:"compiler"` // the build, with LLVM and the driver
	Source   string   `json:"source"`   // a hash of the kernel's text
	Key      []string `json:"key"`      // what the kernel was tuned for
	Timings  []Timing `json:"timings"`
	Best     string   `json:"best"` // the config that was chosen
}

// version of the form of a record.
const version = 1

// Timing is the time of one config, in milliseconds: the median and the quantiles around it.
type Timing struct {
	Config string  `json:"config"`
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Failed string  `json:"failed,omitempty"` // why it has no time
}

// TimeUp is the failure of a config that a tuning with a budget did not come to: it may be measured another day.
const TimeUp = "not measured: the time was up"

// Hash is a hash of a kernel's text.
func Hash(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:16])
}

// Find is the timing of a config.
func (r *Record) Find(config string) (Timing, bool) {
	i := slices.IndexFunc(r.Timings, func(t Timing) bool { return t.Config == config })
	if i < 0 {
		return Timing{}, false
	}
	return r.Timings[i], true
}

// Set adds or replaces a timing.
func (r *Record) Set(t Timing) {
	if i := slices.IndexFunc(r.Timings, func(old Timing) bool { return old.Config == t.Config }); i >= 0 {
		r.Timings[i] = t
		return
	}
	r.Timings = append(r.Timings, t)
}

// Drop removes a timing.
func (r *Record) Drop(config string) {
	r.Timings = slices.DeleteFunc(r.Timings, func(t Timing) bool { return t.Config == config })
}

// Margin is the noise that measurements are taken to have: configs whose medians differ by less count as equally fast.
const Margin = 0.005

// Pick is the best of some configs by the record's timings: the fastest, and among those that are as fast within the margin the
// steadiest, the earlier of two alike. It is "" where none has a time.
func (r *Record) Pick(configs []string) string {
	least := math.Inf(1)
	for _, c := range configs {
		if t, ok := r.Find(c); ok && t.Failed == "" {
			least = min(least, t.Median)
		}
	}
	best, spread := "", math.Inf(1)
	for _, c := range configs {
		t, ok := r.Find(c)
		if !ok || t.Failed != "" || t.Median > least*(1+Margin) {
			continue
		}
		if s := t.High - t.Low; best == "" || s < spread {
			best, spread = c, s
		}
	}
	return best
}

// Store is a folder of records. A nil *Store, or one with no folder, keeps nothing.
type Store struct {
	Dir      string
	ReadOnly bool
}

// path is the file of a record: named for the kernel, and for all that it depends on but the timings.
func (s *Store) path(r *Record) string {
	id, _ := json.Marshal([]any{r.Kernel, r.Device, r.Compiler, r.Source, r.Key})
	return filepath.Join(s.Dir, safefile.Name(r.Kernel)+"-"+Hash(string(id))+".json")
}

// maxRecord bounds the file of a record: a kernel has some hundred configs of some hundred bytes.
const maxRecord = 16 << 20

// read reads the record of a file, if nobody else can have written it.
func (s *Store) read(path string) (*Record, error) {
	data, err := safefile.ReadTrusted(path, maxRecord)
	if err != nil {
		return nil, err
	}
	return parse(data)
}

// Check says why the folder is not used: others can write to it. A folder that is not there is not refused.
func (s *Store) Check() error {
	var refused *safefile.FolderError
	if err := safefile.CheckFolder(s.Dir); errors.As(err, &refused) {
		return err
	}
	return nil
}

// make makes the folder.
func (s *Store) make() error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	return s.Check()
}

// Load fills in the timings that are kept for a record.
func (s *Store) Load(r *Record) bool {
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

// parse reads a record and checks that it makes sense.
func parse(data []byte) (*Record, error) {
	r := &Record{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	if r.Version != version || r.Kernel == "" {
		return nil, fmt.Errorf("not a tuning record of version %d", version)
	}
	for _, t := range r.Timings {
		if t.Failed == "" && !(t.Median >= 0 && t.Low <= t.High) {
			return nil, fmt.Errorf("the timing of %q makes no sense", t.Config)
		}
	}
	if t, ok := r.Find(r.Best); r.Best != "" && (!ok || t.Failed != "") {
		return nil, fmt.Errorf("%q is the choice, and has no time", r.Best)
	}
	return r, nil
}

// fits reports whether two records are of one kernel, key, device, compiler and source.
func (r *Record) fits(o *Record) bool {
	return r.Kernel == o.Kernel && r.Device == o.Device && r.Compiler == o.Compiler && r.Source == o.Source && slices.Equal(r.Key, o.Key)
}

// Save keeps a record. A store without a folder, or one that is only read, keeps nothing, and that is no error.
func (s *Store) Save(r *Record) error {
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
	f, err := os.CreateTemp(s.Dir, temporary+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644) // a shared folder is read by others
	}
	if err == nil {
		err = os.Rename(f.Name(), s.path(r))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// temporary is what the names of files begin with while they are written, and abandoned when one was begun so long ago that nobody writes it.
const (
	temporary = ".tmp"
	abandoned = time.Hour
)

// sweep removes what killed processes left behind.
func (s *Store) sweep() {
	files, _ := filepath.Glob(filepath.Join(s.Dir, temporary+"*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && time.Since(info.ModTime()) > abandoned {
			os.Remove(f)
		}
	}
}

// lockWait is how long a tuning of another process is waited for: one that takes longer hangs, most likely.
const lockWait = 10 * time.Minute

// Lock keeps other processes from tuning at the same time: they would disturb each other's measurements, and wait for the choice of
// the first. Where there can be no lock there is none.
func (s *Store) Lock(ctx context.Context) (unlock func()) {
	if s == nil || s.Dir == "" || s.ReadOnly || s.make() != nil {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	l := flock.New(filepath.Join(s.Dir, "lock"), flock.SetFlag(os.O_CREATE|os.O_RDWR|safefile.NonBlock), flock.SetPermissions(0o600))
	if ok, err := l.TryLockContext(ctx, 20*time.Millisecond); !ok || err != nil {
		l.Close()
		return func() {}
	}
	return func() { l.Close() }
}

// All are the records of the folder that can be read, by kernel and key.
func (s *Store) All() []*Record {
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
	slices.SortFunc(out, func(a, b *Record) int {
		return strings.Compare(a.Kernel+"\x00"+strings.Join(a.Key, "\x00"), b.Kernel+"\x00"+strings.Join(b.Key, "\x00"))
	})
	return out
}

// Stamp changes whenever a record is saved.
func (s *Store) Stamp() (stamp string) {
	files, _ := filepath.Glob(filepath.Join(s.Dir, "*.json"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			stamp += fmt.Sprint(info.ModTime().UnixNano(), info.Size(), " ")
		}
	}
	return stamp
}

// Merge takes records over from elsewhere, timing by timing: what is measured here already stays.
func (s *Store) Merge(ctx context.Context, records []*Record) (taken int, err error) {
	if s.ReadOnly {
		return 0, fmt.Errorf("%s is only read", s.Dir)
	}
	unlock := s.Lock(ctx)
	defer unlock()
	for _, r := range records {
		mine := *r
		mine.Timings, mine.Best = nil, ""
		s.Load(&mine)
		for _, t := range r.Timings {
			if old, ok := mine.Find(t.Config); !ok || old.Failed == TimeUp {
				mine.Set(t)
			}
		}
		if t, ok := mine.Find(r.Best); mine.Best == "" && ok && t.Failed == "" {
			mine.Best = r.Best
		}
		if err := s.Save(&mine); err != nil {
			return taken, err
		}
		taken++
	}
	return taken, nil
}

// Decode reads a list of records, as an export is written.
func Decode(data []byte) ([]*Record, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("not a list of tuning records: %w", err)
	}
	var out []*Record
	for i, d := range raw {
		r, err := parse(d)
		if err != nil {
			return nil, fmt.Errorf("record %d: %w", i+1, err)
		}
		out = append(out, r)
	}
	return out, nil
}
