//go:build unix

package cache

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// forge is an entry with a valid checksum whose header has one text replaced by another: what anybody can
// make.
func forge(t *testing.T, i int, old, new string) []byte {
	t.Helper()
	data, err := entryFor(i).Encode()
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(data, []byte("\n"))
	if !bytes.Contains(body, []byte(old)) {
		t.Fatalf("the entry has no %q", old)
	}
	body = bytes.ReplaceAll(body, []byte(old), []byte(new))
	sum := sha256.Sum256(body)
	first := fmt.Sprintf("%s %s %d\n", magic, hex.EncodeToString(sum[:]), bytes.Index(body, []byte("\n}"))+2)
	return append([]byte(first), body...)
}

// archive is a compressed tar archive of files.
func archive(t *testing.T, name string, contents ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, c := range contents {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(c))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Keys and stages of an archive are somebody's text: none of them becomes a path outside of the cache.
func TestAttackImport(t *testing.T) {
	hash := keyFor(1).Hash
	for name, entry := range map[string][]byte{
		"hash climbs":         forge(t, 1, hash, "../../../../escaped-"+hash),
		"hash climbs at once": forge(t, 1, hash, "../"+hash),
		"hash is absolute":    forge(t, 1, hash, "/tmp/escaped-"+hash),
		"hash is short":       forge(t, 1, hash, "3"),
		"hash is empty":       forge(t, 1, hash, ""),
		"hash is no hex":      forge(t, 1, hash, strings.Repeat("z", 64)),
		"hash has a zero":     forge(t, 1, hash, `\u0000`+hash[1:]),
		"no key at all":       forge(t, 1, `"key": {`, `"other": {`),
		"key is null":         forge(t, 1, `"key": {`, `"key": null, "other": {`),
		"stage climbs":        forge(t, 1, "ttir", "../ttir"),
		"stage is absolute":   forge(t, 1, "ttir", "/ttir"),
		"kernel climbs":       forge(t, 1, `"kernel_1"`, `"../../escaped"`), // taken: names are for people
		// taken: it stands for the same bytes
		"hash in capitals":      forge(t, 1, hash, strings.ToUpper(hash)),
		"not an entry":          []byte("x"),
		"an entry's first line": []byte(magic + " " + hash + " 9999999\n"),
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "a", "b", "cache")
			s := Open(Options{Dir: dir, noSync: true})
			done, err := s.Import(bytes.NewReader(archive(t, "3f/../../../x"+extension, entry)))
			if err != nil || done.Taken+done.Refused != 1 {
				t.Errorf("%+v, %v", done, err)
			}
			if want := name == "kernel climbs" || name == "hash in capitals"; want != (done.Taken == 1) {
				t.Errorf("%+v", done)
			}
			for _, f := range files(t, base) {
				if !strings.HasPrefix(f, "/a/b/cache/") || strings.Contains(f, "/../") {
					t.Errorf("written: %s", f)
				}
			}
		})
	}
	if list, _ := filepath.Glob("/tmp/escaped*"); len(list) > 0 {
		t.Errorf("written: %v", list)
	}
}

// What is put in the place of an entry is not waited for, not read without end, and not used; the kernel is
// compiled, and its entry takes the place.
func TestAttackEntry(t *testing.T) {
	whole, err := entryFor(1).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(path string) error{
		"pipe":     func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"endless":  func(path string) error { return os.Symlink("/dev/zero", path) },
		"terminal": func(path string) error { return os.Symlink("/dev/tty", path) },
		"link": func(path string) error {
			os.WriteFile(path+"x", whole, 0o644)
			return os.Symlink(path+"x", path)
		},
		"huge": func(path string) error {
			os.WriteFile(path, whole, 0o644)
			return os.Truncate(path, 1<<40)
		},
		"everybodys": func(path string) error {
			os.WriteFile(path, whole, 0o644)
			return os.Chmod(path, 0o666)
		},
		"another's": func(path string) error {
			if os.Geteuid() != 0 {
				return os.WriteFile(path, nil, 0o644) // only root can give files away
			}
			os.WriteFile(path, whole, 0o644)
			return os.Chown(path, 12345, 12345)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := Open(Options{Dir: t.TempDir()})
			path := s.path(keyFor(1))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			ended := make(chan bool, 1)
			go func() { ended <- count(t, s, 1, 1) == 1 }()
			select {
			case ok := <-ended:
				if !ok || s.Stats().Damaged != 1 {
					t.Errorf("%+v", s.Stats())
				}
			case <-time.After(30 * time.Second):
				t.Fatal("it is waited for")
			}
		})
	}
}

