package world

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"math/big"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/triton"
)

// Target is the machine that kernels are compiled for, as far as the language shows it.
type Target struct {
	Backend  string // "cuda" or "hip"
	Arch     int    // 90 for sm_90; 0 for hip
	Chip     string // "gfx942"; empty for cuda
	WarpSize int
}

// DefaultTarget is what kernels see where nothing else is said: an sm_90 GPU.
var DefaultTarget = Target{Backend: "cuda", Arch: 90, WarpSize: 32}

// Row returns the row of the target's GPU. A back end from outside has that of its compute capability.
func (t Target) Row() chip.Chip { return chip.Row(t.Backend, t.Arch, t.Chip) }

// capability returns the compute capability; ok is false if the target is no GPU of CUDA's.
func (t Target) capability() (n int, ok bool) {
	c := t.Row()
	return c.Capability, c.Backend == t.Backend && c.Capability > 0
}

// Name returns what torch.cuda.get_device_name would return.
func (t Target) Name() string { return t.Row().Card }

// LoadOptions says where a file's imports are found and which environment its conditions see.
type LoadOptions struct {
	FS fs.FS // where imported modules are; nil: the folders of the operating system
	// the file is one of the operating system: its project (pyrun.ProjectRoot) is searched too
	OnDisk bool
	Roots  []string          // more folders to search
	Env    map[string]string // os.environ
	Limits budget.Limits     // limits of source text here, and of what is evaluated before a compilation

	// Triton is the release of the language, whatever the file says; Fallback that of a file that names none
	Triton, Fallback triton.Version
}

// badVersion reports that a file asks for a release that there is not.
func badVersion(name string, src []byte, err error) error {
	files := diag.NewFileSet()
	f := files.AddFile(name, src)
	at := max(bytes.Index(src, []byte(triton.LinePrefix)), 0)
	return &diag.List{Files: files, Diags: []diag.Diagnostic{{Code: sem.CodeVersion, Msg: err.Error(),
		Span: diag.Span{Start: f.Pos(at), End: f.Pos(min(at+len(triton.LinePrefix), len(src)))}}}}
}

// version returns the release of the language for a file.
func (o *LoadOptions) version(src []byte) (triton.Version, error) {
	v := o.Triton
	if v == (triton.Version{}) {
		var err error
		if v, err = triton.OfFile(src); err != nil {
			return v, err
		}
	}
	return v.Or(o.Fallback).Or(triton.Default), nil
}

// Source is a file with kernels. It is parsed once; nothing in it is evaluated before a kernel is asked for.
// It may be used from several goroutines.
type Source struct {
	Name   string
	files  *diag.FileSet
	syntax *python.Module
	opts   LoadOptions

	version triton.Version

	mu     sync.Mutex
	bytes  int // bytes of source text read so far
	parsed map[string]parsedFile
	params map[string][]Param
	debug  map[string]bool

	shared bool   // between Share and the end that it returns
	common *World // of that time; nil before its first use
}

type parsedFile struct {
	m   *python.Module
	err error
}

// Load parses a file. The error is a *diag.List.
func Load(name string, src []byte, opts LoadOptions) (*Source, error) {
	opts.Limits = opts.Limits.WithDefaults()
	if err := budget.New(context.Background(), opts.Limits).CheckSource(len(src), name); err != nil {
		return nil, err
	}
	version, err := opts.version(src)
	if err != nil {
		return nil, badVersion(name, src, err)
	}
	s := &Source{bytes: len(src), Name: name, files: libraryOf(version).files.Fork(), opts: opts,
		version: version,
		parsed:  map[string]parsedFile{}, params: map[string][]Param{}, debug: map[string]bool{}}
	m, err := python.Parse(s.files, name, src)
	if err != nil {
		return nil, err
	}
	s.syntax = m
	return s, nil
}

func (s *Source) finder() pyrun.Finder {
	if s.opts.FS != nil {
		return pyrun.FSFinder(s.opts.FS)
	}
	roots := s.opts.Roots
	if s.opts.OnDisk {
		roots = append([]string{pyrun.ProjectRoot(s.Name)}, roots...)
	}
	return pyrun.DirFinder(roots...)
}

// meter returns the bounds of what is evaluated outside of a compilation: parameters and decorators.
func (s *Source) meter() *budget.Meter { return budget.New(context.Background(), s.opts.Limits) }

// Share has all that is asked of the source see one world, up to the call of end: a statement of the file, or
// of one that it imports, is evaluated once for all kernels, as in a process of Python's, not once for each
// question about each kernel. Until the end the source belongs to one goroutine.
func (s *Source) Share() (end func()) {
	s.shared = true
	return func() { s.shared, s.common = false, nil }
}

