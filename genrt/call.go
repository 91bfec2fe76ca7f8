package genrt

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
	"github.com/nereid-lang/nereid/internal/target"
)

// Call is a launch under construction; see Typed.Call. It must not be used after Launch.
type Call struct {
	args.Look // one class for each parameter
	words     []uint64
	set       *constSet
	params    []args.Rule // rules of set
	n         int         // arguments given so far
	used      int         // words of those arguments
	held      int         // tensors among them
	slow      bool        // an argument has no class
	host      bool        // a tensor is in host memory
	described bool        // an argument is a descriptor
	spare     *device.Spare[Call]

	tensors []*nereid.Tensor
	given   []givenArg // values of arguments that class and word do not determine
	others  []any      // arguments of any kind, indexed by given
	key     []byte
	room    struct {
		classes [24]args.Class
		words   [24]uint64
	}
}

// givenArg is the value of an argument for a launch without a plan, except tensors.
type givenArg struct {
	kind args.Class
	bits uint64
}

func (c *Call) begin(set *constSet, spare *device.Spare[Call]) {
	c.n, c.used, c.held, c.slow, c.host, c.described = 0, 0, 0, false, false, false
	c.Classes = c.Classes[:cap(c.Classes)]
	if c.set == set { // the common case
		return
	}
	c.set, c.params, c.spare = set, set.params, spare
	n := len(set.params)
	if len(c.words) >= n {
		return
	}
	c.Classes, c.words = c.room.classes[:], c.room.words[:]
	if n > len(c.words) {
		c.Classes, c.words = make([]args.Class, n), make([]uint64, n)
	}
	c.given, c.tensors = make([]givenArg, len(c.words)), make([]*nereid.Tensor, len(c.words))
}

// end gives the call back for reuse. It keeps no tensors alive.
func (c *Call) end() {
	for i := 0; i < c.held; i++ { // few: clear would be a call
		c.tensors[i] = nil
	}
	if len(c.others) > 0 {
		clear(c.others)
		c.others = c.others[:0]
	}
	c.spare.Put(c)
}

// next returns the position and the rule of the next argument; the rule is nil if the kernel takes no more.
func (c *Call) next() (i int, r *args.Rule) {
	i = c.n
	c.n++
	if i < len(c.params) {
		r = &c.params[i]
	}
	return i, r
}

// put appends an argument's class and word.
func (c *Call) put(i int, cl args.Class, word uint64) {
	c.Classes[i] = cl
	used := c.used
	c.words[used] = word // overwritten if the class has no word
	if !cl.Folded() {
		used++
	}
	c.used = used
}

// Tensor adds a tensor, or nil for None.
func (c *Call) Tensor(t *nereid.Tensor) {
	i, r := c.next()
	if r == nil {
		return
	}
	cl, word := args.ClassNone, uint64(0)
	if x := tensorOf(t); x != nil {
		cl, word = x.Class(), x.Addr
		onHost := x.Dev.Load() == nil
		c.host = c.host || onHost
		c.slow = c.slow || onHost && x.Addr == 0 // empty or closed: the long way reports which
	}
	c.tensors[c.held] = t
	c.held++
	c.put(i, cl, word)
}

// Int adds an integer.
func (c *Call) Int(v int64) {
	i, r := c.next()
	if r == nil {
		return
	}
	if r.Float {
		c.intAsFloat(i, v)
		return
	}
	c.put(i, r.Class(v), uint64(v))
}

// Tensors adds tensors in order.
func (c *Call) Tensors(ts ...*nereid.Tensor) {
	for _, t := range ts {
		c.Tensor(t)
	}
}

// Ints adds integers in order. Kernels have many, and a single call keeps its state in registers.
func (c *Call) Ints(vs ...int64) {
	at, used := c.n, c.used
	if at+len(vs) > len(c.params) {
		c.n += len(vs) // too many: the long way reports it
		return
	}
	params, classes := c.params[at:at+len(vs)], c.Classes[at:at+len(vs)]
	for i, v := range vs {
		r := &params[i]
		if r.Float {
			c.n, c.used = at+i, used
			c.Int(v)
			used = c.used
			continue
		}
		cl := r.Class(v)
		classes[i] = cl
		c.words[used] = uint64(v) // overwritten if the class has no word
		if !cl.Folded() {
			used++
		}
	}
	c.n, c.used = at+len(vs), used
}

