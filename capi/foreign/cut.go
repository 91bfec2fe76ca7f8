//go:build !nereid_run

package foreign

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/runtime/warm"
)

// cut is the plan of an earlier launch and what arguments must look like to be launched by it: a launch reads
// the arguments once, compares them, and collects the words for the device. It never changes.
type cut struct {
	launcher device.Launcher
	dev      *args.Device
	opts     numbers
	words    int
	steps    []step
	fixed    []fixedWord // words of parameters without an argument

	plan  *warm.Plan
	shown atomic.Uint64 // mark of Kernel.Unshown
	// apart holds pairs of arguments whose memory must not overlap, by their indices.
	apart []pair
}

// maxWords bounds the words of a launch with a cut; the last place is for words that the code holds.
const (
	maxWords = warm.CutWords
	nowhere  = maxWords - 1
)

// step is what an argument must look like, and what becomes of its value.
type step struct {
	head  uint64 // kind, dtype, flags and count
	name  string // "" if it is given by position
	how   How
	look  uint8  // with TakeInt: bit i is set if an integer with the args.Facts i does not fit
	at    uint8  // place of its word
	value uint64 // with same: the value
	text  string // with SameText: the text
	size  uint64 // bytes that the memory must have; 0 means any number
}

type fixedWord struct {
	at   uint8
	word uint64
}

type pair struct {
	a, b    int
	orEqual bool
}

// How says what a step does with a value. quick.h has the same numbers.
type How uint8

const (
	Ignore      How = iota // the head says all
	TakeInt                // integer with the facts of look
	TakePointer            // address, aligned to 16 bytes
	TakeAny                // address, not aligned to 16 bytes
	TakeFloat              // double → fp32
	TakeWord               // the value is the word
	TakeBool
	Same // compiled in
	SameText
)

// numbers is what a cut compares of options.
type numbers struct {
	flags uint32
	sizes [4]int32
}

func (o *Options) numbers() (n numbers, plain bool) {
	if o == nil {
		return n, true
	}
	n = numbers{o.Flags, [4]int32{o.NumWarps, o.NumStages, o.NumCTAs, o.MaxNReg}}
	return n, o.Extra == nil && o.ExternLibs == nil
}

// head returns the first eight bytes of an argument.
func (a *Arg) head() uint64 { return *(*uint64)(unsafe.Pointer(a)) }

// fill writes the words of arguments and reports whether they fit.
func (c *cut) fill(list []Arg, words *[maxWords]uint64) bool {
	if len(list) != len(c.steps) {
		return false
	}
	differ := uint64(0)
	for i := range c.steps {
		s, a := &c.steps[i], &list[i]
		v := a.Value
		differ |= a.head() ^ s.head
		if a.Name != nil || s.name != "" {
			if text(a.Name) != s.name {
				return false
			}
		}
		if s.size != 0 && a.Size != s.size {
			return false
		}
		at := s.at % maxWords
		switch s.how {
		case TakeInt:
			differ |= uint64(s.look>>args.Facts(int64(v))) & 1
			words[at] = v
		case TakePointer:
			if v == 0 {
				return false // the long way reports it
			}
			differ |= v&15 | a.Size>>47
			words[at] = v
		case TakeAny:
			if v&15 == 0 {
				return false
			}
			differ |= a.Size >> 47
			words[at] = v
		case TakeFloat:
			words[at] = uint64(math.Float32bits(float32(math.Float64frombits(v))))
		case TakeWord:
			words[at] = v
		case TakeBool:
			words[at] = 0
			if v != 0 {
				words[at] = 1
			}
		case Same:
			differ |= v ^ s.value
		case SameText:
			if differ != 0 || v == 0 || a.text() != s.text {
				return false
			}
		}
	}
	for _, f := range c.fixed {
		words[f.at%maxWords] = f.word
	}
	return differ == 0
}