// The same in the place of the files beside the entries.
func TestAttackBeside(t *testing.T) {
	for _, put := range []func(path string) error{
		func(path string) error { return syscall.Mkfifo(path, 0o600) },
		func(path string) error { return os.Symlink("/dev/zero", path) },
	} {
		s := Open(Options{Dir: t.TempDir(), Limit: 1 << 20})
		for _, name := range []string{generatorsName, lockName, filepath.Join(keyFor(1).Hash[:2], lockName)} {
			path := filepath.Join(s.Dir(), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := put(path); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan bool, 1)
		go func() { s.Generators(); s.noteGenerator("g"); ended <- count(t, s, 1, 1) == 1 }()
		select {
		case ok := <-ended:
			if !ok {
				t.Errorf("%+v", s.Stats())
			}
		case <-time.After(30 * time.Second):
			t.Fatal("a pipe is waited for")
		}
	}
}

// A folder that others can write to is not used, whoever's the entries are, and that is said once.
func TestAttackFolder(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"everybodys":       func(dir string) error { return os.Chmod(dir, 0o777) },
		"everybodys above": func(dir string) error { return os.Chmod(filepath.Dir(dir), 0o777) },
		"sticky":           func(dir string) error { return os.Chmod(dir, 0o777|os.ModeSticky) },
		"another's": func(dir string) error {
			if os.Geteuid() != 0 {
				return os.Chmod(dir, 0o777)
			}
			return os.Chown(dir, 12345, 12345)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "cache")
			get(t, Open(Options{Dir: dir}), 1)
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			before := files(t, dir)
			var log bytes.Buffer
			s := Open(Options{Dir: dir, Limit: 1 << 20, Log: slog.New(slog.NewTextHandler(&log, nil))})
			if n := count(t, s, 1, 1, 2, 2); n != 4 || s.Stats().Disk != 0 {
				t.Errorf("%d of 4 kernels were compiled: %+v", n, s.Stats())
			}
			if after := files(t, dir); fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("written: %v", after)
			}
			if said := log.String(); strings.Count(said, "level=WARN") != 1 ||
				!strings.Contains(said, "folder="+dir) ||
				!strings.Contains(said, "reason=") || !strings.Contains(said, "remedy=") {
				t.Errorf("said: %s", said)
			}
			if s.Check() == nil || s.Generators() != nil {
				t.Error("the folder is used")
			}
			if done, err := s.Import(bytes.NewReader(archive(t, "x"+extension,
				forge(t, 3, "ttir", "ttir")))); err == nil {
				t.Errorf("%+v", done)
			}
		})
	}
}

// A folder of this process's own making is used under any umask.
func TestUmask(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	base := t.TempDir()
	os.Chmod(filepath.Dir(base), 0o755)
	os.Chmod(base, 0o755)
	s := Open(Options{Dir: filepath.Join(base, "x", "cache"), Limit: 1 << 20})
	if count(t, s, 1, 1) != 1 {
		t.Error(s.Check())
	}
	s.noteGenerator("g")
	if len(s.Generators()) != 1 {
		t.Error("generators are not kept")
	}
}

// shelf is a shared level in memory.
type shelf map[string][]byte

func (s shelf) Get(_ context.Context, key string) ([]byte, error) { return s[key], nil }
func (s shelf) Put(_ context.Context, key string, value []byte) error {
	s[key] = value
	return nil
}
func (s shelf) Close() error { return nil }

