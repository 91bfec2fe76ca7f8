package autotune

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nereid-lang/nereid/internal/cache"
)

// fakeLevel is a level in memory, which may fail.
type fakeLevel struct {
	mu    sync.Mutex
	data  map[string][]byte
	locks map[string]string
	err   error
	calls int

	extended []time.Time
}

func (l *fakeLevel) do(f func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if l.err == nil {
		f()
	}
	return l.err
}

func (l *fakeLevel) Get(_ context.Context, key string) (v []byte, err error) {
	err = l.do(func() { v = l.data[key] })
	return v, err
}

func (l *fakeLevel) Put(_ context.Context, key string, value []byte) error {
	return l.do(func() { l.data[key] = value })
}

func (l *fakeLevel) TryLock(_ context.Context, key, token string, _ time.Duration) (ok bool, err error) {
	err = l.do(func() {
		if ok = l.locks[key] == ""; ok {
			l.locks[key] = token
		}
	})
	return ok, err
}

func (l *fakeLevel) Extend(context.Context, string, string, time.Duration) error {
	return l.do(func() { l.extended = append(l.extended, time.Now()) })
}

func (l *fakeLevel) Unlock(ctx context.Context, key, token string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return l.do(func() {
		if l.locks[key] == token {
			delete(l.locks, key)
		}
	})
}

func newFakeLevel() *fakeLevel {
	return &fakeLevel{data: map[string][]byte{}, locks: map[string]string{}}
}

// A level that others write to is not believed: rubbish, records of something else and missing signatures
// count as absent.
func TestSharedAttack(t *testing.T) {
	l := newFakeLevel()
	s := &Shared{Level: l, Secret: "secret"}
	r := record("1")
	r.Set(Timing{Config: "a", Median: 1, Low: 1, High: 1})
	r.Best = "a"
	if err := s.Save(r); err != nil || !s.Load(t.Context(), record("1")) || s.Load(t.Context(), record("2")) {
		t.Fatal("not kept", err)
	}
	good := l.data[s.key(r)]
	plain, err := cache.Unseal("secret", good)
	if err != nil {
		t.Fatal(err)
	}
	for what, data := range map[string][]byte{
		"nothing": {}, "rubbish": []byte("{"), "no signature": plain,
		"another signature": cache.Seal("x", plain), "signed rubbish": cache.Seal("secret", []byte("[]")),
		"cut": good[:len(good)-3],
	} {
		l.data[s.key(r)] = data
		if s.Load(t.Context(), record("1")) {
			t.Errorf("%s is taken for a record", what)
		}
	}
	other := record("2")
	l.data[s.key(other)] = good
	if s.Load(t.Context(), other) {
		t.Error("a record is taken for that of another key")
	}
}

// A level that fails is left alone for a while, and fails nothing.
func TestSharedFails(t *testing.T) {
	l := newFakeLevel()
	l.err = errors.New("down")
	warned := 0
	s := &Shared{Level: l, Warn: func(error) { warned++ }}
	s.Lock(t.Context(), record("1"))()
	if err := s.Save(record("1")); err != nil || s.Load(t.Context(), record("1")) || l.calls != 1 ||
		warned != 1 {
		t.Errorf("%v, %d calls, %d warnings", err, l.calls, warned)
	}
	// A caller whose time is over says nothing of the level.
	s = &Shared{Level: newFakeLevel()}
	over, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_ = s.call(over, func(ctx context.Context) error { return ctx.Err() })
	if err := s.call(t.Context(), func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
}

// Whoever has the lock keeps others out until it ends; one who waits gives up with its context.
func TestSharedLock(t *testing.T) {
	l := newFakeLevel()
	one, two := &Shared{Level: l}, &Shared{Level: l}
	unlock := one.Lock(t.Context(), record("1"))
	ctx, cancel := context.WithTimeout(t.Context(), 80*time.Millisecond)
	defer cancel()
	two.Lock(ctx, record("1"))()
	if len(l.locks) != 1 {
		t.Error("somebody else's lock was ended")
	}
	two.Lock(t.Context(), record("2"))() // of another key
	got := make(chan func())
	long, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	go func() { got <- two.Lock(long, record("1")) }()
	select {
	case <-got:
		t.Error("two have the lock")
	case <-time.After(80 * time.Millisecond):
	}
	unlock()
	(<-got)()
	if len(l.locks) != 0 || long.Err() != nil {
		t.Error("a lock stays")
	}
}

// A file that somebody else damaged, or that is no list, is told and counts as empty.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tuned.json")
	f := &File{Name: name}
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	r := record("1")
	r.Set(Timing{Config: "a", Median: 1, Low: 1, High: 1})
	if err := f.Save(r); err != nil || !f.Load(t.Context(), record("1")) {
		t.Fatal("not kept", err)
	}
	reader := &File{Name: name, ReadOnly: true}
	if err := reader.Save(record("2")); err != nil || f.Load(t.Context(), record("2")) {
		t.Error("a reader writes", err)
	}
	if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if f.Load(t.Context(), record("1")) || f.Check() == nil {
		t.Error("a damaged file is used")
	}
}

// A measurement waits for another one's end, unless it is part of it.
func TestBegin(t *testing.T) {
	a, b, own := new(int), new(int), new(int)
	end, nested, err := Begin(t.Context(), a, own)
	if nested || err != nil {
		t.Fatal(nested, err)
	}
	inner, nested, err := Begin(t.Context(), own, nil)
	if !nested || err != nil {
		t.Error("a part of the measurement is not known as such", err)
	}
	inner()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	for _, stream := range []any{a, b, nil} {
		if _, _, err := Begin(ctx, stream, nil); err == nil {
			t.Error("two measure at once")
		}
	}
	end()
	if end, nested, err = Begin(t.Context(), own, nil); nested || err != nil {
		t.Error(nested, err)
	}
	end()
}

// TestLargeFile: a file of many records keeps all of them.
func TestLargeFile(t *testing.T) {
	f := &File{Name: filepath.Join(t.TempDir(), "tunings.json")}
	var list []*Record
	for i := range 3 {
		r := record(string(rune('1' + i)))
		r.Version, r.File = version, strings.Repeat("x", 6<<20)
		list = append(list, r)
	}
	data, err := Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(record("4")); err != nil || !f.Load(t.Context(), record("2")) {
		t.Error("a record is lost", err)
	}
}

// TestLockIsProlonged: a lock that is held is prolonged long before it ends.
func TestLockIsProlonged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFakeLevel()
		s := &Shared{Level: l}
		last, unlock := time.Now(), s.Lock(t.Context(), record("1"))
		time.Sleep(3 * lockTTL)
		unlock()
		for _, at := range append(l.extended, time.Now()) {
			if at.Sub(last) > lockTTL/2 {
				t.Errorf("it is not prolonged for %v of %v", at.Sub(last), lockTTL)
			}
			last = at
		}
	})
}