// launch launches if the arguments fit. Otherwise done is false and nothing has happened.
func (c *cut) launch(k *Kernel, s *nereid.Stream, grid *[3]int, list []Arg, o *Options) (done bool,
	err error) {
	st := streamOf(s)
	n, plain := o.numbers()
	if st.Dev != c.dev || st.Closed.Load() || n != c.opts || !plain {
		return false, nil
	}
	if c.launcher == nil {
		return c.launchHost(k, s, grid, list)
	}
	var words [maxWords]uint64
	if !c.fill(list, &words) {
		return false, nil
	}
	x, y, z, bad := warm.GPUGrid(grid)
	if bad != 0 {
		return false, nil // the long way reports it
	}
	call := st.Calls.Begin()
	err = c.launcher.LaunchWords(st.S, x, y, z, warm.OnStack(&words)[:c.words], nil)
	call.End()
	runtime.KeepAlive(&words)
	runtime.KeepAlive(c)
	return true, err
}

// launchHost launches on a device that has no device.Launcher.
func (c *cut) launchHost(k *Kernel, s *nereid.Stream, grid *[3]int, list []Arg) (done bool, err error) {
	words := k.words.Get()
	defer k.words.Put(words)
	if !c.fill(list, words) || c.overlaps(list) {
		return false, nil
	}
	return true, jit.LaunchPlan(c.plan, k.k, s, *grid, words[:c.words], nil)
}

// overlaps reports whether memory overlaps that the code assumes to be apart.
func (c *cut) overlaps(list []Arg) bool {
	for _, p := range c.apart {
		a, b := &list[p.a], &list[p.b]
		if p.orEqual && a.Value == b.Value || (a.Flags|b.Flags)&FlagApart != 0 {
			continue
		}
		if a.Value < b.Value+sizeOf(b) && b.Value < a.Value+sizeOf(a) {
			return true
		}
	}
	return false
}

// sizeOf returns how far memory may reach.
func sizeOf(a *Arg) uint64 {
	if a.Size == 0 {
		return noSize
	}
	return a.Size
}

// cutter builds a cut.
type cutter struct {
	*cut
	byValue bool  // decorators chose by the values of arguments
	of      []int // argument of each word, -1 if it has none
}

// newCut returns the cut to a plan for a list of arguments, or nil if one of them has a kind that only the
// long way knows.
func newCut(p *warm.Plan, params *args.Params, list []Arg, o *Options, byValue bool) *cut {
	n, plain := o.numbers()
	if !plain || p.Launcher == nil && !p.Dev.SharesHost() {
		return nil
	}
	c := &cut{launcher: p.Launcher, dev: p.Dev, opts: n, plan: p, steps: make([]step, len(list))}
	b := cutter{cut: c, byValue: byValue}
	index := matched(params, list)
	for i := range params.List {
		at := index[i]
		if at < 0 && !b.missing(params, i) || at >= 0 && !b.add(&params.Rules[i], list, at) {
			return nil
		}
	}
	if b.words != p.Words || b.words >= nowhere {
		return nil
	}
	for _, x := range p.Apart {
		if x.A >= len(b.of) || x.B >= len(b.of) || b.of[x.A] < 0 || b.of[x.B] < 0 {
			return nil
		}
		b.apart = append(b.apart, pair{b.of[x.A], b.of[x.B], x.OrEqual})
	}
	return b.cut
}

// matched returns the argument of each parameter, -1 if it has none. The launch has matched them before.
func matched(params *args.Params, list []Arg) []int {
	index := make([]int, len(params.List))
	for i := range index {
		index[i] = -1
	}
	for at := range list {
		if name := text(list[at].Name); name != "" {
			if i := params.Index(name); i >= 0 {
				index[i] = at
			}
		}
	}
	next := 0
	for at := range list {
		if list[at].Name != nil {
			continue
		}
		for next < len(index) && index[next] >= 0 {
			next++
		}
		if next < len(index) {
			index[next] = at
		}
	}
	return index
}

// place returns the place of the next word, of an argument or of none.
func (b *cutter) place(c args.Class, arg int) uint8 {
	if c.Folded() {
		return nowhere
	}
	b.of = append(b.of, arg)
	b.words++
	return uint8(min(b.words-1, nowhere))
}

// missing adds a parameter that has its default.
func (b *cutter) missing(params *args.Params, i int) bool {
	r, p := &params.Rules[i], &params.List[i]
	if r.Constexpr || p.Default == nil {
		return r.Constexpr || !b.byValue // a decorator's value may be a word
	}
	c, word, ok := number(r, p)
	if ok && !c.Folded() {
		b.fixed = append(b.fixed, fixedWord{b.place(c, -1), word})
	}
	return true
}