// With a secret, what others put into the shared level is refused, whatever its form.
func TestSignedShared(t *testing.T) {
	level := shelf{}
	open := func(secret string) (*Store, *bytes.Buffer) {
		log := &bytes.Buffer{}
		return Open(Options{Dir: t.TempDir(), Shared: level, Secret: secret,
			Log: slog.New(slog.NewTextHandler(log, nil))}), log
	}
	s, _ := open("secret")
	get(t, s, 1)
	s.Close()
	key := keyFor(1).String()
	signed := level[key]
	entry, _ := entryFor(1).Encode()
	flipped := bytes.Clone(signed)
	flipped[len(flipped)-1] ^= 1
	other, _ := entryFor(2).Encode()
	for name, c := range map[string]struct {
		secret string
		value  []byte
		used   bool
	}{
		"signed":               {"secret", signed, true},
		"not signed":           {"secret", entry, false},
		"another secret":       {"Secret", signed, false},
		"changed":              {"secret", flipped, false},
		"signature of another": {"secret", append(bytes.Clone(signed[:sealSize]), other...), false},
		"signed twice":         {"secret", Seal("secret", signed), false},
		"cut off":              {"secret", signed[:sealSize-1], false},
		"signature alone":      {"secret", signed[:sealSize], false},
		"not hexadecimal": {"secret",
			append([]byte(sealMagic+strings.Repeat("z", 64)+"\n"), entry...), false},
		"no secret here":          {"", signed, true},
		"no secret anywhere":      {"", entry, true},
		"no secret, signed twice": {"", Seal("x", signed), false},
	} {
		level[key] = c.value
		s, log := open(c.secret)
		if get(t, s, 1) == c.used {
			t.Errorf("%s: used is %v", name, !c.used)
		}
		s.Close()
		if c.secret != "" && !c.used && name != "signed twice" && name != "signature alone" &&
			strings.Count(log.String(), "level=WARN") != 1 {
			t.Errorf("%s: said %s", name, log)
		}
		if !c.used && !bytes.Equal(level[key], Seal(c.secret, entry)) {
			t.Errorf("%s: the entry was not replaced", name)
		}
	}
}

// With a secret, archives are signed, and those that are not are refused.
func TestSignedArchive(t *testing.T) {
	export := func(secret string) []byte {
		s := Open(Options{Dir: t.TempDir(), Secret: secret, noSync: true})
		count(t, s, 1, 2)
		list, _ := s.List()
		var b bytes.Buffer
		if n, err := s.Export(&b, list); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		return b.Bytes()
	}
	for _, c := range []struct {
		made, read string
		taken      int
	}{{"a", "a", 2}, {"", "a", 0}, {"a", "b", 0}, {"a", "", 2}, {"", "", 2}} {
		s := Open(Options{Dir: t.TempDir(), Secret: c.read, noSync: true})
		done, err := s.Import(bytes.NewReader(export(c.made)))
		if err != nil || done.Taken != c.taken || done.Refused != 2-c.taken ||
			(done.Why == nil) != (c.taken == 2) {
			t.Errorf("signed by %q, read by %q: %+v, %v", c.made, c.read, done, err)
		}
		if n := count(t, s, 1, 2); n != 2-c.taken {
			t.Errorf("signed by %q, read by %q: %d compiled", c.made, c.read, n)
		}
	}
}

// Entries dated in the future are neither pinned nor treated as just used.
func TestFutureTimes(t *testing.T) {
	const limit = 150_000
	dir := t.TempDir()
	s := Open(Options{Dir: dir, noSync: true})
	future := time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 20 {
		get(t, s, i)
		if err := os.Chtimes(s.path(keyFor(i)), future, future); err != nil {
			t.Fatal(err)
		}
	}
	get(t, s, 7) // its time is set right
	s = Open(Options{Dir: dir, Limit: limit, noSync: true})
	for i := 100; i < 103; i++ {
		get(t, s, i)
		if get(t, s, i) {
			t.Errorf("entry %d is evicted, those of 2050 stay", i)
		}
	}
	if get(t, s, 7) {
		t.Error("an entry in use is evicted")
	}
	list, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range list {
		if info, err := os.Stat(it.path); err != nil || info.ModTime().After(time.Now().Add(time.Minute)) {
			t.Errorf("%s is still dated %v", it.Key, info.ModTime())
		}
	}
	if n := total(t, s); n > limit+limit/16+30000 {
		t.Errorf("%d bytes are kept, the limit is %d", n, limit)
	}
	for i := 200; i < 240; i++ { // what was dated so has aged: nothing of it is left
		get(t, s, i)
	}
	for i := range 20 {
		if _, err := os.Stat(s.path(keyFor(i))); err == nil {
			t.Errorf("entry %d is there still", i)
		}
	}
}

// An entry that was found in the shared level is on disk from then on.
func TestSharedStays(t *testing.T) {
	level, dir := shelf{}, t.TempDir()
	first := Open(Options{Dir: t.TempDir(), Shared: level, noSync: true})
	get(t, first, 1)
	first.Close()
	second := Open(Options{Dir: dir, Shared: level, noSync: true})
	if get(t, second, 1) || second.Stats().Shared != 1 {
		t.Errorf("not found in the shared level: %+v", second.Stats())
	}
	second.Close()
	if alone := Open(Options{Dir: dir, noSync: true}); get(t, alone, 1) || alone.Stats().Disk != 1 {
		t.Errorf("not on disk: %+v", alone.Stats())
	}
}