// intAsFloat adds an integer for a float parameter. It is not inlined, to keep the path of each integer
// short.
//
//go:noinline
func (c *Call) intAsFloat(i int, v int64) {
	cl, word := c.params[i].Integer(v)
	c.given[i] = givenArg{args.ClassInt64, uint64(v)}
	c.put(i, cl, word)
}

// Float adds a float.
func (c *Call) Float(v float64) {
	i, r := c.next()
	if r == nil {
		return
	}
	cl, word := r.Floating(v)
	c.given[i] = givenArg{args.ClassFloat, math.Float64bits(v)}
	c.put(i, cl, word)
}

// Number is the type of an argument for a parameter that takes integers and floats.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64
}

// Give adds an integer or a float, by its type.
func Give[T Number](c *Call, v T) {
	if half := 0.5; T(half) != 0 {
		c.Float(float64(v))
		return
	}
	c.Int(int64(v))
}

// Bool adds a bool.
func (c *Call) Bool(v bool) {
	if i, r := c.next(); r != nil {
		c.put(i, args.ClassBool, uint64(BoolWord(v)))
	}
}

// Descriptor adds a tensor descriptor, or nil for None.
func (c *Call) Descriptor(d *nereid.Descriptor) {
	x := (*args.Descriptor)(unsafe.Pointer(d))
	if d == nil || x.Base == nil || c.n >= len(c.params) {
		c.Any(d)
		return
	}
	cl, ok := x.Class(x.Base.Addr)
	onHost := x.Base.Dev.Load() == nil
	if !ok || onHost && x.Base.Addr == 0 {
		c.Any(d)
		return
	}
	i, _ := c.next()
	c.host = c.host || onHost
	c.described = true
	c.tensors[c.held] = d.Base
	c.held++
	c.others = append(c.others, d)
	c.given[i] = givenArg{args.ClassOther, uint64(len(c.others) - 1)}
	c.Classes[i] = cl
	words := x.AppendWords(c.words[:c.used], x.Base.Addr)
	if c.used = len(words); c.used+len(c.params) > len(c.words) {
		words = append(words, make([]uint64, c.used+len(c.params))...) // room for the arguments that follow
	}
	c.words = words[:max(cap(words), c.used)]
}

// Any adds any argument that Kernel.Launch takes. Launches with such an argument have no plan.
func (c *Call) Any(v any) {
	if i, r := c.next(); r != nil {
		c.slow = true
		c.others = append(c.others, v)
		c.given[i] = givenArg{args.ClassOther, uint64(len(c.others) - 1)}
		c.put(i, args.ClassOther, 0)
	}
}

// seen returns the look of the arguments.
func (c *Call) seen() *args.Look {
	c.Classes = c.Classes[:c.n]
	return &c.Look
}

// each calls f for each argument; t is the tensor of arguments of kind ClassPtr.
func (c *Call) each(f func(i int, g givenArg, t *nereid.Tensor)) {
	word, held := 0, 0
	for i, cl := range c.Classes[:min(c.n, len(c.params))] {
		var g givenArg
		var t *nereid.Tensor
		switch cl & args.ClassKind {
		case args.ClassNone, args.ClassPtr:
			g.kind, t = args.ClassPtr, c.tensors[held]
			held++
		case args.ClassOne:
			g = givenArg{args.ClassInt64, 1}
		case args.ClassInt32, args.ClassInt64:
			g = givenArg{args.ClassInt64, c.words[word]}
		case args.ClassBool:
			g = givenArg{args.ClassBool, c.words[word]}
		default:
			g = c.given[i]
		}
		if kind := cl & args.ClassKind; kind == args.ClassDesc {
			held++
		}
		word += cl.Words()
		f(i, g, t)
	}
}

// Launch runs the kernel. A nil stream means a stream of the best device, which Launch waits for.
func (c *Call) Launch(s *nereid.Stream, grid nereid.Grid) error {
	defer c.end()
	p := c.plan(s)
	if p == nil {
		return c.long(s, grid)
	}
	if p.Cut != nil && c.set.last.Load() != p.Cut {
		c.set.last.Store(p.Cut)
	}
	return jit.LaunchPlan(p, c.set.k, s, grid, c.words[:c.used], c)
}

