package cform

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// LibraryName returns the name that begins the names of a library's functions: "kernels" for libkernels.so.
func LibraryName(path string) string {
	name := strings.TrimPrefix(filepath.Base(path), "lib")
	name, _, _ = strings.Cut(name, ".so")
	name = cName(name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// Link builds a shared library, with the C compiler or else with LLVM and lld, and puts the header beside it.
func (f *Form) Link(ctx context.Context, path string) (header string, err error) {
	dir, err := os.MkdirTemp("", "nereid-so-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if _, err := f.Write(dir); err != nil {
		return "", err
	}
	out := filepath.Join(dir, filepath.Base(path))
	if cc := compiler(); cc != nil {
		err = f.compile(ctx, cc, dir, out)
	} else {
		err = f.link(ctx, dir, out)
	}
	if err != nil {
		return "", err
	}
	library, err := os.ReadFile(out)
	if err != nil {
		return "", err
	}
	header = filepath.Join(filepath.Dir(path), f.Name+".h")
	return header, errors.Join(replace(path, library, 0o755), replace(header, f.header, 0o644))
}

// replace writes a file as a whole: a library that a program has mapped keeps its bytes.
func replace(path string, data []byte, mode os.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".nereid-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

// compiler returns the command of the C compiler: $CC, or the first of cc, gcc and clang that is there; nil
// without any.
func compiler() []string {
	if cc := strings.Fields(os.Getenv("CC")); len(cc) > 0 {
		return cc
	}
	for _, name := range []string{"cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}
		}
	}
	return nil
}

// compile runs the C compiler.
func (f *Form) compile(ctx context.Context, cc []string, dir, out string) error {
	machine, err := exec.CommandContext(ctx, cc[0], append(slices.Clone(cc[1:]), "-dumpmachine")...).Output()
	if err != nil {
		return fmt.Errorf("%s does not run: %w", cc[0], err)
	}
	args := append(slices.Clone(cc[1:]), "-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
		"-ffile-prefix-map="+dir+"=.", "-Wl,-z,defs,-z,noexecstack,-z,relro,-z,now,--build-id=none", "-s",
		"-Wl,-soname,"+filepath.Base(out), "-o", out, f.Name+".c")
	arch, _, _ := strings.Cut(string(machine), "-")
	for i, o := range f.objects {
		if o.arch == arch {
			args = append(args, f.objectName(i))
		}
	}
	cmd := exec.CommandContext(ctx, cc[0], append(args, "-lm", "-ldl", "-lpthread")...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s does not build the library: %w\n%s", cc[0], err, text)
	}
	return nil
}
