package nereid

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/target"
)

// Typed is a kernel as generated code launches it (`nereid gen`): its compile-time arguments and options are a struct, its others come
// one by one with their Go types, and a launch whose arguments look like those of an earlier one allocates nothing.
type Typed[C comparable] struct {
	last lastCut

	Load   func() (*Module, error) // the module, when it is first needed
	Name   string                  // of the kernel
	Consts func(C) []any           // the struct's values by name, and options
	Kinds  string                  // of the other parameters, a letter for each, for Again; "" does without

	once   sync.Once
	kernel *Kernel
	err    error
	sets   atomic.Pointer[typedSets[C]]
	spare  target.Spare[Call]
}

// typedSets are what was launched, the latest first. They never change.
type typedSets[C comparable] struct {
	list    []typedSet[C]
	byValue map[C]*constSet // nil for a few
}

// typedSet is what was launched with one value of the struct.
type typedSet[C comparable] struct {
	c   C
	set *constSet
}

// constSet is a kernel with its compile-time arguments given.
type constSet struct {
	plans  plans
	params []kernelParam // those that arguments are given for
	k      *Kernel
	args   []any // the compile-time arguments by name, and options
	err    error // the kernel is not to be had

	kinds string    // of params
	raw   rawConsts // the compile-time arguments in memory
	last  *lastCut  // of the kernel

	// Plans that decorators had a say in, by the values of the arguments; nil until there is one.
	byValue atomic.Pointer[map[string]*plan]
}

// Kernel is the kernel itself.
func (t *Typed[C]) Kernel() (*Kernel, error) {
	t.once.Do(func() {
		m, err := t.Load()
		if err != nil {
			t.err = err
			return
		}
		t.kernel, t.err = m.Kernel(t.Name)
	})
	return t.kernel, t.err
}

// Call begins a launch. The arguments that are not compile-time follow in the order of the parameters, then Launch.
func (t *Typed[C]) Call(c C) *Call {
	call := t.spare.Get()
	call.begin(t.set(&c), &t.spare)
	return call
}

func (t *Typed[C]) set(c *C) *constSet {
	if sets := t.sets.Load(); sets != nil {
		if sets.byValue != nil {
			if s := sets.byValue[*c]; s != nil {
				return s
			}
			return t.newSet(*c)
		}
		for i := range sets.list {
			if s := &sets.list[i]; s.c == *c {
				return s.set
			}
		}
	}
	return t.newSet(*c)
}

func (t *Typed[C]) newSet(c C) *constSet {
	k, err := t.Kernel()
	set := &constSet{k: k, err: err, args: t.Consts(c), raw: newRaw(c), kinds: t.Kinds, last: &t.last}
	if err != nil {
		return set
	}
	set.params = k.runtimeParams
	for {
		old := t.sets.Load()
		sets := &typedSets[C]{list: []typedSet[C]{{c, set}}}
		if old != nil {
			sets.list = append(sets.list, old.list[:min(len(old.list), maxPlans-1)]...)
		}
		if len(sets.list) > fewPlans {
			sets.byValue = make(map[C]*constSet, len(sets.list))
			for _, s := range sets.list {
				sets.byValue[s.c] = s.set
			}
		}
		if t.sets.CompareAndSwap(old, sets) {
			return set
		}
	}
}

// Call is a launch in the making; see Typed.Call. It is used up by Launch.
type Call struct {
	look   // classes, one for each parameter
	words  []uint64
	set    *constSet
	params []kernelParam // of set
	n      int           // arguments given so far
	used   int           // words of them
	held   int           // tensors of them
	slow   bool          // one of them has no class
	host   bool          // memory of the host is among them
	spare  *target.Spare[Call]

	tensors []*Tensor
	room    room
	given   []givenArg // numbers that class and word do not tell, and others
	others  []any      // arguments of any kind, for given
	key     []byte
}

// givenArg is an argument for the long way, but for tensors.
type givenArg struct {
	kind class
	bits uint64
}

func (c *Call) begin(set *constSet, spare *target.Spare[Call]) {
	c.n, c.used, c.held, c.slow, c.host = 0, 0, 0, false, false
	c.classes = c.classes[:cap(c.classes)]
	if c.set == set { // as mostly
		return
	}
	c.set, c.params, c.spare = set, set.params, spare
	n := len(set.params)
	if len(c.words) < n {
		c.classes, c.words = c.room.grow(n, 1)
		c.given, c.tensors = make([]givenArg, n), make([]*Tensor, n)
	}
}

