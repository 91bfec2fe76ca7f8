package cache

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// temporary follows the entry's own name in the names of files while they are written.
const temporary = ".tmp"

// write publishes an entry: it writes another file of the same folder, syncs it, and renames it.
func (s *Store) write(k Key, data []byte) error {
	if s.o.ReadOnly {
		return errReadOnly
	}
	if !k.valid() {
		return errKey
	}
	path := s.path(k)
	err := s.make(filepath.Dir(path))
	if err == nil {
		err = publish(path, data, !s.o.noSync)
	}
	if err != nil {
		level := slog.LevelDebug
		if s.stats.lost.Add(1) == 1 && !errors.Is(err, safefile.ErrRefused) { // of which trusted has told
			level = slog.LevelWarn // once: every kernel will be compiled again
		}
		s.o.Log.Log(context.Background(), level, "cache: an entry cannot be written", "key", k.String(),
			"err", err)
		return err
	}
	sweep(filepath.Dir(path), filepath.Base(path)+temporary, 0)
	s.grown(int64(len(data)))
	return nil
}

var errReadOnly = errors.New("the cache is only read")

func publish(path string, data []byte, sync bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+temporary+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && sync {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644) // a shared folder is read by others
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	if _, there := os.Stat(path); errors.Is(err, fs.ErrNotExist) && there == nil {
		return nil // another writer of the same entry was faster, and swept this file
	}
	return err
}

// ErrBusy is the error of a lock that somebody else holds.
var ErrBusy = errors.New("another process holds the lock")

// LockFolder keeps other processes that lock it out of a folder. It locks the folder itself, which leaves no
// file behind. The error is ErrBusy if another process holds the lock all that time, or says why there can be
// no lock.
func LockFolder(dir string, wait time.Duration) (unlock func(), err error) {
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	for end := time.Now().Add(wait); ; time.Sleep(time.Millisecond) {
		ok, err := l.TryLock()
		switch {
		case ok:
			return func() { l.Close() }, nil
		case err == nil && time.Now().Before(end):
			continue
		case err == nil:
			err = ErrBusy
		}
		l.Close()
		return nil, err
	}
}

// sweep removes files that a killed process left behind. If one belongs to a writer of the same entry that
// lives, its rename fails, and the entry is there all the same (publish).
func sweep(dir, prefix string, age time.Duration) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range list {
		if !strings.HasPrefix(f.Name(), prefix) || !strings.Contains(f.Name(), extension+temporary) {
			continue
		}
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) >= age {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
