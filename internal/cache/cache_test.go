package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// keyFor is the key of a made-up kernel, entryFor its entry: anybody can check that it is the right one.
func keyFor(i int) Key {
	h := NewHasher()
	h.Add("n", fmt.Sprint(i))
	return h.Key(fmt.Sprintf("kernel_%d", i))
}

func entryFor(i int) *Entry {
	r := rand.New(rand.NewSource(int64(i)))
	code := make([]byte, 1000+r.Intn(20000))
	r.Read(code)
	return &Entry{
		Key: keyFor(i), Target: "test", Signature: "*fp32:16, i32",
		Options: json.RawMessage(`{"num_warps":4}`), Code: "obj",
		Meta:   json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)),
		Stages: []Stage{{Name: "ttir", Data: []byte("module {\n}\n")}, {Name: "obj", Data: code}},
	}
}

// same says how an entry differs from what it should be, or "".
func same(e *Entry, i int) error {
	if want := entryFor(i); !bytes.Equal(e.Stage("obj"), want.Stage("obj")) ||
		!bytes.Equal(e.Stage("ttir"), want.Stage("ttir")) {
		return fmt.Errorf("entry %d is wrong", i)
	}
	return nil
}

// get has a store give entry i, and reports whether it was compiled.
func get(t testing.TB, s *Store, i int) (compiled bool) {
	t.Helper()
	err := s.Do(context.Background(), keyFor(i), func(e *Entry) error {
		if err := same(e, i); err != nil {
			t.Error(err)
		}
		return nil
	}, func() (*Entry, error) {
		compiled = true
		return entryFor(i), nil
	})
	if err != nil {
		t.Error(err)
	}
	return compiled
}

// count has a store give entries one after the other, and returns how many were compiled.
func count(t testing.TB, s *Store, entries ...int) (n int) {
	t.Helper()
	for _, i := range entries {
		if get(t, s, i) {
			n++
		}
	}
	return n
}

func TestEntry(t *testing.T) {
	e := entryFor(1)
	data, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	second, _ := again.Encode()
	if !bytes.Equal(data, second) {
		t.Error("an entry read and written again has other bytes")
	}
	if again.Key != e.Key || again.Stages[0].Binary() || !again.Stages[1].Binary() {
		t.Errorf("%+v", again)
	}
	text := string(data[:bytes.Index(data, []byte("-- obj"))])
	if !strings.Contains(text, "module {") || !strings.Contains(text, "kernel_1") {
		t.Errorf("the entry is not readable:\n%s", text)
	}
	for n := range data { // every prefix is refused, and every flipped bit
		if _, err := Decode(data[:n]); err == nil {
			t.Fatalf("%d of %d bytes are taken for an entry", n, len(data))
		}
		if n > 3000 && n%97 != 0 {
			continue
		}
		data[n] ^= 1 << (n % 8)
		if _, err := Decode(data); err == nil {
			t.Fatalf("a bit flipped in byte %d goes unnoticed", n)
		}
		data[n] ^= 1 << (n % 8)
	}
}

func FuzzCacheEntry(f *testing.F) {
	data, _ := entryFor(1).Encode()
	f.Add(data)
	f.Add([]byte(magic + " "))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Decode(data)
		if err != nil {
			return
		}
		if again, err := e.Encode(); err == nil {
			if e2, err := Decode(again); err != nil || !reflect.DeepEqual(e.Key, e2.Key) {
				t.Errorf("read once, but not again: %v", err)
			}
		}
	})
}

