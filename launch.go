package nereid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/target"
)

// Named is an argument given by name; see Arg.
type Named struct {
	Name  string
	Value any
}

// Arg gives an argument by name, a constexpr usually: Arg("BLOCK_SIZE", 1024).
func Arg(name string, value any) Named { return Named{name, value} }

// Launch runs the kernel once for each program of the grid, a Grid or GridFunc. Arguments are given in the order of the parameters,
// or by name (Arg); an Options value among them sets num_warps and the like. What an argument may be:
//
//   - for a pointer: a *Tensor, or nil
//   - for a scalar: any integer or float type of Go, or a bool
//   - for a constexpr: an integer, float, bool, string, nil, a DType, a Func, or a slice of these (a tuple)
//   - for a tuple: a slice or array of these, with Const for items that are compiled in; for a named tuple: Fields
//   - for a tensor descriptor: a *Descriptor
//
// Integers become i32 or i64 by value and are specialised on being 1 or divisible by 16, pointers on alignment, as in Triton. A nil
// stream is one of the best device, waited for before Launch returns.
func (k *Kernel) Launch(s *Stream, grid any, args ...any) error {
	if done, err := k.last.Load().launch(s, grid, args); done {
		return err
	}
	return k.launch(s, grid, args, nil)
}

// noting is told the plan by which a launch can be repeated: for all arguments of the same classes, or, where decorators had a say in it,
// for those of the same values. It may be nil.
type noting func(p *plan, byValue bool)

// launch launches; note is told of the plan.
func (k *Kernel) launch(s *Stream, grid any, args []any, note noting) error {
	if s != nil {
		return k.launchOn(s, grid, args, note)
	}
	dev, err := Open("")
	if err != nil {
		return err
	}
	if s, err = dev.NewStream(context.Background()); err != nil {
		return err
	}
	defer s.Close()
	if err := k.launchOn(s, grid, args, note); err != nil {
		return err
	}
	return s.Sync()
}

func (k *Kernel) launchOn(s *Stream, grid any, args []any, note noting) error {
	if note == nil {
		if done, err := k.replay(s, grid, args); done {
			return err
		}
	}
	if done, err := k.decorated(s, grid, args, note); done {
		return err
	}
	return k.launchPlain(s, grid, args, note, false)
}

