package compile

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/funcd"
	"github.com/nereid-lang/nereid/internal/dialect/funclike"
	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/signature"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/triton"
)

// Text is a kernel that begins with the text of a stage instead of a file of Python.
type Text struct {
	File   string // its name, for messages
	Given  target.Given
	Kernel string            // "" means the only one of the text
	Target string            // target that the text names; "" if it names none
	Params []code.SavedParam // nil if the text does not tell them before it is compiled
	Source string            // file that the kernel was compiled from, if its description tells

	// Options holds what the text, or its description, says: it is made for them.
	Options target.Options

	// Late returns the parameters of the compiled text if Params is nil; may be nil.
	Late func(*code.Result) ([]code.SavedParam, error)
}

// moduleStages are the stages whose text is a module, which tells everything about its kernel.
var moduleStages = []string{"source", "ttir", "ttgir", "linalg"}

// Read completes a Text: from the description that LaunchInfo wrote with it, if there is one, or else from
// the text itself.
func (t *Text) Read(description []byte) error {
	if description != nil {
		if err := t.describedBy(description); err != nil {
			return err
		}
	}
	if !slices.Contains(moduleStages, t.Given.Stage) {
		return nil
	}
	files := diag.NewFileSet()
	t.Given.Text = triton.Older(t.Given.Text)
	m, err := ir.Parse(files, t.File, t.Given.Text)
	if err != nil {
		return err
	}
	if err := ir.Verify(m.Op); err != nil {
		return fmt.Errorf("%s: %w", t.File, err)
	}
	fn, err := t.find(m)
	if err != nil {
		return err
	}
	if a, ok := m.Op.Attr(ttg.TargetAttr).(*ir.StringAttr); ok {
		t.Target = a.Value
	}
	if m.Op.Attr(ttg.NumWarpsAttr) != nil {
		t.Options.NumWarps, t.Options.NumCTAs = ttg.NumWarps(m.Op), ttg.NumCTAs(m.Op)
	}
	if t.Params == nil {
		t.Params, err = paramsOf(fn, t.Given.Stage == "linalg")
	}
	return err
}

func (t *Text) describedBy(data []byte) error {
	var d code.LaunchInfo
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("the description of %s, the .json beside it: %w", t.File,
			diag.JSONError(data, err))
	}
	if d.Format != code.LaunchFormat {
		return fmt.Errorf("the description of %s, the .json beside it, has the format %q: expected %q",
			t.File, d.Format, code.LaunchFormat)
	}
	if t.Kernel != "" && t.Kernel != d.Kernel {
		return fmt.Errorf("the description of %s is that of %s, not of %s", t.File, d.Kernel, t.Kernel)
	}
	t.Kernel, t.Params, t.Given.Meta, t.Target = d.Kernel, d.Parameters, d.Meta, d.Target
	t.Options, t.Source = d.Options, d.File
	return nil
}

// find returns the function of the kernel.
func (t *Text) find(m *ir.Module) (fn *ir.Op, err error) {
	var names []string
	for op := range m.Block().Ops() {
		visibility, _ := op.Attr("sym_visibility").(*ir.StringAttr)
		private := visibility != nil && visibility.Value == "private"
		if op.Def != tt.Func && op.Def != funcd.Func || funclike.IsDeclaration(op) ||
			t.Kernel == "" && private {
			continue
		}
		name := op.Text("sym_name")
		names = append(names, name)
		if t.Kernel == "" || t.Kernel == name {
			fn = op
		}
	}
	switch {
	case len(names) == 0 || t.Kernel == "" && len(names) > 1:
		return nil, fmt.Errorf("%s has %d public functions: name the kernel, FILE:KERNEL: %s",
			t.File, len(names), strings.Join(names, ", "))
	case fn == nil:
		return nil, fmt.Errorf("%s has no function %s: it has %s", t.File, t.Kernel,
			strings.Join(names, ", "))
	}
	t.Kernel = fn.Text("sym_name")
	return fn, nil
}

// programArgs is the number of arguments that the middle layer adds to a function: the sizes of the grid and
// the program's place in it.
const programArgs = 6

// paramsOf returns the parameters of a function, as a signature has them.
func paramsOf(fn *ir.Op, linalg bool) (out []code.SavedParam, err error) {
	list := fn.Body(0).Args()
	if linalg {
		list = list[:max(0, len(list)-programArgs)]
	}
	for i := 0; i < len(list); i++ {
		a := list[i]
		if block := tt.DescBlock(a.Type); block != nil && !linalg {
			out = append(out, code.SavedParam{Name: argName(a, i), Spec: descSpec(block)})
			i += 2 * len(block.Shape) // shape and strides follow, which are the same parameter's
			continue
		}
		spec := typeSpec(a.Type)
		if spec == "" {
			return nil, fmt.Errorf("argument %d of %s has the type %s, of which a launch has none: compile "+
				"the kernel from its source",
				i, fn.Text("sym_name"), a.Type)
		}
		if d, ok := funclike.ArgAttr(fn, i, "tt.divisibility").(*ir.IntegerAttr); ok && d.Value%16 == 0 {
			spec += ":16"
		}
		out = append(out, code.SavedParam{Name: argName(a, i), Spec: spec})
	}
	return out, nil
}

