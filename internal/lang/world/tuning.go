package world

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/budget"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Tuning describes launches of a kernel as the decorators around it do. It is safe for use by several
// goroutines.
type Tuning struct {
	Steps  []Step // the outermost first
	Source string // the text of the kernel and of the functions of its file that it calls, without decorators

	mu    sync.Mutex
	in    *object.Interp
	meter *budget.Meter // meter of each call
}

// Step is one decorator: either autotune or heuristics.
type Step struct {
	Autotune   *Autotune
	Heuristics []Heuristic
}

// Heuristic is a compile-time argument that is computed from the others.
type Heuristic struct {
	Name string
	Fn   object.Value
}

// Autotune is the decorator of that name, its arguments evaluated.
type Autotune struct {
	Configs                   []Config
	Key                       []string
	ResetToZero, RestoreValue []string
	PreHook, PostHook         object.Value // nil where there is none, as all functions here
	EarlyPrune, PerfModel     object.Value
	TopK                      object.Value
	Warmup, Rep               float64 // in milliseconds; 0: the default
	Graph                     bool    // use_cuda_graph
}

// Config is a triton.Config.
type Config struct {
	Kwargs                                []object.Keyword
	NumWarps, NumStages, NumCTAs, MaxNReg int
	PreHook                               object.Value
	Value                                 object.Value // as Python sees it
}

// String returns the config as Triton prints it.
func (c Config) String() string {
	var parts []string
	for _, k := range c.Kwargs {
		parts = append(parts, k.Name+": "+Text(k.Value))
	}
	parts = append(parts,
		fmt.Sprintf("num_warps: %d, num_ctas: %d, num_stages: %d", c.NumWarps, c.NumCTAs, c.NumStages))
	if c.MaxNReg > 0 {
		parts = append(parts, fmt.Sprintf("maxnreg: %d", c.MaxNReg))
	}
	return strings.Join(parts, ", ")
}

// AllKwargs returns the arguments that the config gives, options among them.
func (c Config) AllKwargs() []object.Keyword {
	out := slices.Clone(c.Kwargs)
	for _, o := range []struct {
		name  string
		value int
	}{{"num_warps", c.NumWarps}, {"num_ctas", c.NumCTAs}, {"num_stages", c.NumStages},
		{"maxnreg", c.MaxNReg}} {
		if o.value > 0 {
			out = append(out, object.Keyword{Name: o.name, Value: object.MakeInt(int64(o.value))})
		}
	}
	return out
}

// SetOption sets an option of the config by its name in Python; other names it leaves alone.
func (c *Config) SetOption(name string, v object.Value) {
	options := map[string]*int{"num_warps": &c.NumWarps, "num_ctas": &c.NumCTAs, "num_stages": &c.NumStages,
		"maxnreg": &c.MaxNReg}
	if o := options[name]; o != nil {
		*o = int(number(v))
	}
}

// Text returns the text of a kernel and of the functions of its file that it calls, without decorators.
func (s *Source) Text(kernel string, target Target) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			text, err = "", s.Recovered(kernel, r)
		}
	}()
	fn, err := s.Find(s.World(target, s.meter()), kernel)
	if err != nil {
		return "", err
	}
	return sourceOf(fn.Func), nil
}

// Tuning returns what a kernel's decorators say; nil where it has none that matter to launches.
func (s *Source) Tuning(kernel string, target Target) (t *Tuning, err error) {
	defer func() {
		if r := recover(); r != nil {
			t, err = nil, s.Recovered(kernel, r)
		}
	}()
	meter := s.meter()
	w := s.World(target, meter)
	fn, err := s.Find(w, kernel)
	if err != nil || len(fn.Wrappers) == 0 {
		return nil, err
	}
	t = &Tuning{in: w.In, meter: meter, Source: sourceOf(fn.Func)}
	for i := len(fn.Wrappers) - 1; i >= 0; i-- {
		step, err := fn.Wrappers[i].step(w.In)
		if err != nil {
			return nil, s.Report(object.Diagnostic(err, fn.Wrappers[i].Call.Span()))
		}
		t.Steps = append(t.Steps, step)
	}
	return t, nil
}

