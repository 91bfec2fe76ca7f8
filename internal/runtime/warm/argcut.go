package warm

import (
	"math"
	"reflect"
	"runtime"
	"runtime/trace"
	"slices"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// ArgCut is the short cut of Kernel.Launch: like Cut, for arguments of any type in the order of the
// parameters, with options last if there are any. It never changes. Launch is for devices with a
// device.Launcher, Words for the CPU.
type ArgCut struct {
	launcher device.Launcher
	dev      *args.Device

	nArgs, nWords                              uint8
	nQuick, nInts, nTensors, nConsts, nNumbers uint8 // nArgs in all

	host   bool                // tensors may be in host memory
	tensor unsafe.Pointer      // type word of a tensor argument
	codes  [argCutArgs]argCode // codes of the quick ints, other ints, tensors, constants, numbers
	consts [argCutConsts]argWord
	Plan   *Plan    // keeps the code alive
	_      [48]byte // padded to whole cache lines
}

const (
	argCutArgs   = 24
	argCutConsts = 12
)

// argCode is the demand of the argument with an index.
type argCode struct {
	demand
	arg   uint8
	float bool // it is a float
}

// next returns the code that follows.
func (c *argCode) next() *argCode {
	return (*argCode)(unsafe.Add(unsafe.Pointer(c), unsafe.Sizeof(*c)))
}

// of returns the argument in a list that begins at first.
func (c *argCode) of(first unsafe.Pointer) *any {
	return (*any)(unsafe.Add(first, unsafe.Sizeof(any(nil))*uintptr(c.arg)))
}

// argWord is the memory of an interface value: if both halves are equal, so are the values.
type argWord struct{ typ, data unsafe.Pointer }

func wordOf(v *any) *argWord { return (*argWord)(unsafe.Pointer(v)) }

// Launch launches if there is a short cut and the arguments fit. Otherwise done is false and nothing has
// happened. Tensors are pointers to structs that begin with an args.Tensor.
func (x *ArgCut) Launch(s *args.Stream, grid *[3]int, list []any) (done bool, err error) {
	if x == nil || s == nil || x.dev != s.Dev || x.host || s.Closed.Load() || len(list) != int(x.nArgs) ||
		trace.IsEnabled() {
		return false, nil
	}
	// before anything looks whether a tensor is open, and before there is much to store
	call := s.Calls.Begin()
	var words [CutWords]uint64
	gx, gy, gz, bad := GPUGrid(grid)
	if x.fill(unsafe.Pointer(unsafe.SliceData(list)), &words) && bad == 0 {
		done, err = true, x.launcher.LaunchWords(s.S, gx, gy, gz, OnStack(&words)[:x.nWords], nil)
	}
	call.End()
	runtime.KeepAlive(&words)
	runtime.KeepAlive(x)
	return done, err
}

// OnHost reports whether the short cut is for a device that reads the host's memory in place: Words is for
// those, and Launch does nothing.
func (x *ArgCut) OnHost() bool { return x != nil && x.host }

// Words writes the words of arguments to words and returns the part that the device reads. It is for devices
// that have no device.Launcher and read host memory in place; ok is false if the arguments do not fit.
func (x *ArgCut) Words(dev *args.Device, list []any, words *[CutWords]uint64) (out []uint64, ok bool) {
	if x.dev != dev || len(list) != int(x.nArgs) || !x.fill(unsafe.Pointer(unsafe.SliceData(list)),
		words) {
		return nil, false
	}
	return words[:x.nWords], true
}

// fill writes the words of the nArgs arguments at list and reports whether they fit. Arguments of one kind
// follow each other, so that only the ends of the loops are mispredicted.
func (x *ArgCut) fill(list unsafe.Pointer, words *[CutWords]uint64) bool {
	refused, differ, outside := uint32(0), uint32(0), uint64(0)
	c := &x.codes[0]
	for n := x.nQuick; n > 0; n-- {
		v, ok := (*c.of(list)).(int)
		if !ok {
			return false
		}
		outside |= c.outside(int64(v))
		*c.word(words) = uint64(v)
		c = c.next()
	}
	for n := x.nInts; n > 0; n-- {
		v, ok := (*c.of(list)).(int)
		if !ok {
			return false
		}
		refused |= c.refuses(int64(v))
		*c.word(words) = uint64(v)
		c = c.next()
	}
	for n := x.nTensors; n > 0; n-- {
		w := wordOf(c.of(list))
		t := (*args.Tensor)(w.data)
		if w.typ != x.tensor || t == nil {
			return false
		}
		if on := t.Dev.Load(); on != x.dev && !x.reads(on, t.Addr) {
			return false
		}
		differ |= c.differs(t)
		*c.word(words) = t.Addr
		c = c.next()
	}
	want := &x.consts[0]
	for n := x.nConsts; n > 0; n-- {
		got := wordOf(c.of(list))
		if got.typ != want.typ {
			return false
		}
		if got.data != want.data && *c.of(list) != *(*any)(unsafe.Pointer(want)) {
			return false
		}
		c, want = c.next(), (*argWord)(unsafe.Add(unsafe.Pointer(want), unsafe.Sizeof(*want)))
	}
	return uint64(refused&1|differ)|outside == 0 && (x.nNumbers == 0 || x.fillNumbers(list, words))
}

// reads reports whether the device can read memory in place that is not its own. Host memory at 0 is empty or
// closed: the long way reports which.
func (x *ArgCut) reads(on *args.Device, addr uint64) bool { return x.host && on == nil && addr != 0 }

// fillNumbers writes the words of floats and bools. It is not part of fill, to keep the path of every launch
// short.
func (x *ArgCut) fillNumbers(list unsafe.Pointer, words *[CutWords]uint64) bool {
	for i := x.nArgs - x.nNumbers; i < x.nArgs; i++ {
		c := &x.codes[i]
		switch v := (*c.of(list)).(type) {
		case float64:
			if !c.float {
				return false
			}
			words[c.at] = uint64(math.Float32bits(float32(v)))
		case bool:
			if c.float {
				return false
			}
			words[c.at] = args.BoolWord(v)
		default:
			return false
		}
	}
	return true
}

// NewArgCut returns the short cut to a plan for the arguments of a Launch, or nil. vals are the same
// arguments in the form of package args; list may have options behind them.
func NewArgCut(p *Plan, rules []args.Rule, list, vals []any) *ArgCut {
	n := len(rules)
	if p.Launcher == nil && (!p.Dev.SharesHost() || p.Exec == nil) || len(vals) != n ||
		len(list) > argCutArgs || len(list) < n || len(list) > n+1 || p.Words >= nowhere {
		return nil
	}
	x := &ArgCut{launcher: p.Launcher, dev: p.Dev, Plan: p, nArgs: uint8(len(list)), host: p.Launcher == nil}
	b := argCutter{ArgCut: x, classes: p.Classes}
	for i := range n {
		if !b.add(i, &rules[i], list[i], vals[i]) {
			return nil
		}
	}
	if len(list) > n && !b.addConst(n, list[n]) || int(b.nWords) != p.Words {
		return nil
	}
	return b.finish()
}

// argCutter builds an ArgCut.
type argCutter struct {
	*ArgCut
	classes []args.Class // classes of the remaining parameters

	quick, ints, tensors, constants, numbers []argCode
}

// finish returns the ArgCut, with the codes of the arguments in order.
func (b *argCutter) finish() *ArgCut {
	x := b.ArgCut
	x.nQuick, x.nInts, x.nTensors = uint8(len(b.quick)), uint8(len(b.ints)), uint8(len(b.tensors))
	x.nConsts, x.nNumbers = uint8(len(b.constants)), uint8(len(b.numbers))
	copy(x.codes[:], slices.Concat(b.quick, b.ints, b.tensors, b.constants, b.numbers))
	return x
}

// add adds a parameter with its argument and reports whether its kind can have a short cut.
func (b *argCutter) add(i int, r *args.Rule, v, val any) bool {
	c := b.classes[0]
	if r.Constexpr {
		b.classes = b.classes[3:]
		return b.addConst(i, v)
	}
	b.classes = b.classes[1:]
	at := uint8(nowhere)
	if !c.Folded() {
		at = b.nWords
		b.nWords++
	}
	switch val := val.(type) {
	case nil:
		return b.addConst(i, v)
	case *args.Tensor:
		d, ok := tensorDemand(c, at)
		b.tensor = wordOf(&v).typ
		b.tensors = append(b.tensors, argCode{demand: d, arg: uint8(i)})
		return ok && val != nil && wordOf(&v).data == unsafe.Pointer(val)
	case int:
		if d, ok := intDemand(r.IntRule, c, at).quick(); ok {
			b.quick = append(b.quick, argCode{demand: d, arg: uint8(i)})
		} else {
			b.ints = append(b.ints, argCode{demand: d, arg: uint8(i)})
		}
		return !r.Float
	case float64:
		b.numbers = append(b.numbers, argCode{demand: anyNumber(at), arg: uint8(i), float: true})
		return !r.Fixed || r.Elem == dtype.Float32
	case bool:
		b.numbers = append(b.numbers, argCode{demand: anyNumber(at), arg: uint8(i)})
		return true
	}
	return false
}

// addConst adds an argument that must stay the same. It must be comparable, also the values in it.
func (b *argCutter) addConst(i int, v any) bool {
	n := len(b.constants)
	if n == argCutConsts || v != nil && !reflect.ValueOf(v).Comparable() {
		return false
	}
	b.constants = append(b.constants, argCode{arg: uint8(i)})
	b.consts[n] = *wordOf(&v)
	return true
}
