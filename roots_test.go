package nereid_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// rootsTree makes a project beside a folder with a secret. Folders: outside, proj (with a package pkg, marked
// or not).
func rootsTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "$DIR", filepath.ToSlash(dir))),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// usesSecret is a kernel whose code has the value of SECRET in it, if that could be read.
func usesSecret(imports string) string {
	return imports + "\nimport triton\nimport triton.language as tl\nC = tl.constexpr(SECRET)\n" +
		"@triton.jit\ndef k(x):\n    tl.store(x, C)\n"
}

// TestImportsStayInRoots: whatever a text says, only files below the roots are read.
func TestImportsStayInRoots(t *testing.T) {
	attacks := map[string]string{
		"sys.path.insert": "import sys\nsys.path.insert(0, '$DIR/outside')\nfrom secret import SECRET",
		"sys.path.append": "import sys, os\n" +
			"sys.path.append(os.path.join('$DIR', 'proj', '..', 'outside'))\nfrom secret import SECRET",
		"importlib": "import sys, importlib\nsys.path.insert(0, '$DIR/outside')\n" +
			"SECRET = importlib.import_module('secret').SECRET",
		"relative":      "from ...outside.secret import SECRET",
		"far relative":  "from ......outside.secret import SECRET",
		"folder around": "from outside.secret import SECRET",
		"link":          "from linked import SECRET",
		"linked folder": "from linkedpkg.secret import SECRET",
	}
	for name, imports := range attacks {
		t.Run(name, func(t *testing.T) {
			dir := rootsTree(t, map[string]string{"outside/secret.py": "SECRET = 42\n",
				"proj/pyproject.toml": "", "proj/pkg/__init__.py": "", "proj/pkg/k.py": usesSecret(imports)})
			if err := os.Symlink(filepath.Join(dir, "outside/secret.py"),
				filepath.Join(dir, "proj/linked.py")); err != nil {
				txtest.NotHere(t, "no symbolic links: %v", err)
			}
			if err := os.Symlink(filepath.Join(dir, "outside"),
				filepath.Join(dir, "proj/linkedpkg")); err != nil {
				txtest.NotHere(t, "no symbolic links: %v", err)
			}
			file := filepath.Join(dir, "proj/pkg/k.py")
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for how, load := range map[string]func() (*nereid.Module, error){
				"Load":  func() (*nereid.Module, error) { return nereid.Load(file) },
				"Parse": func() (*nereid.Module, error) { return nereid.Parse(filepath.ToSlash(file), src) },
				"Parse Roots": func() (*nereid.Module, error) {
					return nereid.Parse("k.py", src, nereid.Roots(filepath.Join(dir, "proj")))
				},
				"LoadFS": func() (*nereid.Module, error) {
					return nereid.LoadFS(os.DirFS(filepath.Join(dir, "proj/pkg")), "k.py")
				},
			} {
				if got := secretOf(t, load); got != "" {
					t.Errorf("%s read the secret: %s", how, got)
				}
			}
		})
	}
}

// secretOf is the Triton IR of the kernel if it could be made.
func secretOf(t *testing.T, load func() (*nereid.Module, error)) string {
	t.Helper()
	m, err := load()
	if err != nil {
		return ""
	}
	k, err := m.Kernel("k")
	if err != nil {
		return ""
	}
	c, err := k.CompileFor(t.Context(), "interp", "*i32", nereid.Options{}, "source")
	if err != nil || !strings.Contains(string(c.Stages[0].Text), "arith.constant 42") {
		return ""
	}
	return string(c.Stages[0].Text)
}

// TestImportsInRoots: files as projects have them are found: beside the kernel, in its package, in the
// project, by links inside it, and in folders that are named.
func TestImportsInRoots(t *testing.T) {
	files := map[string]string{
		"proj/pyproject.toml": "", "proj/pkg/__init__.py": "", "proj/pkg/ops/__init__.py": "",
		"proj/pkg/consts.py":   "SECRET = 42\n",
		"proj/pkg/ops/near.py": "SECRET = 42\n", "proj/tools/other.py": "SECRET = 42\n",
		"proj/src/lib/__init__.py": "SECRET = 42\n",
		"elsewhere/far.py":         "SECRET = 42\n", "loose/near.py": "SECRET = 42\n",
	}
	for _, c := range []struct {
		file, imports string
		roots         []string
	}{
		{"proj/pkg/ops/k.py", "from pkg.consts import SECRET", nil},
		{"proj/pkg/ops/k.py", "from ..consts import SECRET", nil},
		{"proj/pkg/ops/k.py", "from .near import SECRET", nil},
		{"proj/pkg/ops/k.py", "from pkg.ops import near\nSECRET = near.SECRET", nil},
		{"proj/pkg/ops/k.py", "from tools.other import SECRET", nil},
		{"proj/pkg/ops/k.py", "from lib import SECRET", nil},
		{"proj/bench/k.py", "import sys\nsys.path.insert(0, '$DIR/proj/tools')\nfrom other import SECRET",
			nil},
		{"proj/pkg/ops/k.py", "from far import SECRET", []string{"elsewhere"}},
		{"loose/k.py", "from near import SECRET", nil},
		{"loose/k.py", "import near\nSECRET = near.SECRET", nil},
	} {
		files[c.file] = usesSecret(c.imports)
		dir := rootsTree(t, files)
		var opts []nereid.LoadOption
		for _, r := range c.roots {
			opts = append(opts, nereid.Roots(filepath.Join(dir, r)))
		}
		if secretOf(t, func() (*nereid.Module, error) {
			return nereid.Load(filepath.Join(dir, c.file), opts...)
		}) == "" {
			t.Errorf("%s: %s: not found", c.file, c.imports)
		}
	}
}

// TestImportError names the module, the folders that were searched, and how to name another.
func TestImportError(t *testing.T) {
	text := "from nowhere import N\nimport triton\nimport triton.language as tl\n@triton.jit\ndef k(x):\n" +
		"    tl.store(x, N)\n"
	dir := rootsTree(t, map[string]string{"k.py": text})
	parsed, err := nereid.Parse("k.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := nereid.Load(filepath.Join(dir, "k.py"))
	if err != nil {
		t.Fatal(err)
	}
	for want, m := range map[string]*nereid.Module{"a text without a file has no folder": parsed,
		"it was looked for below " + dir: loaded} {
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.CompileFor(t.Context(), "interp", "*i32", nereid.Options{}, "source")
		for _, w := range []string{"nowhere", filepath.ToSlash(want), "nereid.Roots or --root"} {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("the error does not say %q: %v", w, err)
			}
		}
	}
}