// LaunchMetadata returns the function under launch_metadata= of a kernel's @triton.jit, as one that may be
// called at any time; nil where there is none.
func (s *Source) LaunchMetadata(kernel string, target Target) (call HostFunc, err error) {
	defer func() {
		if r := recover(); r != nil {
			call, err = nil, s.Recovered(kernel, r)
		}
	}()
	meter := s.meter()
	w := s.World(target, meter)
	fn, err := s.Find(w, kernel)
	if err != nil || fn.Metadata == nil {
		return nil, err
	}
	t := &Tuning{in: w.In, meter: meter}
	return func(args ...object.Value) (object.Value, error) { return t.Call(fn.Metadata, args, nil) }, nil
}

// HostFunc is a function of a kernel's file that host code calls. It is safe for use by several goroutines.
type HostFunc func(args ...object.Value) (object.Value, error)

// sourceOf returns the text of a function and of the functions of its file that it names, in the file's
// order.
func sourceOf(fn *pyrun.Func) string {
	file := fn.Module.Syntax.File
	defs := map[string]*python.FunctionDef{}
	for m := fn.Module; m != nil; m = m.Outer { // the innermost definition of a name counts
		for _, s := range m.Syntax.Body {
			if d, ok := s.(*python.FunctionDef); ok && (m == fn.Module || defs[d.Name] == nil) {
				defs[d.Name] = d
			}
		}
	}
	used := map[*python.FunctionDef]bool{}
	var visit func(d *python.FunctionDef)
	visit = func(d *python.FunctionDef) {
		if d == nil || used[d] {
			return
		}
		used[d] = true
		for _, s := range d.Body {
			python.Inspect(s, func(n python.Node) bool {
				if v, ok := n.(*python.Name); ok {
					visit(defs[v.ID])
				}
				return true
			})
		}
	}
	visit(fn.Def)
	list := make([]*python.FunctionDef, 0, len(used))
	for d := range used {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *python.FunctionDef) int {
		return int(a.Span().Start) - int(b.Span().Start)
	})
	var b strings.Builder
	for _, d := range list {
		b.Write(file.Src[file.Offset(d.NamePos.Start):file.Offset(d.Span().End)])
		b.WriteByte('\n')
	}
	return b.String()
}

// arguments returns the arguments of a decorator by name.
func (w Wrapper) arguments(in *object.Interp, names ...string) (map[string]object.Value, error) {
	out := map[string]object.Value{}
	for i, a := range w.Call.Args {
		v, err := w.Eval(a)
		if err != nil {
			return nil, err
		}
		if i < len(names) {
			out[names[i]] = v
		}
	}
	for _, k := range w.Call.Keywords {
		v, err := w.Eval(k.Value)
		if err != nil {
			if k.Arg == "do_bench" || k.Arg == "cache_results" { // how to measure is the runtime's business
				continue
			}
			return nil, err
		}
		if d, ok := v.(*object.Dict); k.Arg == "" && ok {
			for name, v := range d.All() {
				if s, ok := name.(object.Str); ok {
					out[string(s)] = v
				}
			}
			continue
		}
		out[k.Arg] = v
	}
	for name, v := range out {
		if v == object.None {
			delete(out, name)
		}
	}
	return out, nil
}

func (w Wrapper) step(in *object.Interp) (Step, error) {
	if w.Kind == "heuristics" {
		return w.heuristics(in)
	}
	args, err := w.arguments(in, "configs", "key", "prune_configs_by", "reset_to_zero", "restore_value",
		"pre_hook", "post_hook", "warmup", "rep", "use_cuda_graph")
	if err != nil {
		return Step{}, err
	}
	a := &Autotune{PreHook: args["pre_hook"], PostHook: args["post_hook"],
		Graph: args["use_cuda_graph"] != nil && IsTrue(args["use_cuda_graph"])}
	for _, f := range []struct {
		name string
		to   *[]string
	}{{"key", &a.Key}, {"reset_to_zero", &a.ResetToZero}, {"restore_value", &a.RestoreValue}} {
		if *f.to, err = stringsOf(in, args[f.name]); err != nil {
			return Step{}, err
		}
	}
	a.Warmup, a.Rep = number(args["warmup"]), number(args["rep"])
	if d, ok := args["prune_configs_by"].(*object.Dict); ok {
		a.EarlyPrune, _ = d.GetStr("early_config_prune")
		a.PerfModel, _ = d.GetStr("perf_model")
		a.TopK, _ = d.GetStr("top_k")
	}
	if args["configs"] != nil {
		if a.Configs, err = ConfigsOf(in, args["configs"]); err != nil {
			return Step{}, err
		}
	}
	if len(a.Configs) == 0 {
		v, _ := object.Call(in, configClass, nil, nil)
		a.Configs = []Config{configOf(v.(*record))}
	}
	return Step{Autotune: a}, nil
}

