package txtest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Case is one txtar file: a comment that says what is shown and sets options, then named sections of input
// and of expected output.
type Case struct {
	Path    string
	archive *txtar.Archive
}

// Run loads each txtar file that matches a pattern, relative to the package's own folder, and calls f in a
// subtest named after the file. No match is a failure.
func Run(t *testing.T, pattern string, f func(t *testing.T, c *Case)) {
	t.Helper()
	for _, path := range glob(t, filepath.FromSlash(pattern)) {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		t.Run(name, func(t *testing.T) { f(t, Load(t, path)) })
	}
}

// Load reads one txtar file.
func Load(t testing.TB, path string) *Case {
	t.Helper()
	return &Case{Path: path, archive: txtar.Parse([]byte(Read(t, path)))}
}

// Comment is the text above the first section.
func (c *Case) Comment() string { return string(c.archive.Comment) }

// Option is the value of a comment line `# key: value`, and whether there is one.
func (c *Case) Option(key string) (string, bool) {
	for line := range strings.Lines(c.Comment()) {
		if value, ok := strings.CutPrefix(line, "# "+key+":"); ok {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// Names lists the sections in order.
func (c *Case) Names() []string {
	names := make([]string, len(c.archive.Files))
	for i, f := range c.archive.Files {
		names[i] = f.Name
	}
	return names
}

// Has reports whether there is a section of that name.
func (c *Case) Has(name string) bool { return c.section(name) != nil }

// Text is the text of a section, which must be there.
func (c *Case) Text(t testing.TB, name string) string {
	t.Helper()
	f := c.section(name)
	if f == nil {
		t.Fatalf("%s: no section %s", c.Path, name)
	}
	return string(f.Data)
}

// Want compares got with a section, or writes it there when expected output is being refreshed; a section
// that is missing is then appended. Text in an archive ends in a newline, so one that lacks it is given
// one.
func (c *Case) Want(t testing.TB, name, got string) {
	t.Helper()
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if !Updating() {
		Equal(t, c.Path+": "+name, c.Text(t, name), got)
		return
	}
	if len(txtar.Parse([]byte(got)).Files) > 0 {
		t.Fatalf("%s: %s has a line that looks like the start of a section", c.Path, name)
	}
	if f := c.section(name); f != nil {
		f.Data = []byte(got)
	} else {
		c.archive.Files = append(c.archive.Files, txtar.File{Name: name, Data: []byte(got)})
	}
	write(t, c.Path, string(txtar.Format(c.archive)))
}

func (c *Case) section(name string) *txtar.File {
	for i := range c.archive.Files {
		if f := &c.archive.Files[i]; f.Name == name {
			return f
		}
	}
	return nil
}
