package cli

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
)

// inputFlags say how the arguments of a run are made up.
type inputFlags struct {
	signature, shape, dtype, fill string
	seed                          uint64
	// compile-time arguments may be left to the kernel's decorators
	partial bool
	// gives shapes to tensors that have none; may be nil
	size func(in *inputs, open []*tensorArg) error
	// random numbers begin anew after so many, where only times matter; 0: never
	repeat int
}

// add adds the flags for tensors that the command line does not describe.
func (f *inputFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.shape, "shape", "", "shape of tensors that are not described, as in 128x64")
	fs.StringVar(&f.dtype, "dtype", "fp32", "element type of tensors that are not described")
	fs.StringVar(&f.fill, "init", "randn", "how tensors begin: "+strings.Join(fillNames(), ", "))
	fs.Uint64Var(&f.seed, "seed", 1, "of the random numbers")
}

// tensorArg is a tensor argument with what it holds before the launch; nil data is memory that nobody has
// written.
type tensorArg struct {
	name  string
	dtype nereid.DType
	shape []int
	block []int64 // of the descriptor that the kernel is given instead of the tensor; nil for none
	fill  string
	data  []byte
	note  string // what to say of a size that was found; "" for nothing
}

// inputs are the arguments of a run.
type inputs struct {
	tensors []*tensorArg
	values  map[string]any // of scalars and compile-time arguments
	order   []string       // names of all arguments
	chosen  chosen
}

// defaultElements is the size of a tensor of which nothing is said.
const defaultElements = 65536

// tensor returns the tensor of a parameter, nil if there is none.
func (in *inputs) tensor(name string) *tensorArg {
	for _, t := range in.tensors {
		if t.name == name {
			return t
		}
	}
	return nil
}

// read makes up the arguments of a kernel from what the command line says of them.
func (f *inputFlags) read(k *nereid.Kernel, given []string) (*inputs, error) {
	texts, err := f.texts(k, given)
	if err != nil {
		return nil, err
	}
	pointers, err := jit.Source(k).Pointers(k.Name(), lang.DefaultTarget)
	if err != nil {
		return nil, err
	}
	in := &inputs{values: map[string]any{}}
	if !f.partial {
		in.chosen = decorated(k, texts)
	}
	var missing []string
	for i, p := range k.Params() {
		text, ok := texts[p.Name]
		file, name, fromFile := tensorFile(text)
		switch {
		case ok && !p.Constexpr && fromFile:
			t, err := readTensor(p.Name, file, name)
			if err != nil {
				return nil, err
			}
			in.tensors = append(in.tensors, t)
		case ok && !p.Constexpr && isTensor(text):
			t, err := f.describe(p.Name, text)
			if err != nil {
				return nil, err
			}
			in.tensors = append(in.tensors, t)
		case ok:
			v, err := parseValue(text)
			switch {
			case pointers[i] && (err != nil || !mayPoint(v)):
				return nil, usagef("%s=%s: the kernel uses %[1]s as a pointer: give a tensor, such as "+
					"fp32[1000], in.npy or weights.safetensors:NAME", p.Name, text)
			case err != nil:
				return nil, usagef("%s=%s: %v", p.Name, text, err)
			}
			in.values[p.Name] = v
		case p.Optional:
			continue
		case pointers[i]:
			t, err := f.describe(p.Name, f.dtype)
			if err != nil {
				return nil, err
			}
			in.tensors = append(in.tensors, t)
		case f.partial && p.Constexpr:
			continue
		default:
			missing = append(missing, p.Name)
		}
		in.order = append(in.order, p.Name)
	}
	if len(missing) > 0 {
		return nil, usagef("%s needs a value for %s: write %s=...", k.Name(), strings.Join(missing, ", "),
			strings.Join(missing, "=... "))
	}
	return in, f.allocate(in)
}

// texts are the arguments as text, by name: those of the signature, then those given.
func (f *inputFlags) texts(k *nereid.Kernel, given []string) (map[string]string, error) {
	params := k.Params()
	texts := map[string]string{}
	if f.signature != "" {
		if err := f.fromSignature(params, k, texts); err != nil {
			return nil, err
		}
	}
	for _, g := range given {
		name, value, ok := strings.Cut(g, "=")
		if !ok {
			return nil, usagef("%q is no argument: write NAME=VALUE", g)
		}
		if !slices.ContainsFunc(params, func(p nereid.Param) bool { return p.Name == name }) {
			return nil, usagef("%s has no parameter %q%s", k.Name(), name, nearestParam(name, params))
		}
		texts[name] = value
	}
	return texts, nil
}

