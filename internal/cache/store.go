package cache

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// Options says where a store is and what it may do.
type Options struct {
	Dir      string
	ReadOnly bool  // nothing below Dir is created, changed or removed
	Limit    int64 // bytes; 0: none
	// how long to wait for another process that compiles the same; 0: a tenth of a second
	LockWait time.Duration
	Shared   Shared // a second level; may be nil
	// signs what goes to the shared level and to archives; unsigned entries of theirs are refused. "": none
	Secret string
	Log    *slog.Logger // of what went wrong without being an error; may be nil

	noSync bool // for tests that write a lot
}

// Store is a folder of entries. It is safe for use by many goroutines, and by many processes. A nil *Store
// keeps nothing.
type Store struct {
	o      Options
	shared *behind
	stats  counters
	trust  trust

	mu      sync.Mutex
	written int64 // since the folder's size was last looked at
	pruned  bool  // it was looked at by this process
	noted   map[string]bool

	unsigned sync.Once // tells of the first entry of the shared level whose signature is not valid
}

// counters count what a store did.
type counters struct{ disk, shared, compiled, damaged, evicted, lost atomic.Int64 }

// Stats counts what a store did.
type Stats struct {
	Disk     int64 // entries found on disk
	Shared   int64 // entries found in the shared level
	Compiled int64 // kernels compiled
	Damaged  int64 // entries that were not usable
	Evicted  int64
	Lost     int64 // kernels that could not be written to disk
}

// Stats returns the counts since the store was opened.
func (s *Store) Stats() Stats {
	if s == nil {
		return Stats{}
	}
	c := &s.stats
	return Stats{c.disk.Load(), c.shared.Load(), c.compiled.Load(), c.damaged.Load(), c.evicted.Load(),
		c.lost.Load()}
}