// end gives the call back. It keeps no tensors alive.
func (c *Call) end() {
	for i := 0; i < c.held; i++ { // few: clear would be a call
		c.tensors[i] = nil
	}
	if c.slow {
		clear(c.others)
		c.others = c.others[:0]
	}
	c.spare.Put(c)
}

// next is the position and the parameter of the next argument; nil where the kernel takes no more.
func (c *Call) next() (i int, p *kernelParam) {
	i = c.n
	c.n++
	if i < len(c.params) {
		p = &c.params[i]
	}
	return i, p
}

// put notes an argument for the short way.
func (c *Call) put(i int, cl class, word uint64) {
	c.classes[i] = cl
	used := c.used
	c.words[used] = word // counts if there is one
	if !cl.folded() {
		used++
	}
	c.used = used
}

// Tensor gives a tensor, or nil where the kernel takes None.
func (c *Call) Tensor(t *Tensor) {
	i, p := c.next()
	if p == nil {
		return
	}
	cl, word, ok := tensorClass(t)
	c.slow = c.slow || !ok
	c.host = c.host || t != nil && t.dev == nil
	c.tensors[c.held] = t
	c.held++
	c.put(i, cl, word)
}

// Int gives an integer.
func (c *Call) Int(v int64) {
	i, p := c.next()
	if p == nil {
		return
	}
	if p.float {
		c.intAsFloat(i, v)
		return
	}
	c.put(i, p.whole(v), uint64(v))
}

// Tensors gives tensors, one after the other.
func (c *Call) Tensors(ts ...*Tensor) {
	for _, t := range ts {
		c.Tensor(t)
	}
}

// Ints gives integers, one after the other: kernels have many, and what is noted of the call stays in registers meanwhile.
func (c *Call) Ints(vs ...int64) {
	at, used := c.n, c.used
	if at+len(vs) > len(c.params) {
		c.n += len(vs) // too many: the long way says so
		return
	}
	params, classes := c.params[at:at+len(vs)], c.classes[at:at+len(vs)]
	for i, v := range vs {
		p := &params[i]
		if p.float {
			c.n, c.used = at+i, used
			c.Int(v)
			used = c.used
			continue
		}
		cl := p.whole(v)
		classes[i] = cl
		c.words[used] = uint64(v) // counts if there is one
		if !cl.folded() {
			used++
		}
	}
	c.n, c.used = at+len(vs), used
}

// intAsFloat stays out of the code that each integer runs through.
//
//go:noinline
func (c *Call) intAsFloat(i int, v int64) {
	cl, word := c.params[i].int(v)
	c.given[i] = givenArg{classInt64, uint64(v)}
	c.put(i, cl, word)
}

// Float gives a float.
func (c *Call) Float(v float64) {
	i, p := c.next()
	if p == nil {
		return
	}
	cl, word := p.floating(v)
	c.given[i] = givenArg{classFloat, math.Float64bits(v)}
	c.put(i, cl, word)
}

// Number is what a parameter takes that may be an integer or a float.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~float32 | ~float64
}

// Give gives an integer or a float, whichever it is.
func Give[T Number](c *Call, v T) {
	if half := 0.5; T(half) != 0 {
		c.Float(float64(v))
		return
	}
	c.Int(int64(v))
}

// Bool gives a bool.
func (c *Call) Bool(v bool) {
	if i, p := c.next(); p != nil {
		c.put(i, classBool, boolWord(v))
	}
}

// Any gives whatever Kernel.Launch takes; launches with such an argument go the long way.
func (c *Call) Any(v any) {
	if i, p := c.next(); p != nil {
		c.slow = true
		c.others = append(c.others, v)
		c.given[i] = givenArg{classOther, uint64(len(c.others) - 1)}
		c.put(i, classOther, 0)
	}
}

// seen is what the arguments look like.
func (c *Call) seen() *look {
	c.classes = c.classes[:c.n]
	return &c.look
}

// each goes through the arguments as they were given; t is the tensor of those of the kind classPtr.
func (c *Call) each(f func(i int, g givenArg, t *Tensor)) {
	word, held := 0, 0
	for i, cl := range c.classes[:min(c.n, len(c.params))] {
		var g givenArg
		var t *Tensor
		switch cl & classKind {
		case classNone, classPtr:
			g.kind, t = classPtr, c.tensors[held]
			held++
		case classOne:
			g = givenArg{classInt64, 1}
		case classInt32, classInt64:
			g = givenArg{classInt64, c.words[word]}
		case classBool:
			g = givenArg{classBool, c.words[word]}
		default:
			g = c.given[i]
		}
		if !cl.folded() {
			word++
		}
		f(i, g, t)
	}
}

