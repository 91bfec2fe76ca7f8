package lang

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
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

// Name is what torch.cuda.get_device_name would say.
func (t Target) Name() string {
	switch {
	case t.Backend == "hip":
		return "AMD Instinct MI300X"
	case t.Arch >= 100:
		return "NVIDIA B200"
	case t.Arch >= 90:
		return "NVIDIA H200"
	}
	return "NVIDIA A100"
}

// Options are what a compilation depends on besides source and signature.
type Options struct {
	Target       Target
	NumWarps     int // 0: 4
	NumStages    int
	NumCTAs      int
	Debug        bool
	NoOverflow   bool          // sanitize_overflow=False: nothing looks for overflow of integers
	Meter        *budget.Meter // bounds the compilation; nil: MaxSteps alone does
	MaxSteps     int           // statements and expressions compiled, each as often as it is unrolled; 0: 2 million
	AllowGlobals bool          // kernels may read plain global numbers
	Stdout       io.Writer     // of tl.static_print; nil drops it
	Warn         func(string)
}

// defaultSteps is far more than any kernel of use takes, and still a few seconds only.
const defaultSteps = 2_000_000

func (o Options) sem() sem.Options {
	arch := o.Target.Chip
	if arch == "" {
		arch = strconv.Itoa(o.Target.Arch)
	}
	s := sem.DefaultOptions(o.Target.Backend, arch)
	s.Debug, s.SanitizeOverflow = o.Debug, !o.NoOverflow
	if o.NumWarps > 0 {
		s.NumWarps = o.NumWarps
	}
	s.Warn = o.Warn
	return s
}

// LoadOptions say where a file's imports are found and which environment its conditions see.
type LoadOptions struct {
	FS     fs.FS             // where imported modules are; nil: the folders of the operating system
	OnDisk bool              // the file is one of the operating system: its project (pyrun.ProjectRoot) is searched too
	Roots  []string          // more folders to search
	Env    map[string]string // os.environ
	Limits budget.Limits     // of source text here, and of what is evaluated before a compilation
}

// Source is a file with kernels. It is parsed once; nothing in it is evaluated before a kernel is asked for. It may be used
// from several goroutines.
type Source struct {
	Name   string
	files  *diag.FileSet
	syntax *python.Module
	opts   LoadOptions

	mu     sync.Mutex
	bytes  int // of source text read so far
	parsed map[string]parsedFile
	params map[string][]Param
	debug  map[string]bool
}

type parsedFile struct {
	m   *python.Module
	err error
}

// stdlibFiles holds the library's sources; every Source's own set begins with them.
var stdlibFiles = diag.NewFileSet()