func nearestParam(name string, params []nereid.Param) string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	if best := diag.Nearest(name, names); best != "" {
		return ": did you mean " + best + "?"
	}
	return ": it has " + strings.Join(names, ", ")
}

// fromSignature takes tensors and constants from a signature; scalars of which it gives only the type need a
// value.
func (f *inputFlags) fromSignature(params []nereid.Param, k *nereid.Kernel, texts map[string]string) error {
	entries, err := lang.SplitSignature(jit.Params(k).List, f.signature)
	if err != nil {
		return err
	}
	for i, e := range entries {
		base, hint, _ := strings.Cut(e, ":")
		_, typeErr := nereid.DTypeOf(strings.TrimSpace(base))
		switch {
		case strings.HasPrefix(base, "*"):
			texts[params[i].Name] = strings.TrimPrefix(strings.TrimPrefix(base, "*"), "k")
		case hint == "1":
			texts[params[i].Name] = "1"
		case typeErr != nil || params[i].Constexpr:
			texts[params[i].Name] = e
		}
	}
	return nil
}

// tensorText matches TYPE[SHAPE], whether there is such a type or not.
var tensorText = regexp.MustCompile(`^[\w.]+\[[\d x,]*\]?(@[\dx]+)?(:\w+)?$`)

// isTensor reports whether a text describes a tensor: TYPE, TYPE[SHAPE] or either with :INIT.
func isTensor(text string) bool {
	name, _, _ := strings.Cut(text, ":")
	name, _, _ = strings.Cut(name, "[")
	_, err := typeOf(name)
	return err == nil || tensorText.MatchString(text)
}

// typeOf returns the element type of a name, as signatures (fp32), Python (float32, tl.float32,
// torch.float32) or MLIR (f32) write it.
func typeOf(name string) (nereid.DType, error) {
	name = strings.TrimSpace(name)
	for _, prefix := range []string{"tl.", "torch.", "triton.language."} {
		name = strings.TrimPrefix(name, prefix)
	}
	dt, err := nereid.DTypeOf(name)
	if err != nil && mlirFloat.MatchString(name) {
		return nereid.DTypeOf("fp" + name[1:])
	}
	return dt, err
}

var mlirFloat = regexp.MustCompile(`^f(16|32|64)$`)

func (f *inputFlags) describe(name, text string) (*tensorArg, error) {
	t := &tensorArg{name: name, fill: f.fill}
	head, fill, ok := strings.Cut(text, ":")
	if ok {
		t.fill = fill
	}
	if fills[t.fill] == nil {
		return nil, usagef("%s: unknown initializer %q (have %s)", name, t.fill,
			strings.Join(fillNames(), ", "))
	}
	head, block, described := strings.Cut(head, "@")
	elem, dims, shaped := strings.Cut(head, "[")
	dt, err := typeOf(elem)
	if err != nil {
		return nil, usagef("%s: %s", name, strings.TrimPrefix(err.Error(), "nereid: "))
	}
	t.dtype = dt
	if !shaped {
		dims = f.shape
	}
	if shaped && !strings.HasSuffix(dims, "]") {
		return nil, usagef("%s=%s: the shape is not closed: write %[2]s]", name, text)
	}
	if dims = strings.TrimSuffix(dims, "]"); dims == "" && !described {
		return t, nil
	}
	shape, err := parseShape(strings.ReplaceAll(strings.ReplaceAll(dims, " ", ""), ",", "x"))
	if err != nil {
		return nil, usagef("%s: %v", name, err)
	}
	for _, n := range shape {
		t.shape = append(t.shape, int(n))
	}
	if !described {
		return t, nil
	}
	if t.block, err = parseShape(block); err != nil || len(t.block) != len(t.shape) {
		return nil, usagef("%s: a descriptor's block has a size for each dimension, as in "+
			"fp16[128x64]@32x32, not %q", name, block)
	}
	return t, nil
}

