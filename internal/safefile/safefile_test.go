//go:build unix

package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func mkdir(t *testing.T, mode os.FileMode, parts ...string) string {
	t.Helper()
	dir := filepath.Join(parts...)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, mode); err != nil {
		t.Fatal(err)
	}
	return dir
}

func link(t *testing.T, target string, parts ...string) string {
	t.Helper()
	name := filepath.Join(parts...)
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
	return name
}

// stranger is an account that owns none of the test's files. Root's files are everybody's to trust, so a test
// that runs as root gives the folder away first.
func stranger(t *testing.T, paths ...string) account {
	t.Helper()
	if os.Geteuid() != 0 {
		return account{os.Geteuid() + 1}
	}
	for _, p := range paths {
		if err := os.Lchown(p, 12345, 12345); err != nil {
			t.Fatal(err)
		}
	}
	return us()
}

func TestCheckFolder(t *testing.T) {
	base := t.TempDir()
	const sticky = os.ModeSticky | 0o777
	for _, c := range []struct{ name, dir, want string }{
		{"ours alone", mkdir(t, 0o700, base, "a"), ""},
		{"read by others", mkdir(t, 0o755, base, "b"), ""},
		{"everybody's", mkdir(t, 0o777, base, "c"), "c is writable by everybody (mode 0777)"},
		{"everybody's, sticky", mkdir(t, sticky, base, "d"), "d is writable by everybody"},
		{"below everybody's", mkdir(t, 0o755, mkdir(t, 0o777, base, "e"), "x"), "e is writable by everybody"},
		{"below a sticky one", mkdir(t, 0o755, mkdir(t, sticky, base, "f"), "x"), ""},
		{"absent", filepath.Join(base, "none"), "no such file"},
		{"a link", link(t, "a", base, "g"), ""},
		{"a link to itself", link(t, ".", mkdir(t, 0o755, base, "h"), "x"), ""},
		{"a link up and down", link(t, "../b/../c", mkdir(t, 0o755, base, "i"), "x"),
			"c is writable by everybody"},
		{"a link to an absolute path", link(t, filepath.Join(base, "c"), base, "j"),
			"c is writable by everybody"},
		{"a link in everybody's folder", filepath.Join(link(t, filepath.Join(base, "a"), base, "c", "x")),
			"c is writable by everybody"},
		{"a loop", link(t, "k", base, "k"), "links"},
		{"below a file", filepath.Join("/etc/passwd", "x"), "not a directory"},
	} {
		err := CheckFolder(c.dir)
		if c.want == "" && err == nil {
			continue
		}
		if c.want == "" || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		var f *FolderError
		if strings.Contains(c.want, "writable") &&
			(!errors.As(err, &f) || f.Dir != c.dir || !strings.HasPrefix(f.Remedy, "chmod go-w /")) {
			t.Errorf("%s: %#v", c.name, err)
		}
	}
}

// A folder that another user owns, or a link, or a folder above, is refused.
func TestCheckFolderOwner(t *testing.T) {
	base := t.TempDir()
	dir := mkdir(t, 0o755, base, "theirs", "below")
	l := link(t, filepath.Join(base, "theirs"), base, "link")
	who := stranger(t, dir, l)
	for _, d := range []string{dir, filepath.Join(l, "below")} {
		if err := who.checkFolder(d); err == nil || !strings.Contains(err.Error(), "belongs to user") {
			t.Errorf("%s: %v", d, err)
		}
	}
}

// TestCheckFolderLink: whoever owns a link on the way to a folder can lead it elsewhere, even if all folders
// are ours. Only root can give the link, and no folder, to another user.
func TestCheckFolderLink(t *testing.T) {
	base := t.TempDir()
	mkdir(t, 0o755, base, "ours", "below")
	l := link(t, "ours", base, "link")
	who := stranger(t, l)
	for _, d := range []string{l, filepath.Join(l, "below")} {
		if err := who.checkFolder(d); err == nil || !strings.Contains(err.Error(), "belongs to user") {
			t.Errorf("%s: %v", d, err)
		}
	}
}

