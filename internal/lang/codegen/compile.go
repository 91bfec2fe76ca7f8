package codegen

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/triton"
)

// Options has what a compilation depends on besides source and signature.
type Options struct {
	Target     world.Target
	NumWarps   int // 0: 4
	NumStages  int
	NumCTAs    int
	Debug      bool
	Scopes     bool          // triton.profiler.language records scopes
	NoOverflow bool          // sanitize_overflow=False: nothing looks for overflow of integers
	Meter      *budget.Meter // bounds the compilation; nil: MaxSteps alone does
	// statements and expressions compiled, each as often as it is unrolled; 0: 2 million
	MaxSteps int
	// Unroll, if not 0, is the number of iterations of a tl.static_range that are compiled at its beginning,
	// and again at its end; half as many of a loop inside another one, so that a nest of them stays small.
	// What comes out is no kernel: an editor wants types and faults alone, and soon.
	// Up to UnrollSteps steps no iteration is left out.
	Unroll, UnrollSteps int
	// Doubtful, if not nil, takes the faults that iterations left out may have caused; the error is a list of
	// the other ones then, which may be empty.
	Doubtful     *[]diag.Diagnostic
	MaxFaults    int       // the compilation ends after so many; 0: 10
	AllowGlobals bool      // kernels may read plain global numbers
	Stdout       io.Writer // output of tl.static_print; nil drops it
	Warn         func(string)
	Seen         func(Seen) // called for each expression that was compiled, for editors; may be nil
}

// defaultSteps is more than any useful kernel takes, and still only a few seconds.
const defaultSteps = 2_000_000

func (o Options) sem(v triton.Version) sem.Options {
	arch := o.Target.Chip
	if arch == "" {
		arch = strconv.Itoa(o.Target.Arch)
	}
	s := sem.DefaultOptions(o.Target.Backend, arch)
	s.Triton, s.Debug, s.SanitizeOverflow, s.Scopes = v, o.Debug, !o.NoOverflow, o.Scopes
	if o.NumWarps > 0 {
		s.NumWarps = o.NumWarps
	}
	s.Warn = o.Warn
	return s
}

// Compile makes Triton IR of a kernel for one signature. An error of the user's is a *diag.List.
func Compile(s *world.Source, kernel string, args []signature.Arg, opts Options) (m *ir.Module, err error) {
	if opts.Target.Backend == "" {
		opts.Target = world.DefaultTarget
	}
	defer func() {
		if r := recover(); r != nil {
			if f, ok := r.(*failure); ok {
				m, err = nil, s.Report(f.d)
				return
			}
			m, err = nil, s.Recovered(kernel, r)
		}
	}()
	w := s.World(opts.Target, opts.Meter)
	fn, err := s.Find(w, kernel)
	if err != nil {
		return nil, err
	}
	if len(args) != len(fn.Params) {
		return nil, s.Report(diag.Diagnostic{Code: "bad-arguments", Span: fn.Func.Def.NamePos.Span(),
			Msg: fmt.Sprintf("%s has %d parameters, but %d arguments are described", kernel, len(fn.Params),
				len(args))})
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
			if _, stop := r.(stopped); !stop && (u == nil || u.faults() == 0) {
				panic(r)
			}
			m, err = nil, u.errors()
		}
	}()
	u = &unit{world: w, source: s, opts: opts, files: s.Files(), module: ir.NewModule(ir.Unknown),
		funcs: map[string]*function{}, names: map[string]string{}, missing: map[string]bool{}}
	return u.kernel(fn, args)
}

func (u *unit) kernel(fn *world.JITFunction, args []signature.Arg) (*ir.Module, error) {
	u.entry = fn.Func.Def.NamePos.Span()
	params := make([]object.Value, len(args))
	var facts []argFact
	for i, a := range args {
		params[i] = u.template(a, argPath{i}, &facts)
	}
	attrs := func(p argPath) []ir.NamedAttr {
		var out []ir.NamedAttr
		for _, f := range facts {
			if slices.Equal(f.at, p) {
				out = append(out, f.attr)
			}
		}
		return out
	}
	if fn.Gluon {
		u.module.Op.SetAttr(ttg.GluonAttr, ir.Unit)
	}
	u.compile(fn, u.entryName(fn, args), params, true, attrs)
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

// template returns a value of the argument's shape, with no IR behind it yet.
func (u *unit) template(a signature.Arg, at argPath, facts *[]argFact) object.Value {
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
		return descTemplate(a.Desc)
	case !a.Typed():
		return u.constant(ValueOf(a.Const))
	}
	if a.Div16 {
		*facts = append(*facts, argFact{at, ir.A("tt.divisibility", ir.I32Attr(16))})
	}
	if a.Small {
		*facts = append(*facts, argFact{at, ir.A("tt.pointer_range", ir.I32Attr(32))})
	}
	return &sem.Tensor{Type: typeOf(a.Type)}
}

// constant returns a compile-time argument with references to functions resolved.
func (u *unit) constant(v object.Value) object.Value {
	switch v := v.(type) {
	case *signature.FuncRef:
		m := u.source.Module(u.world)
		if v.File != "" && v.File != u.source.Name {
			m = u.world.Eval.LoadFile(v.File)
		}
		fn, ok, err := m.Get(u.world.In, v.Name)
		if err != nil {
			panic(&failure{d: object.Diagnostic(err, u.entry)})
		}
		if !ok {
			panic(&failure{d: diag.Diagnostic{Code: "bad-arguments", Span: u.entry,
				Msg: fmt.Sprintf("the function %s, given as an argument, is not found in %s", v.Name,
					m.File)}})
		}
		return world.Unwrap(fn)
	case *object.Tuple:
		items := make([]object.Value, len(v.Items))
		for i, e := range v.Items {
			items[i] = u.constant(e)
		}
		return &object.Tuple{Items: items, Class: v.Class}
	}
	return v
}

// descTemplate returns a descriptor of the spec's type, with no IR behind it yet.
func descTemplate(d *signature.Desc) *sem.Descriptor {
	t := &sem.Descriptor{Type: sem.Desc(sem.Block(sem.ScalarOf(d.Elem), d.Block...))}
	for range d.Block {
		t.Shape = append(t.Shape, &sem.Tensor{Type: sem.Int32})
		t.Strides = append(t.Strides, &sem.Tensor{Type: sem.Int64})
	}
	return t
}