func TestKeys(t *testing.T) {
	key := func(fields ...string) Key {
		h := NewHasher()
		for i := 0; i < len(fields); i += 2 {
			h.Add(fields[i], fields[i+1])
		}
		return h.Key("k")
	}
	if key("a", "bc") == key("ab", "c") || key("a", "b", "c", "d") == key("a", "bcd") {
		t.Error("keys are not exact")
	}
	if a, again := key("a", "b"), key("a", "b"); a != again {
		t.Error("one kernel has two keys")
	}
	for name, want := range map[string]string{"f": "f", "a/b": "a_b", "..": "", "größe": "gr__e"} {
		k := Key{name, strings.Repeat("0", 64)}
		if got := k.String(); got != want+"-"+k.Hash {
			t.Errorf("%q becomes %q", name, got)
		}
		if p, ok := parseKey(k.String()); !ok || p.String() != k.String() {
			t.Errorf("%s is not read again", k)
		}
	}
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	s := Open(Options{Dir: filepath.Join(dir, "a")})
	if !get(t, s, 1) || get(t, s, 1) || !get(t, s, 2) {
		t.Error("compiled too often or too rarely")
	}
	refused := errors.New("refused")
	if err := s.Do(t.Context(), keyFor(3), nil, func() (*Entry, error) {
		return nil, refused
	}); !errors.Is(err, refused) {
		t.Error(err)
	}
	if n := s.Stats(); n != (Stats{Disk: 1, Compiled: 2}) { // one that was refused is none
		t.Errorf("%+v", n)
	}
	// Moved elsewhere, everything is found.
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	s = Open(Options{Dir: filepath.Join(dir, "b"), ReadOnly: true})
	if get(t, s, 1) || get(t, s, 2) {
		t.Error("nothing is found where the folder was moved to")
	}
	// Read-only, nothing is kept.
	before := files(t, dir)
	if count(t, s, 3, 3) != 2 {
		t.Error("a store that is read-only keeps entries")
	}
	if after := files(t, dir); !reflect.DeepEqual(before, after) {
		t.Errorf("a read-only store changed files: %v", after)
	}
	// An error of the compiler's is the caller's, and nothing is kept.
	bad := errors.New("no")
	if err := s.Do(context.Background(), keyFor(9), nil, func() (*Entry, error) {
		return nil, bad
	}); err != bad {
		t.Error(err)
	}
	var none *Store
	if count(t, none, 1, 1) != 2 {
		t.Error("a nil store keeps entries")
	}
}

// files are the names of all files below a folder.
func files(t testing.TB, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, strings.TrimPrefix(path, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A folder that cannot be written to costs compilations.
func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), "/proc/nereid", "\x00"} {
		var log bytes.Buffer
		s := Open(Options{Dir: dir, Limit: 1000, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if count(t, s, 1, 1) != 2 || s.Stats().Lost != 2 {
			t.Errorf("%q keeps entries: %+v", dir, s.Stats())
		}
		if strings.Count(log.String(), "level=WARN") != 1 {
			t.Errorf("not said once: %s", &log)
		}
		s.Prune(1, 0)
	}
}

// Lists read the beginnings of entries alone: one that is damaged behind that is listed, one that is none
// is not.
func TestDescribe(t *testing.T) {
	s := Open(Options{Dir: t.TempDir()})
	for i := range 3 {
		get(t, s, i)
	}
	whole, err := os.ReadFile(s.path(keyFor(0)))
	if err != nil {
		t.Fatal(err)
	}
	whole[len(whole)-1]++
	for name, data := range map[string][]byte{s.path(keyFor(0)): whole, s.path(keyFor(1)): whole[:90],
		s.path(keyFor(2)): []byte("nothing")} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range list {
		e, err := it.Describe()
		if good := it.Key == keyFor(0); (err == nil) != good || good &&
			(e.Key != it.Key || len(e.Stages) == 0) {
			t.Errorf("%s: %+v, %v", it.Key, e, err)
		}
		if _, err := it.Load(); err == nil {
			t.Errorf("%s is whole", it.Key)
		}
	}
}

// Where there are no locks, as on some network file systems, entries are kept all the same.
func TestNoLocks(t *testing.T) {
	dir := t.TempDir()
	s := Open(Options{Dir: dir, Limit: 1 << 20})
	for _, lock := range []string{filepath.Join(s.shard(keyFor(1)), lockName), filepath.Join(dir, lockName)} {
		if err := os.MkdirAll(lock, 0o777); err != nil { // a folder in the place of the file cannot be locked
			t.Fatal(err)
		}
	}
	if n := count(t, s, 1, 1, 1); n != 1 {
		t.Errorf("compiled %d times", n)
	}
	if removed, _, err := s.Prune(1, 0); err != nil || removed != 1 {
		t.Errorf("%d removed: %v", removed, err)
	}
}

// Whoever asks for something to be done to the folder hears that it was not.
func TestNotDone(t *testing.T) {
	from := Open(Options{Dir: t.TempDir()})
	get(t, from, 1)
	list, err := from.List()
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if _, err := from.Export(&archive, list); err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Dir: "/proc/nereid"}, {Dir: t.TempDir(), ReadOnly: true}} {
		if done, err := Open(o).Import(bytes.NewReader(archive.Bytes())); err == nil || done.Taken != 0 {
			t.Errorf("%+v took %d entries over: %v", o, done.Taken, err)
		}
	}
	read := Open(Options{Dir: from.Dir(), ReadOnly: true})
	if _, _, err := read.Prune(1, 0); err == nil {
		t.Error("a cache that is only read makes room")
	}
	if _, err := read.Clear(); err == nil || read.Remove(list[0]) == nil || get(t, read, 1) {
		t.Error("a cache that is only read loses entries")
	}
}