// Launch runs the kernel. A nil stream is one of the best device, waited for before Launch returns.
func (c *Call) Launch(s *Stream, grid Grid) error {
	if p := c.plan(s); p != nil && grid.common() {
		if p.cut != nil && c.set.last.Load() != p.cut {
			c.set.last.Store(p.cut)
		}
		err := p.launch(s, grid, c.words[:c.used])
		c.end()
		return err
	}
	err := c.long(s, grid)
	c.end()
	return err
}

// LaunchFunc runs the kernel with a grid that depends on the meta-parameters.
func (c *Call) LaunchFunc(s *Stream, grid GridFunc) error {
	if p := c.plan(s); p != nil {
		if g := grid(p.meta); g.common() {
			err := p.launch(s, g, c.words[:c.used])
			c.end()
			return err
		}
	}
	err := c.long(s, grid)
	c.end()
	return err
}

// short reports whether the arguments can go the short way.
func (c *Call) short(s *Stream) bool {
	if s == nil || c.slow || c.n > len(c.params) || c.set.err != nil || !s.dev.reads(c.host) {
		return false
	}
	for _, t := range c.tensors[:c.held] {
		if t != nil && t.dev != nil && t.dev != s.dev {
			return false // the long way says what is wrong with that
		}
	}
	return true
}

// plan is the one of the arguments, or nil.
func (c *Call) plan(s *Stream) *plan {
	if !c.short(s) {
		return nil
	}
	if !c.set.plans.empty() {
		return c.set.plans.find(c.seen(), s.dev)
	}
	if plans := c.set.byValue.Load(); plans != nil {
		c.appendKey(s.dev)
		return (*plans)[string(c.key)]
	}
	return nil
}

// appendKey writes all that decorators can see of the arguments.
func (c *Call) appendKey(dev *Device) {
	b := binary.NativeEndian.AppendUint64(c.key[:0], uint64(uintptr(unsafe.Pointer(dev))))
	c.each(func(_ int, g givenArg, t *Tensor) {
		b = append(b, byte(g.kind))
		if g.kind == classPtr {
			b = t.appendKey(b)
		} else {
			b = binary.NativeEndian.AppendUint64(b, g.bits)
		}
	})
	c.key = b
}

// maxByValue bounds the plans by value of one kernel.
const maxByValue = 1024

