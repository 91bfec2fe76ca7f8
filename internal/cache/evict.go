package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Item is an entry as the folder lists it.
type Item struct {
	Key  Key
	Size int64
	Used time.Time
	path string
}

// List is every entry, the most recently used first.
func (s *Store) List() ([]Item, error) {
	shards, err := os.ReadDir(s.o.Dir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	var out []Item
	for _, d := range shards {
		if d.IsDir() && len(d.Name()) == 2 {
			out = append(out, items(filepath.Join(s.o.Dir, d.Name()))...)
		}
	}
	slices.SortFunc(out, func(a, b Item) int {
		if c := b.Used.Compare(a.Used); c != 0 {
			return c
		}
		return strings.Compare(a.Key.String(), b.Key.String())
	})
	return out, err
}

// items are the entries of a subfolder.
func items(dir string) []Item {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []Item
	for _, f := range list {
		name, ok := strings.CutSuffix(f.Name(), extension)
		k, isKey := parseKey(name)
		if !ok || !isKey {
			continue
		}
		if info, err := f.Info(); err == nil {
			out = append(out, Item{k, info.Size(), info.ModTime(), filepath.Join(dir, f.Name())})
		}
	}
	return out
}

// An abandoned file is one that was begun this long ago.
const abandoned = time.Hour

// grown notes that the folder has grown, and looks at its size now and then: at a process's first entry, and each time a sixteenth of the
// limit has been written.
func (s *Store) grown(n int64) {
	s.mu.Lock()
	s.written += n
	due := s.o.Limit > 0 && (!s.pruned || s.written > s.o.Limit/16)
	if due {
		s.written, s.pruned = 0, true
	}
	s.mu.Unlock()
	if due {
		s.prune(s.o.Limit, s.o.Limit/8*7, 0)
	}
}

// Prune removes what was used longest ago until at most limit bytes remain (0: no limit), what was not used for longer than age (0: any
// age), and what killed processes left behind. One process at a time does it.
func (s *Store) Prune(limit int64, age time.Duration) (removed int, freed int64, err error) {
	if s.o.ReadOnly {
		return 0, 0, errReadOnly
	}
	return s.prune(limit, limit, age)
}

// prune makes room down to keep bytes if there are more than limit.
func (s *Store) prune(limit, keep int64, age time.Duration) (removed int, freed int64, err error) {
	l := flock.New(filepath.Join(s.o.Dir, lockName), flock.SetPermissions(0o666))
	if ok, err := l.TryLock(); err == nil && !ok {
		return 0, 0, errors.New("another process is making room")
	}
	defer l.Close()
	list, err := s.List()
	if err != nil {
		return 0, 0, err
	}
	for _, it := range unwanted(list, limit, keep, age) {
		switch e := os.Remove(it.path); {
		case e == nil:
			removed, freed = removed+1, freed+it.Size
		case !errors.Is(e, fs.ErrNotExist):
			err = e
		}
	}
	s.stats.evicted.Add(int64(removed))
	s.sweepAll()
	return removed, freed, err
}

// unwanted are the items of a list, the most recently used first, that have to go.
func unwanted(list []Item, limit, keep int64, age time.Duration) []Item {
	var total, sum int64
	for _, it := range list {
		total += it.Size
	}
	for i, it := range list {
		sum += it.Size
		if age > 0 && time.Since(it.Used) > age || limit > 0 && total > limit && sum > keep {
			return list[i:] // and all that is older
		}
	}
	return nil
}

// sweepAll removes what was begun and abandoned.
func (s *Store) sweepAll() {
	shards, _ := os.ReadDir(s.o.Dir)
	for _, d := range shards {
		if d.IsDir() && len(d.Name()) == 2 {
			sweep(filepath.Join(s.o.Dir, d.Name()), "", abandoned)
		}
	}
}

// Clear removes every entry and the subfolders, and leaves what is not the cache's alone.
func (s *Store) Clear() (removed int, err error) {
	if s.o.ReadOnly {
		return 0, errReadOnly
	}
	list, err := s.List()
	for _, it := range list {
		if e := os.Remove(it.path); e != nil {
			err = e
			continue
		}
		removed++
	}
	shards, _ := os.ReadDir(s.o.Dir)
	for _, d := range shards {
		if !d.IsDir() || len(d.Name()) != 2 {
			continue
		}
		dir := filepath.Join(s.o.Dir, d.Name())
		sweep(dir, "", 0)
		os.Remove(filepath.Join(dir, lockName))
		os.Remove(dir) // if it is empty
	}
	os.Remove(filepath.Join(s.o.Dir, lockName))
	os.Remove(filepath.Join(s.o.Dir, generatorsName))
	return removed, err
}

// Describe is what the entry of an item says of itself, without its stages and unchecked.
func (it Item) Describe() (*Entry, error) {
	f, err := os.Open(it.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Describe(f)
}

// Load reads and checks the entry of an item.
func (it Item) Load() (*Entry, error) {
	data, err := os.ReadFile(it.path)
	if err != nil {
		return nil, err
	}
	e, err := Decode(data)
	if err == nil && e.Key.String() != it.Key.String() {
		err = errDamaged
	}
	return e, err
}

// Remove removes an item.
func (s *Store) Remove(it Item) error {
	if s.o.ReadOnly {
		return errReadOnly
	}
	return os.Remove(it.path)
}