// number returns the class and the word of a default that is a number.
func number(r *args.Rule, p *lang.Param) (c args.Class, word uint64, ok bool) {
	switch v := p.Default.Plain().(type) {
	case int64:
		c, word = r.Integer(v)
	case float64:
		c, word = r.Floating(v)
	case bool:
		c, word = args.ClassBool, args.BoolWord(v)
	default:
		return 0, 0, false
	}
	return c, word, true
}

// add adds the argument list[at] of a parameter and reports whether its kind can have a cut.
func (b *cutter) add(r *args.Rule, list []Arg, at int) bool {
	a, s := &list[at], &b.steps[at]
	s.head, s.name, s.value, s.at = a.head(), clone(a.Name), a.Value, nowhere
	if r.Constexpr || a.Flags&FlagConst != 0 {
		return s.constant(a)
	}
	c, ok := s.runtime(r, a)
	if !ok || (a.Kind == Ptr || a.Kind == Host) && !b.reads(a) {
		return false
	}
	s.at = b.place(c, at)
	if b.byValue {
		b.exactly(s, c, a)
	}
	return true
}

// reads reports whether the device reads the memory of an argument in place.
func (b *cutter) reads(a *Arg) bool {
	return a.Kind == Ptr && b.launcher != nil || b.dev.SharesHost()
}

// exactly makes the step demand the very value, since decorators may have looked at it. The word of a float
// then is the one of this launch.
func (b *cutter) exactly(s *step, c args.Class, a *Arg) {
	switch s.how {
	case Ignore:
		return
	case TakePointer, TakeAny:
		s.size = a.Size
		return
	}
	if !c.Folded() {
		var words [maxWords]uint64
		one := cut{steps: []step{*s}}
		one.fill([]Arg{*a}, &words)
		b.fixed = append(b.fixed, fixedWord{s.at, words[s.at]})
	}
	s.how, s.at = Same, nowhere
}

// constant makes the step demand a value that is compiled in.
func (s *step) constant(a *Arg) bool {
	switch a.Kind {
	case None, DType:
		s.how = Ignore
	case Bool, Int, Float, Scalar:
		s.how = Same
	case String, Func:
		s.how, s.text = SameText, a.string0()
	default:
		return false
	}
	return true
}

// string0 returns a copy of the text, "" for NULL.
func (a *Arg) string0() string { return clone((*byte)(a.pointer())) }

// runtime makes the step take a value that the device receives, and returns its class.
func (s *step) runtime(r *args.Rule, a *Arg) (c args.Class, ok bool) {
	switch a.Kind {
	case None:
		s.how = Ignore
		return args.ClassNone, true
	case Bool:
		s.how = TakeBool
		return args.ClassBool, true
	case Int:
		return s.integer(r, a, func(v int64) args.Class { return r.Class(v) })
	case Float:
		return s.float(r, dtype.Float32)
	case Scalar:
		t := dtype.Type(a.DType)
		if t.IsFloat() {
			return s.float(r, t)
		}
		return s.integer(r, a, func(v int64) args.Class {
			c, _ := r.Typed(args.Scalar{Elem: t, Bits: uint64(v)})
			return c
		})
	case Ptr, Host:
		if s.how = TakePointer; a.Value&15 != 0 {
			s.how = TakeAny
		}
		return args.ClassPtr, true
	}
	return 0, false
}

// integer makes the step take integers of the same class.
func (s *step) integer(r *args.Rule, a *Arg, class func(int64) args.Class) (args.Class, bool) {
	c := class(int64(a.Value))
	s.how, s.look = TakeInt, args.Misfits(class, c)
	return c, !r.Float && dtype.Type(a.DType) != dtype.Bool
}

// float makes the step take floats of a type: fp32 and fp64 alone, which need no rounding by hand.
func (s *step) float(r *args.Rule, t dtype.Type) (args.Class, bool) {
	if r.Fixed {
		t = r.Elem
	}
	switch t {
	case dtype.Float32:
		s.how = TakeFloat
	case dtype.Float64:
		s.how = TakeWord
	default:
		return 0, false
	}
	return args.ClassFloat, true
}

func streamOf(s *nereid.Stream) *args.Stream { return (*args.Stream)(unsafe.Pointer(s)) }