// launchPlain launches with all arguments given: decorators are done with.
func (k *Kernel) launchPlain(s *Stream, grid any, args []any, note noting, byValue bool) error {
	if note == nil {
		if done, err := k.replay(s, grid, args); done {
			return err
		}
	}
	l := &launch{k: k, dev: s.dev, on: s, meta: Meta{}}
	defer l.release()
	if err := l.bind(args); err != nil {
		return fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	g, err := l.grid(grid)
	if err != nil {
		return fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	b, err := k.build(s.ctx, s.dev, l)
	if err != nil {
		return err
	}
	if b.bounded == nil && !l.checked() { // else each launch sorts out the memory of its arguments
		p := newPlan(s.dev, b, len(l.words))
		p.meta = l.meta
		if note != nil {
			note(p, byValue)
		} else {
			k.remember(args, p)
		}
	}
	if g[0] == 0 || g[1] == 0 || g[2] == 0 {
		return nil
	}
	return b.launch(s, g, l.words, l.mem)
}

// launch is the arguments of one launch, sorted out.
type launch struct {
	k       *Kernel
	dev     *Device
	on      *Stream // nil: nothing is launched yet
	nowhere bool    // nothing is going to be: what arguments are is all that counts
	opts    Options
	specs   []lang.ArgSpec
	words   []uint64        // of runtime arguments: bits or addresses
	mem     []target.Memory // of those that are pointers
	lent    []target.Buffer // host memory handed to the device for this launch
	done    []func()        // what else ends with it
	meta    Meta
	param   string // whose argument is being looked at
	vals    []any  // of the parameters
	at      []int  // the first word of each
}

// release takes host memory back from the device.
func (l *launch) release() {
	for _, b := range l.lent {
		b.Close()
	}
	for _, f := range l.done {
		f()
	}
}

// checked reports whether accesses of the launch are checked against the bounds of its arguments.
func (l *launch) checked() bool {
	return l.opts.Check || l.k.m.conf.Check || knob.Checked.Get()
}

// address is where the device sees a tensor. Host memory is handed to it once, however many arguments share it. For a launch that is
// checked, devices with addresses of their own give a tensor that is a part of its memory addresses by which the rest is not reached.
func (l *launch) address(t *Tensor) (uint64, error) {
	switch {
	case t.err != nil:
		return 0, t.err
	case t.buf == nil:
		return 0, errNoMemory
	case t.dev != nil && t.dev != l.dev && !l.nowhere:
		return 0, fmt.Errorf("the tensor is on %s, and the launch on %s", t.dev, l.dev)
	}
	buf, addr := t.buf, t.addr
	if h, ok := buf.(hostBuffer); ok {
		var err error
		if buf, err = l.lend(h.data, func() (target.Buffer, error) { return l.dev.b.Wrap(h.data) }); err != nil {
			return 0, err
		}
		addr = buf.Addr() + uint64(t.offset)
	}
	if whole, ok := buf.(target.Narrower); ok && l.checked() {
		lo, hi := t.extent()
		if lo == 0 && hi == buf.Size() {
			return addr, nil
		}
		part, err := l.lend(buf.Host()[lo:hi], func() (target.Buffer, error) { return whole.Narrow(lo, hi) })
		if err != nil {
			return 0, err
		}
		addr = part.Addr() + uint64(t.offset-lo)
	}
	return addr, nil
}

// lend is memory of the host as the device has it for this launch: what it was handed before, or what give gives it.
func (l *launch) lend(data []byte, give func() (target.Buffer, error)) (target.Buffer, error) {
	for _, b := range l.lent {
		if h := b.Host(); len(data) > 0 && len(h) == len(data) && &h[0] == &data[0] {
			return b, nil
		}
	}
	if err := l.lends(); err != nil {
		return nil, err
	}
	b, err := give()
	if err != nil {
		return nil, err
	}
	if n, ok := b.(interface{ SetName(string) }); ok {
		n.SetName(l.param)
	}
	l.lent = append(l.lent, b)
	return b, nil
}

// point adds the word of a tensor, and notes the memory behind it.
func (l *launch) point(t *Tensor, addr uint64) {
	lo, hi := t.extent()
	base := addr - uint64(t.offset)
	l.mem = append(l.mem, target.Memory{
		Word: len(l.words), Lo: base + uint64(lo), Hi: base + uint64(hi), Base: base, End: base + uint64(t.buf.Size()),
	})
	l.words = append(l.words, addr)
}

// rebind notes the memory of another tensor of the device behind a word.
func (l *launch) rebind(word int, t *Tensor) {
	for i := range l.mem {
		if l.mem[i].Word == word {
			var other launch
			other.point(t, t.addr)
			l.mem[i] = other.mem[0]
			l.mem[i].Word = word
		}
	}
}

// bind matches arguments with parameters and specialises them.
func (l *launch) bind(args []any) error {
	k := l.k
	vals := make([]any, len(k.params))
	given := make([]bool, len(k.params))
	pos := 0
	for _, a := range args {
		switch a := a.(type) {
		case Options:
			l.opts = a
			continue
		case Named:
			i := k.param(a.Name)
			if i < 0 {
				return fmt.Errorf("there is no parameter %q", a.Name)
			}
			if given[i] {
				return fmt.Errorf("the argument %q is given twice", a.Name)
			}
			vals[i], given[i] = a.Value, true
			continue
		}
		for pos < len(given) && given[pos] {
			pos++
		}
		if pos == len(given) {
			return fmt.Errorf("takes %d arguments, more were given", len(k.params))
		}
		vals[pos], given[pos] = a, true
	}
	for i, p := range k.params {
		switch {
		case given[i]:
		case p.Default != nil:
			vals[i] = p.Default
		default:
			return fmt.Errorf("the argument %q is missing", p.Name)
		}
		l.at = append(l.at, len(l.words))
		if err := l.add(p, vals[i]); err != nil {
			return fmt.Errorf("argument %q: %w", p.Name, err)
		}
	}
	l.vals = vals
	l.opts.Debug = l.opts.Debug || k.debug && !l.opts.NoDebug
	l.opts.NoDebug = false // what is compiled for it is the same as without
	return nil
}

func (k *Kernel) param(name string) int {
	for i, p := range k.params {
		if p.Name == name {
			return i
		}
	}
	return -1
}

func (l *launch) add(p lang.Param, v any) error {
	l.param = p.Name
	spec, err := l.specialise(p, v)
	if err != nil {
		return err
	}
	if p.Constexpr {
		l.meta[p.Name] = plain(spec.Const)
	}
	l.specs = append(l.specs, spec)
	return nil
}

// specialise is what the compiler is told of one argument; runtime values go to l.vals.
func (l *launch) specialise(p lang.Param, v any) (lang.ArgSpec, error) {
	if p.Constexpr {
		c, err := constant(v)
		return lang.ArgSpec{Const: c}, err
	}
	switch v := v.(type) {
	case nil:
		return lang.ArgSpec{Const: pyrun.None}, nil
	case *Tensor:
		if v == nil {
			return lang.ArgSpec{Const: pyrun.None}, nil
		}
		return l.pointer(p, v)
	case *Descriptor:
		return l.descriptor(v)
	case pyrun.Value: // a default
		return l.fromHost(p, v)
	case Fields:
		return l.fields(p, v)
	case DType, string, Func:
		c, err := constant(v)
		return lang.ArgSpec{Const: c}, err
	case Const:
		c, err := constant(v.Value)
		return lang.ArgSpec{Const: c}, err
	}
	return l.scalar(p, reflect.ValueOf(v))
}

func (l *launch) fromHost(p lang.Param, v pyrun.Value) (lang.ArgSpec, error) {
	switch v := v.(type) {
	case pyrun.Int:
		return l.integer(p, v.Big())
	case pyrun.Float:
		return l.scalar(p, reflect.ValueOf(float64(v)))
	case pyrun.Bool:
		return l.scalar(p, reflect.ValueOf(bool(v)))
	}
	return lang.ArgSpec{Const: v}, nil
}

func (l *launch) scalar(p lang.Param, v reflect.Value) (lang.ArgSpec, error) {
	switch {
	case !v.IsValid():
		return lang.ArgSpec{Const: pyrun.None}, nil
	case v.CanInt():
		return l.integer(p, big.NewInt(v.Int()))
	case v.CanUint():
		return l.integer(p, new(big.Int).SetUint64(v.Uint()))
	case v.CanFloat():
		t, bits := sem.Type(sem.Float32), uint64(math.Float32bits(float32(v.Float())))
		if p.Type != "" {
			var err error
			if t, err = lang.ParseType(p.Type); err != nil {
				return lang.ArgSpec{}, err
			}
			if dt, derr := DTypeOf(p.Type); derr == nil {
				bits = dt.Encode(v.Float())
			}
		}
		l.words = append(l.words, bits)
		return lang.ArgSpec{Type: t}, nil
	case v.Kind() == reflect.Bool:
		bits := uint64(0)
		if v.Bool() {
			bits = 1
		}
		l.words = append(l.words, bits)
		return lang.ArgSpec{Type: sem.Int1}, nil
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		return l.tuple(p, v)
	}
	return lang.ArgSpec{}, fmt.Errorf("a %s cannot be passed to a kernel", v.Type())
}

// Const is a value that is compiled in though its parameter is no constexpr, as tl.constexpr(v) is in Python: an item of a tuple,
// usually.
type Const struct{ Value any }

// Fields is a named tuple: kernels reach its items by name as well as by position.
//
//	nereid.Fields{nereid.Arg("ptr", x), nereid.Arg("shape", []int{rows, cols})}
type Fields []Named

func (l *launch) fields(p lang.Param, v Fields) (lang.ArgSpec, error) {
	spec := lang.ArgSpec{Tuple: true}
	for _, f := range v {
		item, err := l.specialise(lang.Param{Name: p.Name}, f.Value)
		if err != nil {
			return spec, fmt.Errorf("field %s: %w", f.Name, err)
		}
		spec.Items, spec.Names = append(spec.Items, item), append(spec.Names, f.Name)
	}
	return spec, nil
}

func (l *launch) tuple(p lang.Param, v reflect.Value) (lang.ArgSpec, error) {
	spec := lang.ArgSpec{Tuple: true}
	p = lang.Param{Name: p.Name} // what is said of the parameter does not reach the items
	for i := range v.Len() {
		item, err := l.specialise(p, v.Index(i).Interface())
		if err != nil {
			return spec, fmt.Errorf("item %d: %w", i, err)
		}
		spec.Items = append(spec.Items, item)
	}
	return spec, nil
}

// integer chooses i32, i64 or u64 by value, unless the parameter's annotation does, and folds 1 away.
func (l *launch) integer(p lang.Param, v *big.Int) (lang.ArgSpec, error) {
	if !v.IsInt64() && !v.IsUint64() {
		return lang.ArgSpec{}, fmt.Errorf("%s does not fit 64 bits", v)
	}
	one := v.IsInt64() && v.Int64() == 1
	if one && !p.NoSpecialize && p.Type == "" {
		return lang.ArgSpec{Const: pyrun.MakeInt(1)}, nil
	}
	t := sem.Type(sem.Int32)
	switch {
	case p.Type != "":
		var err error
		if t, err = lang.ParseType(p.Type); err != nil {
			return lang.ArgSpec{}, err
		}
	case !v.IsInt64():
		t = sem.Uint64
	case v.Int64() != int64(int32(v.Int64())):
		t = sem.Int64
	}
	bits := v.Uint64()
	if v.Sign() < 0 {
		bits = uint64(v.Int64())
	}
	if d, ok := t.(*sem.DType); ok && d.IsFloating() {
		f, _ := new(big.Float).SetInt(v).Float64()
		if dt, err := DTypeOf(p.Type); err == nil {
			bits = dt.Encode(f)
		}
		l.words = append(l.words, bits)
		return lang.ArgSpec{Type: t}, nil
	}
	l.words = append(l.words, bits)
	div := !p.NoSpecialize && !p.NoAlign && bits%16 == 0
	return lang.ArgSpec{Type: t, Div16: div}, nil
}

// pointer is what the compiler is told of a tensor: its element type and whether its address is aligned.
func (l *launch) pointer(p lang.Param, t *Tensor) (lang.ArgSpec, error) {
	elem, err := lang.ParseType(t.DType.String())
	if err != nil {
		return lang.ArgSpec{}, err
	}
	addr, err := l.address(t)
	if err != nil {
		return lang.ArgSpec{}, err
	}
	l.point(t, addr)
	if strings.HasPrefix(p.Type, "*") { // the annotation decides, whatever the tensor is made of
		if elem, err = lang.ParseType(strings.TrimPrefix(p.Type[1:], "k")); err != nil {
			return lang.ArgSpec{}, err
		}
	}
	return lang.ArgSpec{Type: sem.PtrIn(elem, 1, p.Const), Div16: addr%16 == 0 && !p.NoSpecialize && !p.NoAlign}, nil
}

// constant is a compile-time argument as the compiler holds it.
func constant(v any) (pyrun.Value, error) {
	switch v := v.(type) {
	case nil:
		return pyrun.None, nil
	case pyrun.Value:
		return v, nil
	case string:
		return pyrun.Str(v), nil
	case bool:
		return pyrun.Bool(v), nil
	case DType:
		t, err := lang.ParseType(v.String())
		if err != nil {
			return nil, err
		}
		return t.(*sem.DType), nil
	case Func:
		return &lang.FuncRef{File: v.File, Name: v.Name}, nil
	case Const:
		return constant(v.Value)
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return pyrun.MakeInt(r.Int()), nil
	case r.CanUint():
		return pyrun.BigInt(new(big.Int).SetUint64(r.Uint())), nil
	case r.CanFloat():
		return pyrun.Float(r.Float()), nil
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		items := make([]pyrun.Value, r.Len())
		for i := range items {
			c, err := constant(r.Index(i).Interface())
			if err != nil {
				return nil, err
			}
			items[i] = c
		}
		return pyrun.NewTuple(items...), nil
	}
	return nil, fmt.Errorf("a %T cannot be a compile-time argument", v)
}

// plain is a compile-time value for GridFuncs: int64, float64, bool, string or nil.
func plain(v pyrun.Value) any {
	switch v := v.(type) {
	case pyrun.Int:
		n, _ := v.Int64()
		return n
	case pyrun.Float:
		return float64(v)
	case pyrun.Bool:
		return bool(v)
	case pyrun.Str:
		return string(v)
	}
	return nil
}

func (l *launch) grid(g any) ([3]int, error) {
	var out Grid
	switch g := g.(type) {
	case Grid:
		out = g
	case GridFunc:
		if g == nil {
			return out, errors.New("the grid is a nil function")
		}
		out = g(l.meta)
	case func(Meta) Grid:
		return l.grid(GridFunc(g))
	case int:
		out = Grid{g}
	default:
		return out, fmt.Errorf("the grid must be a Grid or a GridFunc, not %T", g)
	}
	for i, n := range out {
		if n < 0 {
			return out, fmt.Errorf("the grid %v has a negative dimension", out)
		}
		if n == 0 && i > 0 {
			out[i] = 1
		}
	}
	return out, nil
}
