package view

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/safefile"
)

// Files are the sources that lines of stages come from.
type Files struct {
	list []File
	at   map[string]int // by absolute path; -1 for a file that cannot be shown
	std  func(name string) ([]byte, bool)
}

// maxFile bounds a source that is shown beside the kernel's own.
const maxFile = 1 << 20

// NewFiles returns files whose first is the kernel's. std returns a file of the language's library, which is
// on no disk.
func NewFiles(name string, text []byte, std func(name string) ([]byte, bool)) *Files {
	f := &Files{at: map[string]int{}, std: std}
	f.at[absolute(name)] = 0
	f.list = []File{{Name: shown(name), Text: string(text)}}
	return f
}

func absolute(name string) string {
	if a, err := filepath.Abs(name); err == nil {
		return a
	}
	return name
}

// shown is the name of a file in a page: relative to the folder where the command runs, if it lies below it.
func shown(name string) string {
	if dir, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(dir, absolute(name)); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.Base(name)
}

// index returns the index of a file, or -1 if it cannot be shown.
func (f *Files) index(name string) int {
	if i, ok := f.at[name]; ok {
		return i
	}
	key := absolute(name)
	i, ok := f.at[key]
	if !ok {
		i = f.read(name)
	}
	f.at[key], f.at[name] = i, i
	return i
}

func (f *Files) read(name string) int {
	text, ok := f.std(name)
	label := filepath.ToSlash(name)
	if !ok {
		var err error
		if text, err = safefile.Read(name, maxFile); err != nil {
			return -1
		}
		label = shown(name)
	}
	f.list = append(f.list, File{label, string(text)})
	return len(f.list) - 1
}

// link returns places as pairs of a file's index and a line.
func (f *Files) link(places []Place) []int {
	out := []int{} // null would not do for the page
	for _, p := range places {
		if i := f.index(p.File); i >= 0 {
			out = append(out, i, p.Line)
		}
	}
	return out
}

// own returns a place of the kernel's own file as a pair, and nothing for any other.
func (f *Files) own(p Place) []int {
	if i, ok := f.at[absolute(p.File)]; ok && i == 0 {
		return []int{0, p.Line}
	}
	return nil
}

func itoa(n int) string { return strconv.Itoa(n) }

// short returns a place with the name of the file alone.
func short(p Place) string { return filepath.Base(p.File) + ":" + itoa(p.Line) }

// List returns the files that were named.
func (f *Files) List() []File { return f.list }

// parsePlace reads "softmax.py:11:16".
func parsePlace(text string) Place {
	rest, _, ok := cutLast(text)
	file, line, ok2 := cutLast(rest)
	n, err := strconv.Atoi(line)
	if !ok || !ok2 || err != nil {
		return Place{}
	}
	return Place{file, n}
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