// argument returns what the kernel is given for a tensor: itself, or a descriptor of it.
func (t *tensorArg) argument(x *nereid.Tensor) any {
	if t.block == nil {
		return x
	}
	d := &nereid.Descriptor{Base: x, Shape: make([]int64, len(t.shape)), Strides: make([]int64, len(t.shape)),
		Block: t.block}
	stride := int64(1)
	for i := len(t.shape) - 1; i >= 0; i-- {
		d.Shape[i], d.Strides[i] = int64(t.shape[i]), stride
		stride *= d.Shape[i]
	}
	return d
}

// allocate gives tensors without a shape theirs, and fills all of them.
func (f *inputFlags) allocate(in *inputs) error {
	var open []*tensorArg
	for _, t := range in.tensors {
		if t.shape == nil {
			open = append(open, t)
		}
	}
	if len(open) > 0 && f.size != nil {
		if err := f.size(in, open); err != nil {
			return err
		}
	}
	setShapes(slices.DeleteFunc(open, func(t *tensorArg) bool { return t.shape != nil }), roomFor(in))
	return f.fillAll(in)
}

// roomFor returns the elements of a tensor about which nothing is known.
func roomFor(in *inputs) int {
	room := defaultElements
	for _, v := range in.values {
		if n, ok := v.(int64); ok && n > int64(room) && n < 1<<28 {
			room = int(n)
		}
	}
	return room
}

// fillAll fills all tensors, which have shapes.
func (f *inputFlags) fillAll(in *inputs) error {
	for i, t := range in.tensors {
		if t.fill == "file" {
			continue
		}
		if n := t.len(); n < 0 || n > 1<<33 {
			return usagef("%s: a tensor of shape %v is too large", t.name, t.shape)
		}
		t.data = fillTensor(t, rand.New(rand.NewPCG(f.seed, uint64(i))), f.repeat)
	}
	return nil
}

// fills are the ways in which tensors begin: the value of element i.
var fills = map[string]func(rng *rand.Rand, t *tensorArg, i int) float64{
	"randn": func(rng *rand.Rand, t *tensorArg, i int) float64 {
		if !t.dtype.IsFloat() {
			return float64(rng.IntN(integerRange(t.dtype)))
		}
		return rng.NormFloat64()
	},
	"rand": func(rng *rand.Rand, t *tensorArg, i int) float64 {
		if !t.dtype.IsFloat() {
			return float64(rng.IntN(integerRange(t.dtype)))
		}
		return rng.Float64()
	},
	"zeros":  func(*rand.Rand, *tensorArg, int) float64 { return 0 },
	"ones":   func(*rand.Rand, *tensorArg, int) float64 { return 1 },
	"arange": func(_ *rand.Rand, t *tensorArg, i int) float64 { return float64(i) },
	"empty":  func(*rand.Rand, *tensorArg, int) float64 { return 0 },
}

// integerRange bounds random integers, so that sums and products of a few stay in range.
func integerRange(dt nereid.DType) int {
	if dt == nereid.Bool {
		return 2
	}
	return 100
}

func fillNames() []string { return slices.Sorted(maps.Keys(fills)) }

func fillTensor(t *tensorArg, rng *rand.Rand, repeat int) []byte {
	size, n := t.dtype.Size(), t.len()
	data := make([]byte, n*size)
	if strings.HasPrefix(t.fill, "rand") && repeat > 0 {
		n = min(n, repeat)
	}
	value := fills[t.fill]
	var word [8]byte
	for i := range n {
		binary.LittleEndian.PutUint64(word[:], t.dtype.Encode(value(rng, t, i)))
		copy(data[i*size:], word[:size])
	}
	for at := n * size; 0 < at && at < len(data); {
		at += copy(data[at:], data[:at])
	}
	return data
}

// beyond has the floats for which Python has no literal.
var beyond = map[string]float64{"inf": math.Inf(1), "+inf": math.Inf(1), "-inf": math.Inf(-1),
	"nan": math.NaN()}

// parseValue reads a value: a Python literal, inf, -inf or nan, the name of a type, or else a word.
func parseValue(text string) (any, error) {
	if dt, err := typeOf(text); err == nil {
		return dt, nil
	}
	files := diag.NewFileSet()
	x, err := python.ParseExpr(files, "value", []byte(text))
	if err != nil {
		return text, nil
	}
	if v, ok := beyond[text]; ok {
		return v, nil
	}
	if name, ok := x.(*python.Name); ok {
		return name.ID, nil // a word is a string
	}
	v, err := pyrun.Eval(newEvaluator(files), x, pyrun.NewEnv(nil, helperNames()))
	if err != nil {
		return nil, err
	}
	return goValue(v), nil
}