// Load parses a file. The error is a *diag.List.
func Load(name string, src []byte, opts LoadOptions) (*Source, error) {
	stdlibSyntax()
	opts.Limits = opts.Limits.WithDefaults()
	if err := budget.New(context.Background(), opts.Limits).CheckSource(len(src), name); err != nil {
		return nil, err
	}
	s := &Source{bytes: len(src), Name: name, files: stdlibFiles.Fork(), opts: opts, parsed: map[string]parsedFile{}, params: map[string][]Param{}, debug: map[string]bool{}}
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

// meter bounds what is evaluated outside of a compilation: parameters and decorators.
func (s *Source) meter() *budget.Meter { return budget.New(context.Background(), s.opts.Limits) }

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

// module is the source as a module of a world.
func (s *Source) module(w *world) *pyrun.Module {
	return w.ev.AddModule(filepath.ToSlash(s.Name), s.syntax)
}

// Names are the functions that look like kernels: those under a decorator that ends in jit, in the order of the file.
func (s *Source) Names() []string {
	var out []string
	var walk func(list []python.Stmt)
	walk = func(list []python.Stmt) {
		for _, st := range list {
			switch st := st.(type) {
			case *python.FunctionDef:
				if slices.ContainsFunc(st.DecoratorList, looksLikeJIT) && !slices.Contains(out, st.Name) {
					out = append(out, st.Name)
				}
			case *python.If:
				walk(st.Body)
				walk(st.Orelse)
			case *python.Try:
				walk(st.Body)
				for _, h := range st.Handlers {
					walk(h.Body)
				}
			}
		}
	}
	walk(s.syntax.Body)
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

// Files is the set that positions in diagnostics refer to.
func (s *Source) Files() *diag.FileSet { return s.files }

// find evaluates a name of the file and expects a jit function; a dotted name reaches into classes and modules.
func (s *Source) find(w *world, name string) (*JITFunction, error) {
	m := s.module(w)
	first, rest, _ := strings.Cut(name, ".")
	v, ok, err := m.Get(w.in, first)
	if err != nil {
		return nil, s.report(object.Diagnostic(err, diag.Span{}))
	}
	if !ok {
		names := s.Names()
		d := diag.Diagnostic{Code: "no-kernel", Msg: fmt.Sprintf("%s has no kernel %s", s.Name, name)}
		if best := diag.Nearest(first, names); best != "" {
			d.Hint = "did you mean " + best + "?"
		} else if len(names) > 0 {
			d.Hint = "it has " + strings.Join(names, ", ")
		}
		return nil, s.report(d)
	}
	for rest != "" {
		first, rest, _ = strings.Cut(rest, ".")
		if v, err = object.GetAttr(w.in, v, first); err != nil {
			d := object.Diagnostic(err, diag.Span{})
			d.Code = "no-kernel"
			return nil, s.report(d)
		}
	}
	fn, ok := unwrapConstexpr(v).(*JITFunction)
	if !ok {
		d := diag.Diagnostic{Code: "no-kernel", Msg: fmt.Sprintf("%s is no kernel: it is %s", name, describe(v)), Hint: "decorate it with @triton.jit"}
		switch u := unwrapConstexpr(v).(type) {
		case *pyrun.Func:
			d.Msg, d.Span = fmt.Sprintf("%s is no kernel: it is a plain function", name), s.definition(name)
		case *object.Unknown:
			d = object.Diagnostic(u.Need("the meaning"), s.definition(name))
		}
		return nil, s.report(d)
	}
	return fn, nil
}

// definition is where the file first binds a name of its own: a function, a class, an import or a variable.
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

// recovered is the error behind a panic: the user's, carried up as a failure, or ours.
func (s *Source) recovered(kernel string, r any) error {
	if f, ok := r.(*failure); ok {
		return s.report(f.d)
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

func (s *Source) report(d diag.Diagnostic) error {
	return &diag.List{Files: s.files, Diags: []diag.Diagnostic{d}}
}

// Params are the parameters of a kernel.
func (s *Source) Params(kernel string, target Target) (params []Param, err error) {
	defer func() {
		if r := recover(); r != nil {
			params, err = nil, s.recovered(kernel, r)
		}
	}()
	s.mu.Lock()
	p, ok := s.params[kernel]
	s.mu.Unlock()
	if ok {
		return p, nil
	}
	fn, err := s.find(newWorld(s, target, s.meter()), kernel)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.params[kernel], s.debug[kernel] = fn.Params, fn.Debug
	s.mu.Unlock()
	return fn.Params, nil
}

// Debug reports whether launches of a kernel whose Params were asked for check assertions and overflow: @triton.jit(debug=True).
func (s *Source) Debug(kernel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.debug[kernel]
}

// Compile makes Triton IR of a kernel for one signature. An error of the user's is a *diag.List.
func (s *Source) Compile(kernel string, args []ArgSpec, opts Options) (m *ir.Module, err error) {
	if opts.Target.Backend == "" {
		opts.Target = DefaultTarget
	}
	defer func() {
		if r := recover(); r != nil {
			m, err = nil, s.recovered(kernel, r)
		}
	}()
	w := newWorld(s, opts.Target, opts.Meter)
	fn, err := s.find(w, kernel)
	if err != nil {
		return nil, err
	}
	if len(args) != len(fn.Params) {
		return nil, s.report(diag.Diagnostic{Code: "bad-arguments", Span: fn.Func.Def.NamePos.Span(),
			Msg: fmt.Sprintf("%s has %d parameters, but %d arguments are described", kernel, len(fn.Params), len(args))})
	}
	if opts.MaxSteps == 0 {
		opts.MaxSteps = defaultSteps
	}
	var u *unit
	defer func() {
		if r := recover(); r != nil {
			if _, over := budget.Recovered(r); over {
				panic(r)
			}
			if _, stop := r.(stopped); !stop && (u == nil || len(u.diags) == 0) {
				panic(r)
			}
			m, err = nil, u.errors()
		}
	}()
	u = &unit{world: w, source: s, opts: opts, files: s.files, module: ir.NewModule(ir.Unknown), funcs: map[string]*function{}, names: map[string]string{}, missing: map[string]bool{}}
	return u.kernel(fn, args)
}

func (u *unit) kernel(fn *JITFunction, args []ArgSpec) (*ir.Module, error) {
	u.entry = fn.Func.Def.NamePos.Span()
	params := make([]object.Value, len(args))
	var facts []argFact
	for i, a := range args {
		params[i] = u.template(a, argPath{i}, &facts)
	}
	attrs := func(p argPath) []ir.NamedAttr {
		for _, f := range facts {
			if slices.Equal(f.at, p) {
				return []ir.NamedAttr{f.attr}
			}
		}
		return nil
	}
	u.compile(fn, fn.Func.Name, params, true, attrs)
	if err := u.errors(); err != nil {
		return nil, err
	}
	line, _ := fn.Func.Module.Syntax.File.LineCol(fn.Func.Module.Syntax.File.Offset(fn.Func.Def.Span().Start))
	u.module.Loc = ir.FileLine(fn.Func.Module.Syntax.File.Name, line, 0)
	if err := ir.Verify(u.module.Op); err != nil {
		return nil, fmt.Errorf("internal error: the IR of %s is not valid: %w", fn.Func.Name, err)
	}
	return u.module, nil
}

// argFact is an attribute of an argument.
type argFact struct {
	at   argPath
	attr ir.NamedAttr
}

// template is a value of the argument's shape, with no IR behind it yet.
func (u *unit) template(a ArgSpec, at argPath, facts *[]argFact) object.Value {
	switch {
	case a.Tuple:
		items := make([]object.Value, len(a.Items))
		for i, item := range a.Items {
			items[i] = u.template(item, append(slices.Clone(at), i), facts)
		}
		t := object.NewTuple(items...)
		if len(a.Names) > 0 {
			t.Class = &object.NamedTuple{Name: "Fields", Fields: a.Names}
		}
		return t
	case a.Desc != nil:
		if a.Desc.Pointer {
			*facts = append(*facts, argFact{at, ir.A(PointerAttr, ir.I32Attr(1))})
		}
		return a.Desc.template()
	case a.Type == nil:
		return u.constant(orNone(a.Const))
	}
	if a.Div16 {
		*facts = append(*facts, argFact{at, ir.A("tt.divisibility", ir.I32Attr(16))})
	}
	return &sem.Tensor{Type: a.Type}
}

// FuncRef stands for a jit function among compile-time arguments: it is found when the kernel is compiled.
type FuncRef struct {
	File string // "" for the kernel's own file
	Name string
}

func (*FuncRef) TypeName() string { return "JITFunction" }
func (f *FuncRef) Repr() string   { return f.File + ":" + f.Name }

// constant is a compile-time argument with references to functions resolved.
func (u *unit) constant(v object.Value) object.Value {
	switch v := v.(type) {
	case *FuncRef:
		m := u.source.module(u.world)
		if v.File != "" && v.File != u.source.Name {
			m = u.world.ev.LoadFile(v.File)
		}
		fn, ok, err := m.Get(u.world.in, v.Name)
		if err != nil {
			panic(&failure{d: object.Diagnostic(err, u.entry)})
		}
		if !ok {
			panic(&failure{d: diag.Diagnostic{Code: "bad-arguments", Span: u.entry, Msg: fmt.Sprintf("the function %s, given as an argument, is not found in %s", v.Name, m.File)}})
		}
		return unwrapConstexpr(fn)
	case *object.Tuple:
		items := make([]object.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = u.constant(e)
		}
		return &object.Tuple{Items: items, Class: v.Class}
	}
	return v
}

// template is a descriptor of the spec's type, with no IR behind it yet.
func (d *DescSpec) template() *sem.Descriptor {
	t := &sem.Descriptor{Type: sem.Desc(sem.Block(d.Elem, d.Block...))}
	for range d.Block {
		t.Shape = append(t.Shape, &sem.Tensor{Type: sem.Int32})
		t.Strides = append(t.Strides, &sem.Tensor{Type: sem.Int64})
	}
	return t
}

// bigBounds are the least and greatest value of an integer type.
func bigBounds(bits int, signed bool) (lo, hi object.Value) {
	one := big.NewInt(1)
	if !signed {
		return object.MakeInt(0), object.BigInt(new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one))
	}
	half := new(big.Int).Lsh(one, uint(bits-1))
	return object.BigInt(new(big.Int).Neg(half)), object.BigInt(new(big.Int).Sub(half, one))
}