// LaunchFunc runs the kernel with a grid that depends on the arguments.
func (c *Call) LaunchFunc(s *nereid.Stream, grid nereid.GridFunc) error {
	defer c.end()
	p := c.plan(s)
	if p == nil {
		return c.long(s, grid)
	}
	g, err := jit.GridOf(p, c.set.k, grid, c)
	if err != nil {
		return err
	}
	return jit.LaunchPlan(p, c.set.k, s, g, c.words[:c.used], c)
}

// Closed implements args.Holder.
func (c *Call) Closed(on *args.Device) bool {
	for _, t := range c.tensors[:c.held] {
		if x := tensorOf(t); x != nil && x.Closed(on) {
			return true
		}
	}
	return false
}

// Bytes implements args.Holder.
func (c *Call) Bytes() (n int64) {
	for _, t := range c.tensors[:c.held] {
		if x := tensorOf(t); x != nil {
			n += x.Bytes()
		}
	}
	return n
}

// short reports whether the arguments can be launched by a plan.
func (c *Call) short(s *nereid.Stream) bool {
	if s == nil || c.slow || c.n > len(c.params) || c.set.err != nil {
		return false
	}
	dev := streamOf(s).Dev
	if dev == nil || c.host && !dev.SharesHost() || c.described && !dev.DescribesInWords() {
		return false
	}
	for _, t := range c.tensors[:c.held] {
		if t == nil {
			continue
		}
		if on := tensorOf(t).Dev.Load(); on != nil && on != dev {
			return false // the long way reports the error
		}
	}
	return true
}

// plan returns the plan of the arguments, or nil.
func (c *Call) plan(s *nereid.Stream) *warm.Plan {
	if !c.short(s) {
		return nil
	}
	dev := streamOf(s).Dev
	if !c.set.plans.Empty() {
		p := c.set.plans.Find(c.seen(), &target.Options{}, dev)
		if p != nil && p.Apart != nil && c.overlap(p) {
			return c.set.plans.Find(c.seen(), &target.Options{Overlap: true}, dev)
		}
		return p
	}
	if plans := c.set.byValue.Load(); plans != nil && !c.described {
		c.appendKey(dev)
		if p := (*plans)[string(c.key)]; p != nil && !c.overlap(p) {
			return p
		}
	}
	return nil
}

// overlap reports whether tensors overlap that the plan's code assumes to be apart.
func (c *Call) overlap(p *warm.Plan) bool {
	for _, x := range p.Apart {
		if core.Overlaps(tensorOf(c.tensors[x.A]), tensorOf(c.tensors[x.B]), x.OrEqual) {
			return true
		}
	}
	return false
}

// byTensor converts pairs of words to pairs of the call's tensors.
func (c *Call) byTensor(apart []target.Apart) (out []target.Apart) {
	var at []int // tensor of each word
	n := 0
	for _, cl := range c.Classes[:c.n] {
		for range cl.Words() {
			at = append(at, n)
		}
		if k := cl & args.ClassKind; k == args.ClassPtr || k == args.ClassNone || k == args.ClassDesc {
			n++
		}
	}
	for _, x := range apart {
		out = append(out, target.Apart{A: at[x.A], B: at[x.B], OrEqual: x.OrEqual})
	}
	return out
}

// appendKey stores in c.key everything that decorators can see of the arguments.
func (c *Call) appendKey(dev *args.Device) {
	b := binary.NativeEndian.AppendUint64(c.key[:0], uint64(uintptr(unsafe.Pointer(dev))))
	c.each(func(_ int, g givenArg, t *nereid.Tensor) {
		b = append(b, byte(g.kind))
		if g.kind == args.ClassPtr {
			b = appendTensor(b, t)
		} else {
			b = binary.NativeEndian.AppendUint64(b, g.bits)
		}
	})
	c.key = b
}