// noteValue keeps a plan for arguments of these values, if its words are those of the arguments: decorators may add some.
func (c *Call) noteValue(p *plan) {
	if p.words != c.used {
		return
	}
	c.appendKey(p.dev)
	for {
		old := c.set.byValue.Load()
		list := map[string]*plan{string(c.key): p}
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

// long launches through Kernel.Launch and remembers how.
func (c *Call) long(s *Stream, grid any) error {
	if c.set.err != nil {
		return c.set.err
	}
	k := c.set.k
	if c.n > len(c.params) {
		return fmt.Errorf("nereid: %s: %w", k.name, errTooMany)
	}
	args := append([]any(nil), c.set.args...)
	names := k.runtimeNames()
	c.each(func(i int, g givenArg, t *Tensor) { args = append(args, Arg(names[i], c.value(g, t))) })
	var note noting
	if c.short(s) {
		note = func(p *plan, byValue bool) {
			if byValue {
				c.noteValue(p)
				return
			}
			p.keep(c.seen())
			p.cut = c.set.newCut(p, p.classes)
			c.set.plans.add(p)
		}
	}
	return k.launch(s, grid, args, note)
}

// value is an argument as Launch takes it.
func (c *Call) value(g givenArg, t *Tensor) any {
	switch g.kind {
	case classPtr:
		if t == nil {
			return nil
		}
		return t
	case classInt64:
		return int64(g.bits)
	case classFloat:
		return math.Float64frombits(g.bits)
	case classBool:
		return g.bits != 0
	default:
		return c.others[g.bits]
	}
}

// runtimeNames are the names of the parameters that are not compile-time.
func (k *Kernel) runtimeNames() []string {
	var names []string
	for _, p := range k.params {
		if !p.Constexpr {
			names = append(names, p.Name)
		}
	}
	return names
}

// Bound is a kernel frozen for one specialisation on one stream. Set changes arguments within it; Launch copies nothing and allocates
// nothing. It belongs to one goroutine.
type Bound struct {
	p     *plan
	s     *Stream
	words []uint64

	k       *Kernel
	l       *launch
	classes []class // of the parameters; those without a word cannot be set
	at      []int   // of each parameter, its first word
}

// Bind compiles the kernel for arguments and keeps them for launches to come on a stream. The caller closes it.
func (k *Kernel) Bind(s *Stream, args ...any) (*Bound, error) {
	if s == nil {
		return nil, fmt.Errorf("nereid: %s is bound to no stream", k.name)
	}
	l := &launch{k: k, dev: s.dev, meta: Meta{}}
	if err := l.bind(args); err != nil {
		l.release()
		return nil, fmt.Errorf("nereid: %s: %w", k.name, err)
	}
	b, err := k.build(s.ctx, s.dev, l)
	if err != nil {
		l.release()
		return nil, err
	}
	x := &Bound{p: newPlan(s.dev, b, len(l.words)), s: s, words: l.words, k: k, l: l, at: l.at, classes: make([]class, len(k.params))}
	for i := range k.params {
		x.classes[i] = boundClass(&k.allParams[i], l.vals[i])
	}
	return x, nil
}

// boundClass is the class of an argument that can be changed, or one without a word.
func boundClass(p *kernelParam, v any) class {
	if p.constexpr {
		return classNone
	}
	if t, ok := v.(*Tensor); ok {
		if t != nil && t.dev == nil {
			return classNone // lent to the device for as long as it is bound
		}
		c, _, _ := tensorClass(t)
		return c
	}
	c, _, _ := p.scalar(v)
	return c
}

// Launch runs the kernel with the arguments as they are now.
func (b *Bound) Launch(grid Grid) error {
	if grid[0] <= 0 || grid[1] < 0 || grid[2] < 0 {
		if grid[0] == 0 {
			return nil
		}
		return fmt.Errorf("nereid: %s: the grid %v has a negative dimension", b.k.name, grid)
	}
	if b.p.b.bounded != nil {
		return b.p.b.launch(b.s, [3]int{grid[0], max(grid[1], 1), max(grid[2], 1)}, b.words, b.l.mem)
	}
	return b.p.launch(b.s, grid, b.words)
}

// Param is the position of a parameter for the Set functions, or -1.
func (b *Bound) Param(name string) int { return b.k.param(name) }

// SetInt changes an integer argument, within its specialisation: what was divisible by 16 stays so.
func (b *Bound) SetInt(param int, v int64) error {
	if err := b.settable(param); err != nil {
		return err
	}
	c, word := b.k.allParams[param].int(v)
	return b.put(param, c, word)
}

// SetFloat changes a float argument.
func (b *Bound) SetFloat(param int, v float64) error {
	if err := b.settable(param); err != nil {
		return err
	}
	c, word := b.k.allParams[param].floating(v)
	return b.put(param, c, word)
}

// SetTensor changes a tensor argument, to one of the same type and alignment that lies on the device.
func (b *Bound) SetTensor(param int, t *Tensor) error {
	if err := b.settable(param); err != nil {
		return err
	}
	c, word, ok := tensorClass(t)
	if !ok || t == nil || t.dev != b.s.dev {
		return fmt.Errorf("nereid: %s: argument %q must be a tensor on the device", b.k.name, b.k.params[param].Name)
	}
	if err := b.put(param, c, word); err != nil {
		return err
	}
	b.l.rebind(b.at[param], t)
	b.l.vals[param] = t // keeps its memory alive
	return nil
}

func (b *Bound) settable(param int) error {
	if param < 0 || param >= len(b.classes) {
		return fmt.Errorf("nereid: %s has no parameter %d", b.k.name, param)
	}
	if b.classes[param].folded() {
		return fmt.Errorf("nereid: %s: argument %q is fixed for as long as the kernel is bound", b.k.name, b.k.params[param].Name)
	}
	return nil
}

func (b *Bound) put(param int, c class, word uint64) error {
	if c != b.classes[param] {
		return fmt.Errorf("nereid: %s: argument %q does not fit what the kernel was bound for: bind it again", b.k.name, b.k.params[param].Name)
	}
	b.words[b.at[param]] = word
	return nil
}

// Close gives back what the arguments hold.
func (b *Bound) Close() error {
	b.l.release()
	b.l.lent, b.l.done = nil, nil
	return nil
}
