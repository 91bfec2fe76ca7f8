package cache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// Item is an entry as the folder lists it.
type Item struct {
	Key  Key
	Size int64
	Used time.Time
	path string
	odd  bool // the file's time of use is in the future, so nothing is known of it
}

// List returns every entry, the most recently used first. Entries whose time of use is in the future come
// last: nobody can have used them then, and they would otherwise never be evicted.
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
		return cmp.Or(order(a.odd, b.odd), b.Used.Compare(a.Used),
			strings.Compare(a.Key.String(), b.Key.String()))
	})
	return out, err
}

// order puts false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// items returns the entries of a subfolder.
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
			it := Item{Key: k, Size: info.Size(), Used: info.ModTime(), path: filepath.Join(dir, f.Name())}
			if now := time.Now(); it.Used.After(now) {
				it.Used, it.odd = now, it.Used.Sub(now) > clockSkew
			}
			out = append(out, it)
		}
	}
	return out
}

const (
	// abandoned is the age from which on an unfinished file counts as left behind.
	abandoned = time.Hour

	// clockSkew bounds the difference between the clocks of machines that share a folder.
	clockSkew = time.Hour
)

// grown notes that the folder has grown. It measures the folder at a process's first entry, and each time a
// sixteenth of the limit has been written.
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

// Prune removes the entries used longest ago until at most limit bytes remain (0: no limit), entries not used
// for longer than age (0: any age), and files that killed processes left behind. One process at a time does
// it.
func (s *Store) Prune(limit int64, age time.Duration) (removed int, freed int64, err error) {
	if s.o.ReadOnly {
		return 0, 0, errReadOnly
	}
	return s.prune(limit, limit, age)
}

// prune makes room down to keep bytes if there are more than limit.
func (s *Store) prune(limit, keep int64, age time.Duration) (removed int, freed int64, err error) {
	if !s.trusted() {
		return 0, 0, s.Check()
	}
	l := newLock(filepath.Join(s.o.Dir, lockName))
	if ok, err := l.TryLock(); err == nil && !ok {
		return 0, 0, errors.New("another process is making room")
	}
	defer l.Close()
	list, err := s.List()
	if err != nil {
		return 0, 0, err
	}
	gone := unwanted(list, limit, keep, age)
	last := time.Now()
	for _, it := range list { // from the most recently used on
		if !it.odd {
			last = it.Used
		}
		if !gone[it.path] {
			it.settle(last)
			continue
		}
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

// settle gives an item whose time is in the future that of the item used longest ago: it ages from there as
// all others do.
func (it Item) settle(last time.Time) {
	if it.odd {
		os.Chtimes(it.path, last, last)
	}
}

// unwanted returns the paths of the items that have to go; list has the most recently used first.
func unwanted(list []Item, limit, keep int64, age time.Duration) map[string]bool {
	var total, sum int64
	for _, it := range list {
		total += it.Size
	}
	out := map[string]bool{}
	for _, it := range list {
		sum += it.Size
		if age > 0 && time.Since(it.Used) > age || limit > 0 && total > limit && sum > keep {
			out[it.path] = true
		}
	}
	return out
}

// sweepAll removes unfinished files that were left behind.
func (s *Store) sweepAll() {
	shards, _ := os.ReadDir(s.o.Dir)
	for _, d := range shards {
		if d.IsDir() && len(d.Name()) == 2 {
			sweep(filepath.Join(s.o.Dir, d.Name()), "", abandoned)
		}
	}
}

// Clear removes every entry and the subfolders, and leaves files that are not the cache's alone.
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

// Describe returns the header of an item's entry, without its stages and unchecked.
func (it Item) Describe() (*Entry, error) {
	f, err := safefile.OpenTrusted(it.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Describe(f)
}

// Load reads and checks the entry of an item.
func (it Item) Load() (*Entry, error) {
	data, err := safefile.ReadTrusted(it.path, MaxEntry)
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
