package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// lost finds what a kernel that was written out refers to and its file lacks: the recording program writes
// the helpers that the kernel names, not those that they name in turn. They are looked for in the modules
// below the root, then in those of Triton that are written in its language.
type lost struct {
	root    string
	defined map[string][]string // names at the top of modules → files, in order
}

var (
	undefinedName = regexp.MustCompile(`error: (\w+) is not defined`)
	topLevelName  = regexp.MustCompile(`(?m)^(?:def|class)[ \t]+(\w+)|^(\w+)(?:[ \t]*:[^=\n]+)?[ \t]*=[^=]`)
)

const (
	maxLost     = 32      // names that one kernel may lack
	maxLostFile = 1 << 20 // bytes of a module that is looked into
)

// complete replays a case again with the names that its file lacks. It returns the error it was given when
// it can do nothing.
func (r *replayer) complete(c *replay.Case, err error,
	again func(*nereid.Kernel) (float64, error)) (float64, error) {
	if !strings.HasPrefix(c.File, "@/") || r.from.stage != "" {
		return 0, err
	}
	file := filepath.ToSlash(c.Source(r.root))
	src, e := safefile.Read(file, maxInput)
	if e != nil {
		return 0, err
	}
	opts := []nereid.LoadOption{nereid.Roots(r.root, pyrun.ProjectRoot(file)), r.env.load()}
	for range maxLost {
		name := undefinedName.FindStringSubmatch(err.Error())
		if name == nil {
			break
		}
		module, dir := r.lost.find(name[1], src)
		if module == "" {
			break
		}
		src = append(src, "\nfrom "+module+" import "+name[1]+"\n"...)
		if dir != "" {
			opts = append(opts, nereid.Roots(dir))
		}
		k, e := kernelOf(file, src, c.Kernel, opts)
		if e != nil {
			return 0, err
		}
		var worst float64
		if worst, err = again(k); err == nil {
			return worst, nil
		}
	}
	return 0, err
}

func kernelOf(file string, src []byte, name string, opts []nereid.LoadOption) (*nereid.Kernel, error) {
	m, err := nereid.Parse(file, src, opts...)
	if err != nil {
		return nil, err
	}
	return m.Kernel(name)
}

// find is the module that defines a name, and the folder to import it from, "" for a module of Triton: of
// several below the root, the one that shares most definitions with the source.
func (l *lost) find(name string, src []byte) (module, dir string) {
	if l.defined == nil {
		l.index()
	}
	shared := map[string]int{}
	for def := range topLevel(src) {
		for _, file := range l.defined[def] {
			shared[file]++
		}
	}
	files := slices.Clone(l.defined[name])
	if len(files) == 0 {
		return world.Defining(name), ""
	}
	slices.SortStableFunc(files, func(a, b string) int { return shared[b] - shared[a] })
	return moduleName(files[0])
}

// index reads the modules below the root.
func (l *lost) index() {
	l.defined = map[string][]string{}
	filepath.WalkDir(l.root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
		case d.IsDir() && path != l.root && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.Type().IsRegular() && filepath.Ext(path) == ".py":
			if info, err := d.Info(); err != nil || info.Size() > maxLostFile {
				return nil
			}
			src, _ := safefile.Read(path, maxLostFile)
			for name := range topLevel(src) {
				l.defined[name] = append(l.defined[name], path)
			}
		}
		return nil
	})
}

// topLevel are the names that a module defines at its top.
func topLevel(src []byte) map[string]bool {
	names := map[string]bool{}
	for _, m := range topLevelName.FindAllSubmatch(src, -1) {
		names[string(m[1])+string(m[2])] = true
	}
	return names
}

// moduleName is how a file is imported, and from where.
func moduleName(file string) (module, dir string) {
	dir = filepath.Dir(file)
	module = strings.TrimSuffix(filepath.Base(file), ".py")
	for {
		if _, err := os.Stat(filepath.Join(dir, "__init__.py")); err != nil {
			break
		}
		if module == "__init__" {
			module = filepath.Base(dir)
		} else {
			module = filepath.Base(dir) + "." + module
		}
		dir = filepath.Dir(dir)
	}
	return module, filepath.ToSlash(dir)
}