// mayPoint reports whether a value may be given for a pointer: a number, a string or a type may not.
func mayPoint(v any) bool {
	switch v.(type) {
	case int64, float64, bool, string, nereid.DType:
		return false
	}
	return true
}

func newEvaluator(files *diag.FileSet) *object.Interp {
	return pyrun.New(pyrun.Options{Files: files,
		Limits: object.Limits{MaxSteps: 100_000, MaxBytes: 1 << 20}}).Interp
}

// goValue is a value of host Python as a launch takes it.
func goValue(v object.Value) any {
	switch v := v.(type) {
	case object.Int:
		if n, ok := object.AsInt64(v); ok {
			return n
		}
		return v
	case object.Float:
		return float64(v)
	case object.Bool:
		return bool(v)
	case object.Str:
		return string(v)
	case object.NoneType:
		return nil
	case *object.Tuple:
		return goValues(v.Items)
	case *object.List:
		return goValues(v.Items)
	}
	return v
}

func goValues(items []object.Value) []any {
	out := make([]any, len(items))
	for i, v := range items {
		out[i] = goValue(v)
	}
	return out
}

// on are the arguments of a launch, with tensors in memory of a device, by name.
func (in *inputs) on(dev *nereid.Device) ([]any, map[string]*nereid.Tensor, error) {
	var args []any
	tensors := map[string]*nereid.Tensor{}
	for _, a := range in.tensors {
		t, err := nereid.NewTensor(dev, a.dtype, a.shape...)
		if err != nil {
			closeAll(tensors)
			return nil, nil, err
		}
		tensors[a.name] = t
		if a.fill != "empty" {
			if err := t.CopyBytesFrom(a.data); err != nil {
				closeAll(tensors)
				return nil, nil, err
			}
		}
		args = append(args, nereid.Arg(a.name, a.argument(t)))
	}
	for name, v := range in.values {
		args = append(args, nereid.Arg(name, v))
	}
	return args, tensors, nil
}

