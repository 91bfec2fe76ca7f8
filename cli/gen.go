package cli

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/gen"
	"github.com/nereid-lang/nereid/internal/safefile"
)

type genFlags struct {
	output, pkg    string
	kernels, roots []string
	types          map[string]string
}

func newGenCmd() *cobra.Command {
	f := &genFlags{}
	cmd := &cobra.Command{
		Use:   "gen FILE.py [-o kernels_gen.go]",
		Short: "Writes a typed Go function for each kernel of a file",
		Long: "Writes a Go file with one function for each kernel: tensors, integers and floats have Go's\n" +
			"types, compile-time arguments and options are a struct, a wrong argument does not compile,\n" +
			"and a launch allocates nothing. The kernels' source is embedded; for softmax.py,\n" +
			"SoftmaxPy.Load gives the functions a Config.\n\n" +
			"The generator infers a parameter's Go type from how the kernel uses it; --type overrides\n" +
			"the inference.",
		Example: "  //go:generate go tool nereid gen softmax.py -o softmax_gen.go\n" +
			"  nereid gen softmax.py -o - --type softmax_kernel.n_cols=int",
		Args: one("a file: FILE.py"),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.output, "output", "o", "", "file to write, - for standard output (default: FILE_gen.go)")
	fs.StringVar(&f.pkg, "package", "", "name of the package (default: $GOPACKAGE, or the output's folder)")
	fs.StringSliceVar(&f.kernels, "kernel", nil, "kernels to write (default: those that no other calls)")
	fs.StringSliceVar(&f.roots, "root", nil, "folders in which imports are looked for")
	fs.StringToStringVar(&f.types, "type", nil, "KERNEL.PARAM=TYPE: tensor, descriptor, int, float, bool, "+
		"string, dtype or any")
	return cmd
}

func (f *genFlags) run(cmd *cobra.Command, file string) error {
	src, err := safefile.Read(file, maxInput)
	if err != nil {
		return err
	}
	if f.output == "" {
		f.output = strings.TrimSuffix(file, ".py") + "_gen.go"
	}
	o := gen.Options{Package: f.packageName(), Kernels: f.kernels, Types: f.types, Roots: f.roots}
	if o.Files, o.Path, err = imports(file, f.roots); err != nil {
		return err
	}
	out, err := gen.Go(filepath.ToSlash(file), src, o)
	if err != nil {
		return err
	}
	if f.output == "-" {
		_, err = cmd.OutOrStdout().Write(out)
		return err
	}
	if err := os.WriteFile(f.output, out, 0o666); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), f.output)
	return nil
}

// imports are the modules that a file needs, and its own path among them: those below its folder, or below
// the one that the packages it belongs to lie in, and those of other folders.
func imports(file string, roots []string) (files map[string]string, name string, err error) {
	root, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, "", err
	}
	name = filepath.Base(file)
	up := func() { root, name = filepath.Dir(root), path.Join(filepath.Base(root), name) }
	for isPackage(root) {
		up()
	}
	for range 16 {
		all := gen.Union{os.DirFS(root)}
		for _, r := range roots {
			all = append(all, os.DirFS(r))
		}
		files, err = gen.Imports(all, name)
		if !errors.Is(err, gen.ErrAbove) || filepath.Dir(root) == root {
			break
		}
		up()
	}
	return files, name, err
}

// isPackage reports whether a folder is a package of Python's.
func isPackage(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "__init__.py"))
	return err == nil && filepath.Dir(dir) != dir
}

// packageName is the one that is asked for, or that of the file with the go:generate line, or the folder's.
func (f *genFlags) packageName() string {
	switch {
	case f.pkg != "":
		return f.pkg
	case os.Getenv("GOPACKAGE") != "":
		return os.Getenv("GOPACKAGE")
	}
	if f.output != "-" {
		return packageOf(filepath.Dir(f.output))
	}
	return "kernels"
}

// packageOf returns a name for the package in a folder: the folder's, as far as Go allows it.
func packageOf(dir string) string {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "kernels"
	}
	name := strings.Map(func(r rune) rune {
		if r == '_' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(dir)))
	if name = strings.TrimLeft(name, "0123456789"); name == "" || token.IsKeyword(name) {
		return "kernels"
	}
	return name
}