// An entry that is damaged in any way, or belongs under another name, is a miss, and is replaced.
func TestDamaged(t *testing.T) {
	s := Open(Options{Dir: t.TempDir(), noSync: true})
	const n = 1000
	const keys = 20
	r := rand.New(rand.NewSource(1))
	for i := range keys {
		get(t, s, i)
	}
	for i := range n {
		k := i % keys
		path := s.path(keyFor(k))
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		how := damage[i%len(damage)]
		other, _ := os.ReadFile(s.path(keyFor((k + 1) % keys)))
		if err := os.WriteFile(path, how(r, data, other), 0o644); err != nil {
			t.Fatal(err)
		}
		if !get(t, s, k) {
			t.Fatalf("round %d: a damaged entry is used", i)
		}
		if get(t, s, k) {
			t.Fatalf("round %d: a damaged entry was not replaced", i)
		}
	}
	if got := s.Stats().Damaged; got != n {
		t.Errorf("%d of %d damaged entries were seen as such", got, n)
	}
}

var damage = []func(r *rand.Rand, data, other []byte) []byte{
	func(r *rand.Rand, data, _ []byte) []byte {
		data[r.Intn(len(data))] ^= byte(1 + r.Intn(255))
		return data
	},
	func(r *rand.Rand, data, _ []byte) []byte { return data[:r.Intn(len(data))] },
	func(r *rand.Rand, data, _ []byte) []byte { return append(data, data[:1+r.Intn(100)]...) },
	func(r *rand.Rand, data, _ []byte) []byte { clear(data[r.Intn(len(data)-1):]); return data },
	func(r *rand.Rand, data, other []byte) []byte { return other },
	func(r *rand.Rand, data, _ []byte) []byte { r.Read(data); return data },
	func(r *rand.Rand, data, other []byte) []byte {
		n := r.Intn(len(data))
		return append(data[:n:n], other...)
	},
}

// TestOtherHash: the entry of a kernel of the same name that was compiled for something else is a miss under
// another key, and leaves no archive with it.
func TestOtherHash(t *testing.T) {
	s := Open(Options{Dir: t.TempDir(), noSync: true})
	other := entryFor(1)
	other.Key.Hash = keyFor(2).Hash
	data, err := other.Encode()
	if err != nil {
		t.Fatal(err)
	}
	get(t, s, 1)
	if err := os.WriteFile(s.path(keyFor(1)), data, 0o644); err != nil {
		t.Fatal(err)
	}
	list, _ := s.List()
	if n, err := s.Export(io.Discard, list); n != 0 || err != nil {
		t.Errorf("%d entries under another's name are exported, %v", n, err)
	}
	if s.Get(keyFor(1)) != nil {
		t.Error("the entry of another hash is used")
	}
	if !get(t, s, 1) || s.Stats().Damaged != 1 {
		t.Errorf("the entry of another hash is not replaced: %+v", s.Stats())
	}
}

// TestEntryWithoutCode: an entry that lacks the stage that runs, or has bytes behind its stages, is none.
func TestEntryWithoutCode(t *testing.T) {
	e := entryFor(1)
	e.Code = "cubin"
	lacks, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := entryFor(1).Encode()
	_, body, _ := bytes.Cut(append(whole, "more"...), []byte("\n"))
	_, size, _ := head(string(whole[:bytes.IndexByte(whole, '\n')]))
	sum := sha256.Sum256(body)
	longer := append([]byte(fmt.Sprintf("%s %x %d\n", magic, sum, size)), body...)
	for what, data := range map[string][]byte{"without its code": lacks, "with more behind it": longer} {
		if _, err := Decode(data); err == nil {
			t.Errorf("an entry %s is read", what)
		}
	}
}