// launch calls do with a stream of a device, the arguments of a launch and their tensors, and closes them
// after it.
func (in *inputs) launch(ctx context.Context, dev *nereid.Device,
	do func(s *nereid.Stream, args []any, tensors map[string]*nereid.Tensor) error) error {
	s, err := dev.NewStream(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	args, tensors, err := in.on(dev)
	if err != nil {
		return err
	}
	defer closeAll(tensors)
	return do(s, args, tensors)
}

// grid reads up to three expressions.
func (in *inputs) grid(text string) (g nereid.Grid, err error) {
	v, err := in.eval("(" + text + ",)")
	if err != nil {
		return g, usagef("--grid: %v", err)
	}
	t, ok := v.(*object.Tuple)
	if !ok || len(t.Items) == 0 || len(t.Items) > 3 {
		return g, usagef("--grid takes one to three numbers, not %q", text)
	}
	g = nereid.Grid{1, 1, 1}
	for i, item := range t.Items {
		n, ok := object.AsInt64(item)
		if !ok || n < 0 || n > math.MaxInt32 {
			return g, usagef("--grid: %s is no number of programs", text)
		}
		g[i] = int(n)
	}
	return g, nil
}

// number is the value of an expression of the arguments.
func (in *inputs) number(text string) (float64, error) {
	v, err := in.eval(text)
	if err != nil {
		return 0, err
	}
	switch v := v.(type) {
	case object.Float:
		return float64(v), nil
	case object.Int:
		f, _ := strconv.ParseFloat(v.Big().String(), 64)
		return f, nil
	}
	return 0, fmt.Errorf("%q is no number", text)
}

// eval evaluates an expression of the integer and float arguments, with cdiv, min and max.
func (in *inputs) eval(text string) (object.Value, error) {
	files := diag.NewFileSet()
	x, err := python.ParseExpr(files, "expression", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("%q is no expression", text)
	}
	vars := helperNames()
	ev := newEvaluator(files)
	for name, v := range in.values {
		switch v := v.(type) {
		case int64:
			vars.SetStr(name, object.MakeInt(v))
		case float64:
			vars.SetStr(name, object.Float(v))
		}
	}
	v, err := pyrun.Eval(ev, x, pyrun.NewEnv(nil, vars))
	if err != nil && strings.HasPrefix(err.Error(), "NameError") {
		return nil, fmt.Errorf("%w: there are %s", err, in.names(vars))
	}
	return v, err
}

// names lists what an expression may name.
func (in *inputs) names(vars *object.Dict) string {
	var out []string
	for _, name := range in.order {
		if _, ok := vars.GetStr(name); ok {
			out = append(out, name)
		}
	}
	return strings.Join(append(out, "cdiv", "next_power_of_2"), ", ")
}

// helperNames returns the functions that expressions may call, besides Python's own.
func helperNames() *object.Dict {
	d := object.NewDict()
	d.SetStr("cdiv", cdiv)
	d.SetStr("next_power_of_2", nextPower)
	return d
}

var nextPower = &object.Builtin{Name: "next_power_of_2",
	Fn: func(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
		if len(args) == 1 {
			if n, ok := object.AsInt64(args[0]); ok && n > 0 && n <= 1<<62 {
				p := int64(1)
				for p < n {
					p *= 2
				}
				return object.MakeInt(p), nil
			}
		}
		return nil, object.Errorf(object.TypeError, "next_power_of_2 takes a positive integer")
	}}

var cdiv = &object.Builtin{Name: "cdiv",
	Fn: func(_ *object.Interp, args []object.Value, _ []object.Keyword) (object.Value, error) {
		if len(args) == 2 {
			a, ok := object.AsInt64(args[0])
			b, ok2 := object.AsInt64(args[1])
			if ok && ok2 && b > 0 {
				return object.MakeInt((a + b - 1) / b), nil
			}
		}
		return nil, object.Errorf(object.TypeError, "cdiv takes two integers")
	}}

func (t *tensorArg) len() int {
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	return n
}

func (t *tensorArg) describe() string {
	dims := make([]string, len(t.shape))
	for i, d := range t.shape {
		dims[i] = strconv.Itoa(d)
	}
	text := t.dtype.String() + "[" + strings.Join(dims, "x") + "]"
	for i, n := range t.block {
		text += []string{"@", "x"}[min(i, 1)] + strconv.FormatInt(n, 10)
	}
	return text
}

func (t *tensorArg) at(data []byte, i int) float64 {
	var word [8]byte
	n := t.dtype.Size()
	copy(word[:], data[i*n:(i+1)*n])
	return t.dtype.Decode(binary.LittleEndian.Uint64(word[:]))
}

// as returns the elements in another type.
func (t *tensorArg) as(to nereid.DType) []byte {
	if to == t.dtype {
		return t.data
	}
	var word [8]byte
	out := make([]byte, 0, t.len()*to.Size())
	for i := range t.len() {
		binary.LittleEndian.PutUint64(word[:], to.Encode(t.at(t.data, i)))
		out = append(out, word[:to.Size()]...)
	}
	return out
}

// arg is the tensor as a recorded launch has it, in memory of its own name.
func (t *tensorArg) arg() replay.Arg {
	return replay.Arg{Name: t.name, Kind: replay.Tensor, Storage: t.name, Dtype: t.dtype.String()}
}

// summary is least, mean and greatest of the elements.
func (t *tensorArg) summary(data []byte) string {
	least, most, sum, odd := math.Inf(1), math.Inf(-1), 0.0, 0
	for i := range t.len() {
		v := t.at(data, i)
		if math.IsNaN(v) {
			odd++
			continue
		}
		least, most, sum = min(least, v), max(most, v), sum+v
	}
	text := fmt.Sprintf("%.4g to %.4g, mean %.4g", least, most, sum/float64(max(t.len()-odd, 1)))
	if odd > 0 {
		text += fmt.Sprintf(", %d NaN", odd)
	}
	return text
}

// head is the first n elements.
func (t *tensorArg) head(data []byte, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strconv.FormatFloat(t.at(data, i), 'g', 6, 64)
	}
	return strings.Join(parts, " ")
}

// String lists the arguments.
func (in *inputs) String() string {
	byName := map[string]*tensorArg{}
	for _, t := range in.tensors {
		byName[t.name] = t
	}
	parts := make([]string, len(in.order))
	for i, name := range in.order {
		if t := byName[name]; t != nil {
			parts[i] = name + "=" + t.describe()
			continue
		}
		parts[i] = fmt.Sprintf("%s=%v", name, in.values[name])
		if in.values[name] == "" {
			parts[i] += `""`
		}
	}
	return strings.Join(parts, " ")
}
