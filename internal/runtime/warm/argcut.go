package warm

import (
	"math"
	"reflect"
	"runtime"
	"runtime/trace"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target/nvidia"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// ArgCut is the short cut of Kernel.Launch: like Cut, for arguments of any type in the order of the
// parameters, with options last if there are any. It never changes. Launch is for devices with a
// driver.Ready, Words for the CPU.
type ArgCut struct {
	ready driver.Ready
	dev   *args.Device

	nArgs, nWords uint8

	Plan    *Plan          // keeps the code alive
	tensors unsafe.Pointer // type word of a tensor argument
	kinds   [argCutArgs]argKind
	codes   [argCutArgs]uint32    // code of a tensor or a scalar, or the index in consts
	consts  [argCutConsts]argWord // arguments that must be the same
}

const (
	argCutArgs   = 24
	argCutConsts = 12
)

// argKind says what an argument must be.
type argKind uint8

const (
	argConst  argKind = iota // identical or equal
	argInt                   // an int
	argTensor                // a tensor
	argFloat                 // a float64 that becomes a float32
	argBool
)

// argWord is the memory of an interface value: if both halves are equal, so are the values.
type argWord struct{ typ, data unsafe.Pointer }

func wordOf(v *any) *argWord { return (*argWord)(unsafe.Pointer(v)) }

// Launch launches if there is a short cut and the arguments fit. Otherwise done is false and nothing has
// happened. Tensors are pointers to structs that begin with an args.Tensor.
func (x *ArgCut) Launch(s *args.Stream, grid *[3]int, list []any) (done bool, err error) {
	if x == nil || s == nil || x.dev != s.Dev || len(list) != int(x.nArgs) || len(list) > argCutArgs ||
		trace.IsEnabled() {
		return false, nil
	}
	var words [CutWords]uint64
	differ := uint64(0)
	for i := range list {
		code := x.codes[i]
		switch x.kinds[i] {
		case argConst:
			got, want := wordOf(&list[i]), &x.consts[code%argCutConsts]
			if got.typ != want.typ || got.data != want.data && list[i] != *(*any)(unsafe.Pointer(want)) {
				return false, nil
			}
		case argInt:
			v, ok := list[i].(int)
			if !ok {
				return false, nil
			}
			differ |= uint64(scalar(code).differs(int64(v)))
			words[code>>scalarAt] = uint64(v)
		case argTensor:
			w := wordOf(&list[i])
			t := (*args.Tensor)(w.data)
			if w.typ != x.tensors || t == nil || t.Dev != x.dev {
				return false, nil
			}
			differ |= uint64(code&tensorClass) ^ uint64(t.Class())
			words[code>>scalarAt] = t.Addr
		default:
			word, ok := x.number(i, list[i])
			if !ok {
				return false, nil
			}
			words[code>>scalarAt] = word
		}
	}
	gx, gy, gz, ok := GPUGrid(grid)
	if differ != 0 || !ok {
		return false, nil
	}
	err = x.ready.Launch(nvidia.RawStream(s.S), gx, gy, gz, words[:x.nWords])
	runtime.KeepAlive(x)
	return true, err
}

// Words writes the words of arguments to words, which has room for CutWords, and returns the part that the
// device reads. It is for devices that have no driver.Ready and read host memory in place; ok is false if the
// arguments do not fit.
func (x *ArgCut) Words(dev *args.Device, list []any, words []uint64) (out []uint64, ok bool) {
	if len(list) != int(x.nArgs) || len(list) > argCutArgs || len(words) < CutWords || x.dev != dev {
		return nil, false
	}
	words = words[:CutWords]
	differ := uint64(0)
	for i := range list {
		code := x.codes[i]
		at := code >> scalarAt % CutWords
		switch x.kinds[i] {
		case argConst:
			got, want := wordOf(&list[i]), &x.consts[code%argCutConsts]
			if got.typ != want.typ || got.data != want.data && list[i] != *(*any)(unsafe.Pointer(want)) {
				return nil, false
			}
		case argInt:
			v, ok := list[i].(int)
			if !ok {
				return nil, false
			}
			differ |= uint64(scalar(code).differs(int64(v)))
			words[at] = uint64(v)
		case argTensor:
			w := wordOf(&list[i])
			t := (*args.Tensor)(w.data)
			if w.typ != x.tensors || t == nil || t.Dev != dev && (t.Dev != nil || t.Addr == 0) {
				return nil, false // host memory at 0 is empty or closed: the long way reports which
			}
			differ |= uint64(code&tensorClass) ^ uint64(t.Class())
			words[at] = t.Addr
		default:
			word, ok := x.number(i, list[i])
			if !ok {
				return nil, false
			}
			words[at] = word
		}
	}
	return words[:x.nWords], differ == 0
}

// number returns the word of a float or a bool. It is not inlined, to keep the path of every launch short.
//
//go:noinline
func (x *ArgCut) number(i int, v any) (word uint64, ok bool) {
	if x.kinds[i] == argFloat {
		f, ok := v.(float64)
		return uint64(math.Float32bits(float32(f))), ok
	}
	b, ok := v.(bool)
	if b {
		word = 1
	}
	return word, ok
}

// NewArgCut returns the short cut to a plan for the arguments of a Launch, or nil. vals are the same
// arguments in the form of package args; list may have options behind them.
func NewArgCut(p *Plan, rules []args.Rule, list, vals []any) *ArgCut {
	n := len(rules)
	if !p.Ready.Is() && (!p.Dev.SharesHost() || p.Exec == nil) || len(vals) != n || len(list) > argCutArgs ||
		len(list) < n || len(list) > n+1 || p.Words >= nowhere {
		return nil
	}
	b := argCutter{&ArgCut{ready: p.Ready, dev: p.Dev, Plan: p, nArgs: uint8(len(list))}, p.Classes, 0}
	for i := range n {
		if !b.add(i, &rules[i], list[i], vals[i]) {
			return nil
		}
	}
	if len(list) > n && !b.addConst(n, list[n]) || int(b.nWords) != p.Words {
		return nil
	}
	return b.ArgCut
}

// argCutter builds an ArgCut.
type argCutter struct {
	*ArgCut
	classes []args.Class // classes of the remaining parameters
	nConsts int
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
		b.tensors = wordOf(&v).typ
		b.kinds[i], b.codes[i] = argTensor, uint32(c)|uint32(at)<<scalarAt
		return val != nil && wordOf(&v).data == unsafe.Pointer(val) && c <= tensorClass
	case int:
		b.kinds[i], b.codes[i] = argInt, uint32(intScalar(r.IntRule, c, at))
		return !r.Float
	case float64:
		b.kinds[i], b.codes[i] = argFloat, uint32(anyScalar(at))
		return !r.Fixed || r.Elem == dtype.Float32
	case bool:
		b.kinds[i], b.codes[i] = argBool, uint32(anyScalar(at))
		return true
	}
	return false
}

// addConst adds an argument that must stay the same. It must be comparable, also the values in it.
func (b *argCutter) addConst(i int, v any) bool {
	if b.nConsts == argCutConsts || v != nil && !reflect.ValueOf(v).Comparable() {
		return false
	}
	b.kinds[i], b.codes[i] = argConst, uint32(b.nConsts)
	b.consts[b.nConsts] = *wordOf(&v)
	b.nConsts++
	return true
}