// An entry that its user refuses is compiled again.
func TestRefused(t *testing.T) {
	s := Open(Options{Dir: t.TempDir()})
	get(t, s, 1)
	compiled := false
	err := s.Do(context.Background(), keyFor(1), func(*Entry) error {
		return errors.New("the driver says no")
	}, func() (*Entry, error) {
		compiled = true
		return entryFor(1), nil
	})
	if err != nil || !compiled || get(t, s, 1) {
		t.Error("a refused entry is not replaced", err)
	}
}

func TestEviction(t *testing.T) {
	dir := t.TempDir()
	s := Open(Options{Dir: dir})
	now := time.Now()
	for i := range 30 {
		get(t, s, i)
		used := now.Add(time.Duration(i-100) * time.Hour)
		if err := os.Chtimes(s.path(keyFor(i)), used, used); err != nil {
			t.Fatal(err)
		}
	}
	get(t, s, 3) // used now
	removed, _, _ := s.Prune(0, 80*time.Hour+30*time.Minute)
	if list, _ := s.List(); removed != 19 || len(list) != 11 || list[0].Key != keyFor(3) {
		t.Errorf("%d removed, %d left", removed, len(list))
	}
	const limit = 100_000
	s = Open(Options{Dir: dir, Limit: limit})
	for i := 100; i < 200; i++ {
		get(t, s, i)
		if n := total(t, s); n > limit+limit/16+30000 {
			t.Fatalf("%d bytes are kept, the limit is %d", n, limit)
		}
	}
	if s.Stats().Evicted < 80 || get(t, s, 199) {
		t.Errorf("%+v", s.Stats())
	}
	// What a killed process left goes when it is old.
	old := s.path(keyFor(199)) + temporary + "123"
	os.WriteFile(old, []byte("x"), 0o666)
	s.Prune(limit, 0)
	if _, err := os.Stat(old); err != nil {
		t.Error("a file that may be in use was removed")
	}
	hours := now.Add(-2 * abandoned)
	os.Chtimes(old, hours, hours)
	s.Prune(limit, 0)
	if _, err := os.Stat(old); err == nil {
		t.Error("a file of a killed process stays")
	}
	s.noteGenerator("a generator")
	os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o666)
	if _, err := s.Clear(); err != nil {
		t.Error(err)
	}
	if left := files(t, dir); fmt.Sprint(left) != "[/mine.txt]" {
		t.Errorf("left: %v", left)
	}
}

func total(t *testing.T, s *Store) (n int64) {
	t.Helper()
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range list {
		n += it.Size
	}
	return n
}

func TestArchive(t *testing.T) {
	s := Open(Options{Dir: t.TempDir()})
	for i := range 5 {
		get(t, s, i)
	}
	list, _ := s.List()
	var b bytes.Buffer
	if n, err := s.Export(&b, list); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	to := Open(Options{Dir: t.TempDir(), noSync: true})
	done, err := to.Import(bytes.NewReader(b.Bytes()))
	if done != (Imported{Taken: 5}) || err != nil {
		t.Fatal(done, err)
	}
	for i := range 5 {
		if get(t, to, i) {
			t.Errorf("entry %d was not taken over", i)
		}
	}
	for n := 0; n < b.Len(); n += 4001 { // cut off anywhere: what is whole is taken, no panic
		to := Open(Options{Dir: t.TempDir(), noSync: true})
		if _, err := to.Import(bytes.NewReader(b.Bytes()[:n])); err == nil {
			t.Errorf("%d bytes of %d are a whole archive", n, b.Len())
		}
	}
}