func (w Wrapper) heuristics(in *object.Interp) (Step, error) {
	args, err := w.arguments(in, "values")
	if err != nil {
		return Step{}, err
	}
	d, ok := args["values"].(*object.Dict)
	if !ok {
		return Step{}, object.Errorf(object.TypeError, "heuristics() takes a dict of functions")
	}
	var s Step
	for name, fn := range d.All() {
		n, ok := name.(object.Str)
		if !ok {
			return Step{}, object.Errorf(object.TypeError,
				"heuristics() takes a dict with names of parameters for keys")
		}
		s.Heuristics = append(s.Heuristics, Heuristic{string(n), fn})
	}
	return s, nil
}

// number returns a value as a float, or 0.
func number(v object.Value) float64 {
	switch v := v.(type) {
	case object.Int:
		n, _ := v.Int64()
		return float64(n)
	case object.Float:
		return float64(v)
	}
	return 0
}

func stringsOf(in *object.Interp, v object.Value) ([]string, error) {
	if v == nil {
		return nil, nil
	}
	items, err := object.Iterate(in, v)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, item := range items {
		s, ok := item.(object.Str)
		if !ok {
			return nil, object.Errorf(object.TypeError, "autotune() expects names of parameters, not %s",
				item.TypeName())
		}
		out = append(out, string(s))
	}
	return out, nil
}

// ConfigsOf returns the configs of a list.
func ConfigsOf(in *object.Interp, v object.Value) ([]Config, error) {
	items, err := object.Iterate(in, v)
	if err != nil {
		return nil, err
	}
	var out []Config
	for _, item := range items {
		r, ok := item.(*record)
		if !ok || r.name != "Config" {
			return nil, object.Errorf(object.TypeError, "expected a triton.Config, not %s", item.TypeName())
		}
		out = append(out, configOf(r))
	}
	return out, nil
}

func configOf(r *record) Config {
	num := func(name string) int { return int(number(r.attrs[name])) }
	c := Config{NumWarps: num("num_warps"), NumStages: num("num_stages"), NumCTAs: num("num_ctas"),
		MaxNReg: num("maxnreg"), Value: r}
	if d, ok := r.attrs["kwargs"].(*object.Dict); ok {
		for name, v := range d.All() {
			if s, ok := name.(object.Str); ok {
				c.Kwargs = append(c.Kwargs, object.Keyword{Name: string(s), Value: Unwrap(v)})
			}
		}
	}
	if h := r.attrs["pre_hook"]; h != object.None {
		c.PreHook = h
	}
	return c
}

// Call calls a function of the file, with a fresh allowance of steps.
func (t *Tuning) Call(fn object.Value, args []object.Value, kws []object.Keyword) (v object.Value,
	err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer func() {
		if r := recover(); r != nil {
			over := false
			if err, over = budget.Recovered(r); !over {
				err = fmt.Errorf("internal error in a function of the kernel's file: %v", r)
			}
		}
	}()
	t.in.Refill()
	t.meter.Restart()
	v, err = object.Call(t.in, fn, args, kws)
	if err != nil {
		return nil, &diag.List{Files: t.in.Files,
			Diags: []diag.Diagnostic{object.Diagnostic(err, diag.Span{})}}
	}
	return Unwrap(v), nil
}