// Group members of a private group are nobody else.
func TestCheckFolderGroup(t *testing.T) {
	dir := mkdir(t, 0o775, t.TempDir(), "g")
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	uid, gid, _ := owner(info)
	if err := CheckFolder(dir); (err == nil) != privateGroup(uid, gid) {
		t.Error(err)
	}
	if privateGroup(uid, 54321) {
		t.Error("a group that is not there is private")
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, n int, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	good := write("good", 100, 0o644)
	for _, c := range []struct {
		name, path     string
		plain, trusted string // what is wrong
	}{
		{"good", good, "", ""},
		{"too large", write("large", 101, 0o644), "larger than 100", "larger than 100"},
		{"everybody's", write("open", 1, 0o666), "", "writable by everybody"},
		{"pipe", pipe, "a pipe", "a pipe"},
		{"folder", dir, "a folder", ""},
		{"link", link(t, "good", dir, "link"), "", "is a link"},
		{"endless", link(t, "/dev/zero", dir, "zero"), "a device", "is a link"},
		{"absent", filepath.Join(dir, "none"), "no such file", "no such file"},
	} {
		begin := time.Now()
		for _, f := range []struct {
			read func(string, int64) ([]byte, error)
			want string
		}{{Read, c.plain}, {ReadTrusted, c.trusted}} {
			if c.name == "folder" && f.want == "" {
				continue
			}
			_, err := f.read(c.path, 100)
			if (err == nil) != (f.want == "") || err != nil && !strings.Contains(err.Error(), f.want) {
				t.Errorf("%s: %v, want %q", c.name, err, f.want)
			}
			if err != nil && !errors.Is(err, ErrRefused) && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v is no refusal", c.name, err)
			}
		}
		if time.Since(begin) > 5*time.Second {
			t.Errorf("%s was waited for", c.name)
		}
	}
	if _, err := ReadNamed("/dev/zero", 1000); !errors.Is(err, ErrRefused) {
		t.Error("an endless file is read:", err)
	}
	if data, err := ReadTrusted(good, 100); len(data) != 100 || err != nil {
		t.Error(len(data), err)
	}
	// a file that says it is empty
	if data, err := Read("/proc/self/status", 1<<20); len(data) == 0 || err != nil {
		t.Error(len(data), err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTrusted(good, 100); err == nil {
		t.Error("a file of everybody's folder is trusted")
	}
}

func TestReadOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	who := stranger(t, path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if why := who.distrust(info, strict); !strings.HasPrefix(why, belongs) {
		t.Errorf("%q", why)
	}
}

func TestName(t *testing.T) {
	for text, want := range map[string]string{
		"add_kernel": "add_kernel", "../../etc/passwd": "_.._etc_passwd", "..": "", "a\x00b\\c:d": "a_b_c_d",
		"größe":                  "gr__e",
		strings.Repeat("x", 200): strings.Repeat("x", maxName),
	} {
		if got := Name(text); got != want || !filepath.IsLocal("x"+got) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func BenchmarkCheckFolder(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		if err := CheckFolder(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReadFS: of a file system, too, only regular files of bounded size are read, and a pipe is not waited
// for.
func TestReadFS(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"small": "12345678", "large": "123456789"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link(t, "/dev/zero", dir, "zero")
	for _, c := range []struct{ name, want string }{
		{"small", ""}, {"large", "larger than 8 bytes"}, {"pipe", "but a pipe"}, {"zero", "but a device"},
		{".", "but a folder"},
	} {
		data, err := ReadFS(os.DirFS(dir), c.name, 8)
		if c.want == "" && (err != nil || string(data) != "12345678") ||
			c.want != "" && (!errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %q, %v, want %q", c.name, data, err, c.want)
		}
	}
}