// appendTensor appends everything that a Python function can see of a tensor.
func appendTensor(b []byte, t *nereid.Tensor) []byte {
	if t == nil {
		return append(b, 'n')
	}
	b = append(b, byte(t.DType))
	for _, n := range t.Shape {
		b = strconv.AppendInt(append(b, 'x'), int64(n), 10)
	}
	for _, n := range t.Strides { // as many as dimensions unless the caller set the fields
		b = strconv.AppendInt(append(b, ':'), int64(n), 10)
	}
	return append(b, '@', byte(tensorOf(t).Addr%16))
}

// maxByValue bounds the plans by value of a kernel.
const maxByValue = 1024

// noteValue keeps a plan for arguments of these values.
func (c *Call) noteValue(p *warm.Plan) {
	if p.Words != c.used || p.Overlap {
		return
	}
	p.Apart = c.byTensor(p.Apart)
	c.appendKey(p.Dev)
	for {
		old := c.set.byValue.Load()
		list := map[string]*warm.Plan{string(c.key): p}
		if old != nil && len(*old) < maxByValue {
			for k, v := range *old {
				list[k] = v
			}
		}
		if c.set.byValue.CompareAndSwap(old, &list) {
			return
		}
	}
}

var errTooMany = errors.New("more arguments than the kernel has parameters: generate the code again")

// long launches as Kernel.Launch does and keeps the plan.
func (c *Call) long(s *nereid.Stream, grid nereid.Programs) error {
	if c.set.err != nil {
		return c.set.err
	}
	k := c.set.k
	if c.n > len(c.params) {
		return &nereid.ArgumentError{Kernel: k.Name(), Err: errTooMany}
	}
	list := append([]any(nil), c.set.args...)
	names := c.names()
	c.each(func(i int, g givenArg, t *nereid.Tensor) {
		list = append(list, nereid.Arg(names[i], c.value(g, t)))
	})
	var note func(p *warm.Plan, byValue bool)
	if c.short(s) {
		note = func(p *warm.Plan, byValue bool) {
			switch {
			case p.Words != c.used: // the words are not those of the arguments given here
				return
			case byValue:
				if !c.described { // a key of values does not say all of a descriptor
					c.noteValue(p)
				}
				return
			}
			p.Keep(c.seen(), target.Options{Overlap: p.Overlap})
			p.Apart = c.byTensor(p.Apart)
			p.Cut = warm.NewCut(p, c.set.kinds, c.set.params, p.Classes, &c.set.raw)
			c.set.plans.Add(p)
		}
	}
	return c.set.unset(jit.Launch(k, s, grid, list, note))
}

// value returns an argument in the form that Launch takes.
func (c *Call) value(g givenArg, t *nereid.Tensor) any {
	switch g.kind {
	case args.ClassPtr:
		if t == nil {
			return nil
		}
		return t
	case args.ClassInt64:
		return int64(g.bits)
	case args.ClassFloat:
		return math.Float64frombits(g.bits)
	case args.ClassBool:
		return g.bits != 0
	default:
		return c.others[g.bits]
	}
}

// names returns the names of the parameters that are no constexprs.
func (c *Call) names() []string {
	var names []string
	for _, p := range jit.Params(c.set.k).List {
		if !p.Constexpr {
			names = append(names, p.Name)
		}
	}
	return names
}

// Integer implements core.Values. It returns an argument that was given as an integer.
func (c *Call) Integer(name string) (n int64, ok bool) {
	at := 0
	for _, p := range jit.Params(c.set.k).List {
		switch {
		case p.Constexpr:
		case p.Name != name:
			at++
		default:
			c.each(func(i int, g givenArg, _ *nereid.Tensor) {
				if i == at && g.kind == args.ClassInt64 {
					n, ok = int64(g.bits), true
				}
			})
			return n, ok
		}
	}
	return 0, false
}

// Value implements core.Values.
func (c *Call) Value(name string) (v any, ok bool) {
	for i, n := range c.names() {
		if n == name {
			c.each(func(j int, g givenArg, t *nereid.Tensor) {
				if i == j {
					v, ok = c.value(g, t), true
				}
			})
			return v, ok
		}
	}
	for _, a := range c.set.args {
		if a, is := a.(nereid.Named); is && a.Name == name {
			return a.Value, true
		}
	}
	return nil, false
}