// Goroutines that want the same at once compile it once.
func TestGoroutines(t *testing.T) {
	s := Open(Options{Dir: t.TempDir(), LockWait: time.Minute})
	var compiles atomic.Int64
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for i := range 10 {
				err := s.Do(context.Background(), keyFor(i), func(e *Entry) error {
					return same(e, i)
				}, func() (*Entry, error) {
					compiles.Add(1)
					time.Sleep(time.Millisecond)
					return entryFor(i), nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if compiles.Load() != 10 {
		t.Errorf("10 kernels were compiled %d times", compiles.Load())
	}
}

// Who waits for a lock can give up.
func TestCancel(t *testing.T) {
	s := Open(Options{Dir: t.TempDir()})
	unlock, _ := s.lock(context.Background(), keyFor(1))
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	err := s.Do(ctx, keyFor(1), nil, func() (*Entry, error) { t.Error("compiled"); return nil, nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// A shared level is asked again at once after a caller that gave up.
func TestSharedCancel(t *testing.T) {
	s := Open(Options{Dir: t.TempDir(), Shared: patient{}})
	defer s.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if s.Use(gone, keyFor(1), nil) || s.shared.resting() {
		t.Error("the level is left alone")
	}
}

// patient is a shared level that answers nobody.
type patient struct{}

func (patient) Get(ctx context.Context, _ string) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
func (patient) Put(context.Context, string, []byte) error { return nil }
func (patient) Close() error                              { return nil }

// A lock that somebody holds for good costs a tenth of a second, and no launch fails of it.
func TestLockHeld(t *testing.T) {
	s := Open(Options{Dir: t.TempDir()})
	unlock, _ := s.lock(context.Background(), keyFor(1))
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	begin := time.Now()
	compiled := false
	err := s.Do(ctx, keyFor(1), nil, func() (*Entry, error) {
		compiled = true
		return entryFor(1), ctx.Err()
	})
	if took := time.Since(begin); err != nil || !compiled || took > 3*time.Second {
		t.Errorf("after %v: %v", took, err)
	}
	if get(t, s, 1) {
		t.Error("what was compiled without the lock is not kept")
	}
}

func TestBuild(t *testing.T) {
	if Build() == "" {
		t.Error("the build has no name")
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if id := programID(path); len(id) < 40 {
		t.Errorf("the program's id is %q", id)
	}
	if programID(filepath.Join(t.TempDir(), "none")) != "" {
		t.Error("a program that is not there has an id")
	}
}

// TestRelease: only a version whose text nobody can have changed names a build, and Go's version is part of
// the name. All other programs are known by their text.
func TestRelease(t *testing.T) {
	nereid := func(change func(*debug.Module)) *debug.Module {
		m := &debug.Module{Path: module, Version: "v1.2.3", Sum: "h1:sum"}
		change(m)
		return m
	}
	same := func(*debug.Module) {}
	program := debug.Module{Path: "example.com/program", Version: "v0.1.0", Sum: "h1:other"}
	for what, c := range map[string]struct {
		main debug.Module
		dep  *debug.Module
		want string
	}{
		"its own program": {*nereid(same), nil, "v1.2.3 h1:sum go1.30"},
		"a dependency":    {program, nereid(same), "v1.2.3 h1:sum go1.30"},
		"a folder in its place": {program, nereid(func(m *debug.Module) {
			m.Replace = &debug.Module{Path: "../nereid"}
		}), ""},
		"a dependency without a sum": {program, nereid(func(m *debug.Module) { m.Sum = "" }), ""},
		"no dependency":              {program, nil, ""},
		"a checkout":                 {*nereid(func(m *debug.Module) { m.Sum = "" }), nil, ""},
		"no version":                 {*nereid(func(m *debug.Module) { m.Version = "(devel)" }), nil, ""},
		"an edited checkout": {*nereid(func(m *debug.Module) {
			m.Version = "v1.2.4-0.20260101000000-abcdef+dirty"
		}), nil, ""},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.30", Main: c.main}
		if c.dep != nil {
			info.Deps = []*debug.Module{{Path: "example.com/else", Version: "v3.0.0", Sum: "h1:else"}, c.dep}
		}
		if got := release(info); got != c.want {
			t.Errorf("%s is the release %q, not %q", what, got, c.want)
		}
	}
}

// Writers of one entry sweep each other's unfinished files, and no entry counts as lost for that.
func TestWritersOfOneEntry(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	stores := make([]*Store, 8)
	for i := range stores {
		stores[i] = Open(Options{Dir: dir, noSync: true})
		wg.Go(func() {
			for range 200 {
				stores[i].Put(entryFor(7))
			}
		})
	}
	wg.Wait()
	for _, s := range stores {
		if n := s.Stats().Lost; n != 0 {
			t.Errorf("%d entries count as lost", n)
		}
	}
	if get(t, Open(Options{Dir: dir}), 7) {
		t.Error("the entry is not kept")
	}
}