// Open returns a store. The folder is made when something is written to it.
func Open(o Options) *Store {
	if o.LockWait == 0 {
		o.LockWait = lockWait
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Store{o: o}
	if o.Shared != nil {
		s.shared = newBehind(o.Shared, o.Log)
	}
	return s
}

// Dir returns the store's folder.
func (s *Store) Dir() string { return s.o.Dir }

// Close waits a moment for entries on their way to the shared level.
func (s *Store) Close() error {
	if s == nil || s.shared == nil {
		return nil
	}
	return s.shared.close()
}

const (
	extension = ".kernel"

	// lockWait is short: a lock that somebody holds for longer, for good perhaps, costs a compilation and no
	// launch.
	lockWait = 100 * time.Millisecond
)

func (s *Store) shard(k Key) string { return filepath.Join(s.o.Dir, k.Hash[:2]) }

func (s *Store) path(k Key) string { return filepath.Join(s.shard(k), k.String()+extension) }

// Do calls use with the entry of a key, or has compile make one. An entry that use refuses counts as damaged.
// The error is compile's, or that of ctx.
func (s *Store) Do(ctx context.Context, k Key, use func(*Entry) error, compile func() (*Entry, error)) error {
	if s == nil {
		_, err := compile()
		return err
	}
	if s.find(ctx, k, use) {
		return nil
	}
	unlock, waited := s.lock(ctx, k)
	defer unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if waited && s.local(k, use) { // somebody else has compiled it meanwhile
		return nil
	}
	e, err := compile()
	if err != nil { // a compilation that was refused, in strict mode say, or failed
		return err
	}
	s.stats.compiled.Add(1)
	if e != nil {
		s.Put(e)
	}
	return nil
}

// Use calls use with the entry of a key. It reports whether there is one that use takes.
func (s *Store) Use(ctx context.Context, k Key, use func(*Entry) error) bool {
	return s != nil && s.find(ctx, k, use)
}

// find looks on disk, then in the shared level.
func (s *Store) find(ctx context.Context, k Key, use func(*Entry) error) bool {
	if s.local(k, use) {
		return true
	}
	if s.shared == nil {
		return false
	}
	sealed := s.shared.get(ctx, k.String())
	if sealed == nil {
		return false
	}
	data, err := Unseal(s.o.Secret, sealed)
	if err != nil {
		s.stats.damaged.Add(1)
		s.unsigned.Do(func() {
			s.o.Log.Warn("cache: an entry of the shared level is not used", "key", k.String(), "err", err)
		})
		return false
	}
	if !s.usable(data, k, use) {
		return false
	}
	s.stats.shared.Add(1)
	s.write(k, data)
	return true
}

// local tries the entry on disk.
func (s *Store) local(k Key, use func(*Entry) error) bool {
	if !s.trusted() {
		return false
	}
	path := s.path(k)
	data, err := safefile.ReadTrusted(path, MaxEntry)
	if err != nil {
		if errors.Is(err, safefile.ErrRefused) { // somebody put something else in its place
			s.stats.damaged.Add(1)
			s.remove(path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			s.o.Log.Debug("cache: an entry cannot be read", "key", k.String(), "err", err)
		}
		return false
	}
	if !s.usable(data, k, use) {
		s.remove(path)
		return false
	}
	s.stats.disk.Add(1)
	s.touch(path)
	return true
}

// usable reports whether data is the entry of a key, and use takes it.
func (s *Store) usable(data []byte, k Key, use func(*Entry) error) bool {
	e, err := Decode(data)
	switch {
	case err != nil:
	case e.Key != k:
		err = errors.New("the entry is of another kernel")
	default:
		err = use(e)
	}
	if err != nil {
		s.stats.damaged.Add(1)
		s.o.Log.Debug("cache: an entry is not usable", "key", k.String(), "err", err)
	}
	return err == nil
}

// Get returns the entry of a key, or nil.
func (s *Store) Get(k Key) (found *Entry) {
	if s == nil {
		return nil
	}
	s.local(k, func(e *Entry) error { found = e; return nil })
	return found
}

// Put keeps an entry, here and in the shared level.
func (s *Store) Put(e *Entry) {
	if s == nil {
		return
	}
	data, err := e.Encode()
	if err != nil {
		s.o.Log.Debug("cache: an entry cannot be encoded", "key", e.Key.String(), "err", err)
		return
	}
	if len(data) > MaxEntry {
		s.o.Log.Debug("cache: an entry is too large to be kept", "key", e.Key.String(), "bytes", len(data))
		return
	}
	s.write(e.Key, data)
	s.noteGenerator(e.Generator)
	if s.shared != nil {
		s.shared.put(e.Key.String(), Seal(s.o.Secret, data))
	}
}

// touchAfter is the age of a recorded last use from which on it is recorded again.
const touchAfter = time.Hour

// touch notes that an entry was used.
func (s *Store) touch(path string) {
	if s.o.ReadOnly {
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	if age := time.Since(info.ModTime()); age > touchAfter || age < 0 {
		now := time.Now()
		os.Chtimes(path, now, now)
	}
}

func (s *Store) remove(path string) {
	if !s.o.ReadOnly {
		os.Remove(path)
	}
}

// lock keeps other processes from compiling the same kernel. One file serves all keys of a subfolder, so that
// locks leave no litter. waited reports that another process may have had the lock before. Where locking
// fails there is no lock: at worst a kernel is compiled twice.
func (s *Store) lock(ctx context.Context, k Key) (unlock func(), waited bool) {
	none := func() {}
	if s.o.ReadOnly || s.make(s.shard(k)) != nil {
		return none, false
	}
	l := newLock(filepath.Join(s.shard(k), lockName))
	if ok, err := l.TryLock(); err != nil {
		l.Close() // the file may be open though it has no locks
		s.o.Log.Debug("cache: no lock", "key", k.String(), "err", err)
		return none, false
	} else if !ok {
		ctx, cancel := context.WithTimeout(ctx, s.o.LockWait)
		defer cancel()
		if ok, err := l.TryLockContext(ctx, 5*time.Millisecond); !ok || err != nil {
			l.Close()
			return none, true
		}
	}
	return func() { l.Close() }, true
}

const lockName = "lock"

// newLock returns a lock on a file that only this user can open, and so hold.
func newLock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR|safefile.NonBlock),
		flock.SetPermissions(0o600))
}