// Configs returns the configs of a list that a function returned.
func (t *Tuning) Configs(v object.Value) ([]Config, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return ConfigsOf(t.in, v)
}

// TensorValue is a tensor among the arguments that functions of the file are given. It has the attributes of
// torch's tensors that describe it, and the few methods that hooks call.
type TensorValue struct {
	DType          string // torch's name
	Shape, Strides []int64
	Ptr            int64
	Zero           func() error
	Bytes          func() ([]byte, error)
	Clone          func() (*TensorValue, error)
	Copy           func(from *TensorValue) error
}

// TypeName returns torch's name of the type.
func (*TensorValue) TypeName() string { return "Tensor" }

// HashKey lets tensors be keys, by identity.
func (t *TensorValue) HashKey() (any, error) { return t, nil }

// Attr returns an attribute or method.
func (t *TensorValue) Attr(in *object.Interp, name string) (object.Value, bool, error) {
	switch name {
	case "dtype":
		if d, ok := torchDTypes[t.DType]; ok {
			return d, true, nil
		}
	case "shape":
		return ints(t.Shape), true, nil
	case "ndim":
		return object.MakeInt(int64(len(t.Shape))), true, nil
	case "is_cuda":
		return object.Bool(true), true, nil
	}
	if m, ok := tensorMethods[name]; ok {
		return native(name,
			func(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
				return m(t, args)
			}), true, nil
	}
	return nil, false, nil
}

func ints(list []int64) *object.Tuple {
	items := make([]object.Value, len(list))
	for i, n := range list {
		items[i] = object.MakeInt(n)
	}
	return object.NewTuple(items...)
}

// pick returns the item that an argument names, or all of them.
func pick(list []int64, args []object.Value) (object.Value, error) {
	if len(args) == 0 {
		return ints(list), nil
	}
	n, ok := object.AsInt64(args[0])
	if n < 0 {
		n += int64(len(list))
	}
	if !ok || n < 0 || n >= int64(len(list)) {
		return nil, object.Errorf(object.IndexError, "Dimension out of range")
	}
	return object.MakeInt(list[n]), nil
}

var tensorMethods = map[string]func(t *TensorValue, args []object.Value) (object.Value, error){
	"size": func(t *TensorValue, args []object.Value) (object.Value, error) { return pick(t.Shape, args) },
	"stride": func(t *TensorValue, args []object.Value) (object.Value, error) {
		return pick(t.Strides, args)
	},
	"dim": func(t *TensorValue, _ []object.Value) (object.Value, error) {
		return object.MakeInt(int64(len(t.Shape))), nil
	},
	"numel": func(t *TensorValue, _ []object.Value) (object.Value, error) {
		return object.MakeInt(product(t.Shape)), nil
	},
	"data_ptr": func(t *TensorValue, _ []object.Value) (object.Value, error) {
		return object.MakeInt(t.Ptr), nil
	},
	"is_contiguous": func(t *TensorValue, _ []object.Value) (object.Value, error) {
		return object.Bool(t.contiguous()), nil
	},
	"element_size": func(t *TensorValue, _ []object.Value) (object.Value, error) {
		v, _, err := torchDTypes[t.DType].Attr(nil, "itemsize")
		return v, err
	},
	"zero_": func(t *TensorValue, _ []object.Value) (object.Value, error) { return t, t.Zero() },
	"clone": func(t *TensorValue, _ []object.Value) (object.Value, error) { return t.Clone() },
	"copy_": func(t *TensorValue, args []object.Value) (object.Value, error) {
		from, ok := append(args, nil)[0].(*TensorValue)
		if !ok {
			return nil, object.Errorf(object.TypeError, "copy_() takes a tensor")
		}
		return t, t.Copy(from)
	},
}

func product(list []int64) int64 {
	n := int64(1)
	for _, d := range list {
		n *= d
	}
	return n
}

func (t *TensorValue) contiguous() bool {
	n := int64(1)
	for i := len(t.Shape) - 1; i >= 0; i-- {
		if t.Shape[i] != 1 && t.Strides[i] != n {
			return false
		}
		n *= t.Shape[i]
	}
	return true
}