// descSpec returns a descriptor of blocks as signatures write it: "tensordesc<fp16[64, 64]>".
func descSpec(block *ir.TensorType) string {
	elem := typeSpec(block.Elem)
	if it, ok := block.Elem.(*ir.IntegerType); ok {
		elem = fmt.Sprintf("i%d", it.Width)
		if it.Sign == ir.Unsigned {
			elem = fmt.Sprintf("u%d", it.Width)
		}
	}
	return "tensordesc<" + elem + strings.ReplaceAll(fmt.Sprint(block.Shape), " ", ", ") + ">"
}

func argName(a *ir.Value, i int) string {
	if n, ok := a.Loc.(*ir.NameLoc); ok && n.Name != "" {
		return n.Name
	}
	if a.Name != "" && !strings.HasPrefix(a.Name, "arg") {
		return a.Name
	}
	return fmt.Sprintf("arg%d", i)
}

// typeSpec returns a type as signatures write it, or "". IR knows no sign, so integers are signed.
func typeSpec(t ir.Type) string {
	if p, _, ok := tt.AsPtr(t); ok {
		if s := typeSpec(p); s != "" {
			return "*" + s
		}
		return ""
	}
	if m, ok := t.(*ir.MemRefType); ok && m.Unranked {
		return "*" + typeSpec(m.Elem)
	}
	for d := range dtype.All() {
		if s := sem.ScalarOf(d); s != nil && s.IR() == t {
			return d.String()
		}
	}
	return ""
}

// CompileText compiles a kernel from the text of a stage on, like Kernel.Compile.
func CompileText(ctx context.Context, set *Settings, dev *args.Device, t *Text, opts target.Options,
	until string) (*code.Result, error) {
	stages := device.Stages(dev.Backend)
	at := slices.Index(stages, t.Given.Stage)
	if at < 0 {
		return nil, fmt.Errorf("nereid: %s has no stage %s: it has %s", dev, t.Given.Stage,
			strings.Join(stages, ", "))
	}
	if i := slices.Index(stages, until); until != "" && i < at {
		return nil, fmt.Errorf("nereid: %s is past the stage %s: there are %s", t.File, until,
			strings.Join(stages[at:], ", "))
	}
	opts = dev.Defaults(t.options(opts))
	if err := checkOptions(opts); err != nil {
		return nil, fmt.Errorf("nereid: %s: %w", t.Kernel, err)
	}
	opts.NoFPFusion = opts.NoFPFusion || knob.NoFPFusion.Get()
	libs, err := target.ReadLibs(opts.ExternLibs)
	if err != nil {
		return nil, fmt.Errorf("nereid: %s: %w", t.File, err)
	}
	k := &Kernel{Name: t.Kernel, Set: set}
	ctx, meter, cancel := k.budget(ctx)
	defer cancel()
	specs, err := k.take(t.Params)
	if err != nil {
		return nil, err
	}
	j := &job{k: k, dev: dev, keep: true, out: &code.Result{}}
	j.in = &target.Input{
		Kernel: t.Kernel, Options: opts, Stages: j.record, Until: until, Given: &t.Given,
		Passes: set.Passes, Dump: os.Stderr, Budget: meter, Libs: libs,
	}
	j.in.Params, j.in.Constants = describeArgs(k.Params, specs)
	if err := j.in.Make("source", func() error { return nil }); err != nil {
		return nil, err
	}
	if err := j.finish(ctx); err != nil {
		return nil, err
	}
	if t.Params == nil && t.Late != nil {
		if t.Params, err = t.Late(j.out); err == nil {
			specs, err = k.take(t.Params)
		}
		if err != nil {
			return nil, err
		}
		k.Name = t.Kernel
	}
	j.out.Params, j.out.Constants = describeArgs(k.Params, specs)
	j.out.Variant = code.Variant{File: cmp.Or(t.Source, filepath.Base(t.File)), Kernel: k.Name,
		Signature: signature.Format(specs), Options: opts}
	j.out.Saved = k.describe(Spec{dev, specs, opts}, j.out)
	markStored(j.out.Saved.Args, nil)
	return j.out, nil
}

// options returns the caller's options, with those of the text where it has been made for them or the caller
// has none.
func (t *Text) options(o target.Options) target.Options {
	made := t.Given.Stage != "source" && t.Given.Stage != "ttir"
	for _, p := range []struct{ to, from *int }{
		{&o.NumWarps, &t.Options.NumWarps}, {&o.NumCTAs, &t.Options.NumCTAs},
		{&o.NumStages, &t.Options.NumStages},
	} {
		if *p.from > 0 && (made || *p.to == 0) {
			*p.to = *p.from
		}
	}
	o.LaunchCooperativeGrid = o.LaunchCooperativeGrid || t.Options.LaunchCooperativeGrid
	o.LaunchPDL = o.LaunchPDL || t.Options.LaunchPDL
	o.NoFPFusion = o.NoFPFusion || t.Options.NoFPFusion
	return o
}

// take sets the kernel's parameters and returns what each is compiled for.
func (k *Kernel) take(params []code.SavedParam) ([]signature.Arg, error) {
	k.Params = nil
	var specs []signature.Arg
	for _, p := range params {
		own := []signature.Param{{Name: p.Name, Constexpr: p.Constant}}
		list, err := lang.ParseSignature(own, p.Spec)
		if err != nil {
			return nil, err
		}
		k.Params, specs = append(k.Params, own...), append(specs, list...)
	}
	return specs, nil
}
