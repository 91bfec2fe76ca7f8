package pyrun

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// DirFinder returns a Finder of modules below the given folders of the computer, and nowhere else: whatever
// sys.path, a relative import or a link says, a file is read only if it really lies below one of them.
// Without folders it finds nothing.
func DirFinder(roots ...string) Finder {
	f := &dirFinder{}
	for _, r := range roots {
		abs, err := filepath.Abs(filepath.FromSlash(r))
		if err != nil {
			continue
		}
		f.roots = append(f.roots, filepath.ToSlash(r))
		f.abs = append(f.abs, abs)
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			f.real = append(f.real, real)
		}
	}
	return f
}

// dirFinder knows its roots as they were given, as absolute paths, and as paths without links.
type dirFinder struct{ roots, abs, real []string }

// Searched returns the folders for messages.
func (f *dirFinder) Searched() []string { return f.roots }

// find returns the root that really holds a file or folder, and the path below it.
func (f *dirFinder) find(name string) (root, rel string, ok bool) {
	abs, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil || !isBelow(f.abs, abs) && !isBelow(f.real, abs) {
		return "", "", false
	}
	if _, err := os.Lstat(abs); err != nil { // most names that are asked for are not there
		return "", "", false
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", "", false
	}
	for _, r := range f.real {
		if rel, err := filepath.Rel(r, real); err == nil && filepath.IsLocal(rel) {
			return r, rel, true
		}
	}
	return "", "", false
}

func isBelow(roots []string, name string) bool {
	for _, r := range roots {
		if rel, err := filepath.Rel(r, name); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// maxFile bounds the bytes that are read of a file; no Python text is as large.
const maxFile = 64 << 20

// ReadFile reads through an os.Root, so that a link that appears after find has looked leads nowhere else.
func (f *dirFinder) ReadFile(name string) ([]byte, error) {
	dir, rel, ok := f.find(name)
	if !ok {
		return nil, fmt.Errorf("%s is not below %s", name, strings.Join(f.roots, ", "))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if st, err := root.Stat(rel); err != nil || !st.Mode().IsRegular() { // opening a pipe would wait
		return nil, fmt.Errorf("%s is no regular file", name)
	}
	file, err := root.Open(rel)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	src, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(src) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	return src, err
}

func (f *dirFinder) Folders(dir string) []string {
	root, rel, ok := f.find(dir)
	if !ok {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Join(root, rel))
	return folders(entries)
}

func (f *dirFinder) IsFile(name string) bool {
	root, rel, ok := f.find(name)
	if !ok {
		return false
	}
	st, err := os.Stat(filepath.Join(root, rel))
	return err == nil && st.Mode().IsRegular()
}

func (f *dirFinder) IsDir(name string) bool {
	root, rel, ok := f.find(name)
	if !ok {
		return false
	}
	st, err := os.Stat(filepath.Join(root, rel))
	return err == nil && st.IsDir()
}

// projectFiles mark the folder of a project.
var projectFiles = []string{"pyproject.toml", "setup.py", "setup.cfg", ".git"}

// ProjectRoot returns the folder in which the imports of a file on disk are looked for when nothing else is
// said: that of the project around it, which a pyproject.toml, setup.py, setup.cfg or .git marks, or else the
// one that holds the file's outermost package, or else the file's own.
func ProjectRoot(file string) string {
	dir, err := filepath.Abs(filepath.Dir(filepath.FromSlash(file)))
	if err != nil {
		return filepath.Dir(file)
	}
	for exists(dir, "__init__.py") && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	for d := dir; d != filepath.Dir(d); d = filepath.Dir(d) {
		for _, name := range projectFiles {
			if exists(d, name) {
				return d
			}
		}
	}
	return dir
}

func exists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