// World returns a world for one use, bounded by a meter: a new one, or the one that is shared.
func (s *Source) World(target Target, meter *budget.Meter) *World {
	if !s.shared {
		return New(s, target, meter)
	}
	if s.common == nil || s.common.target != target {
		s.common = New(s, target, meter)
	}
	s.common.meter = meter
	s.common.In.Refill()
	return s.common
}

// parse reads an imported file, once for all compilations.
func (s *Source) parse(files *diag.FileSet, name string, src []byte) (*python.Module, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.parsed[name]; ok {
		return p.m, p.err
	}
	if err := s.meter().CheckSource(s.bytes+len(src), name); err != nil {
		panic(&budget.Stop{Err: err}) // no try statement is to catch it
	}
	s.bytes += len(src)
	m, err := python.Parse(files, name, src)
	s.parsed[name] = parsedFile{m, err}
	return m, err
}

// Module returns the source as a module of a world.
func (s *Source) Module(w *World) *pyrun.Module {
	return w.Eval.AddModule(filepath.ToSlash(s.Name), s.syntax)
}

// Names returns the functions that look like kernels: those under a decorator that ends in jit, in the order
// of the file.
func (s *Source) Names() []string {
	var out []string
	each(s.syntax.Body, func(d *python.FunctionDef) {
		if slices.ContainsFunc(d.DecoratorList, looksLikeJIT) && !slices.Contains(out, d.Name) {
			out = append(out, d.Name)
		}
	})
	return out
}

func looksLikeJIT(d python.Expr) bool {
	if c, ok := d.(*python.Call); ok {
		d = c.Func
	}
	switch d := d.(type) {
	case *python.Attribute:
		return d.Attr == "jit"
	case *python.Name:
		return d.ID == "jit"
	}
	return false
}

// Version returns the release of the language.
func (s *Source) Version() triton.Version { return s.version }

// Files returns the set that positions in diagnostics refer to.
func (s *Source) Files() *diag.FileSet { return s.files }

// definition returns the place where the file first binds a name of its own: a function, a class, an import
// or a variable.
func (s *Source) definition(name string) diag.Span {
	at := diag.Span{}
	found := func(n string, r python.Range) {
		if n == name && !at.Start.IsValid() {
			at = r.Span()
		}
	}
	python.Inspect(s.syntax, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.FunctionDef:
			found(n.Name, n.NamePos)
			return false
		case *python.AsyncFunctionDef:
			found(n.Name, n.NamePos)
			return false
		case *python.ClassDef:
			found(n.Name, n.NamePos)
			return false
		case *python.Alias:
			found(cmp.Or(n.AsName, n.Name), n.Range)
		case *python.Name:
			if n.Ctx == python.Store {
				found(n.ID, n.Range)
			}
		}
		return true
	})
	return at
}

// Recovered returns the error behind a panic that is not the user's: a budget that is spent, or a fault of
// ours.
func (s *Source) Recovered(kernel string, r any) error {
	if s.shared {
		s.common = nil // what broke off in it may be half done
	}
	if err, ok := budget.Recovered(r); ok {
		return fmt.Errorf("%s: %s: %w", s.Name, kernel, err)
	}
	return &InternalError{Kernel: kernel, Panic: r, Stack: debug.Stack()}
}

// InternalError is a fault of the compiler itself.
type InternalError struct {
	Kernel string
	Panic  any
	Stack  []byte
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("internal error while compiling %s: %v\n%s", e.Kernel, e.Panic, e.Stack)
}

// Report returns a diagnostic as an error.
func (s *Source) Report(d diag.Diagnostic) error {
	return &diag.List{Files: s.files, Diags: []diag.Diagnostic{d}}
}

// Params returns the parameters of a kernel.
func (s *Source) Params(kernel string, target Target) (params []Param, err error) {
	defer func() {
		if r := recover(); r != nil {
			params, err = nil, s.Recovered(kernel, r)
		}
	}()
	s.mu.Lock()
	p, ok := s.params[kernel]
	s.mu.Unlock()
	if ok {
		return p, nil
	}
	fn, err := s.Find(s.World(target, s.meter()), kernel)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.params[kernel], s.debug[kernel] = fn.Params, fn.Debug
	s.mu.Unlock()
	return fn.Params, nil
}

// Debug reports whether launches of a kernel check assertions and overflow: @triton.jit(debug=True). Params
// must have been asked for before.
func (s *Source) Debug(kernel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.debug[kernel]
}

// bigBounds returns the least and the greatest value of an integer type.
func bigBounds(bits int, signed bool) (lo, hi object.Value) {
	one := big.NewInt(1)
	if !signed {
		return object.MakeInt(0), object.BigInt(new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one))
	}
	half := new(big.Int).Lsh(one, uint(bits-1))
	return object.BigInt(new(big.Int).Neg(half)), object.BigInt(new(big.Int).Sub(half, one))
}
