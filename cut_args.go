package nereid

import (
	"runtime"
	"runtime/trace"
	"unsafe"

	"github.com/nereid-lang/nereid/internal/target/nvidia"
	"github.com/nereid-lang/nereid/internal/target/nvidia/driver"
)

// argCut is the short cut of Kernel.Launch: like cut, for arguments of any type in the order of the parameters, options last if any.
type argCut struct {
	ready driver.Ready
	dev   *Device

	nArgs, nWords uint8

	p      *plan
	kinds  [argCutArgs]argKind
	codes  [argCutArgs]uint32   // a cutTensor, a cutScalar, or the place among consts
	consts [argCutConsts]argBox // what arguments must be
}

const (
	argCutArgs   = 24
	argCutConsts = 12
)

// argKind is what an argument must be.
type argKind uint8

const (
	argConst  argKind = iota // the very same, or equal
	argInt                   // an int
	argTensor                // a *Tensor
	argFloat                 // a float64 that becomes a float32
	argBool
)

// argBox is an argument, and as it lies in memory: where both halves are the same, so is the value.
type argBox struct {
	typ, data unsafe.Pointer
}

func boxOf(v *any) *argBox { return (*argBox)(unsafe.Pointer(v)) }

// launch launches if there is a short cut and the arguments fit.
func (x *argCut) launch(s *Stream, grid any, args []any) (done bool, err error) {
	if x == nil || s == nil || x.dev != s.dev || len(args) != int(x.nArgs) || len(args) > argCutArgs || trace.IsEnabled() {
		return false, nil
	}
	var words [cutWords]uint64
	differ := uint64(0)
	for i := range args {
		code := x.codes[i]
		switch x.kinds[i] {
		case argConst:
			box, want := boxOf(&args[i]), &x.consts[code%argCutConsts]
			if box.typ != want.typ || box.data != want.data && args[i] != *(*any)(unsafe.Pointer(want)) {
				return false, nil
			}
		case argInt:
			v, ok := args[i].(int)
			if !ok {
				return false, nil
			}
			differ |= uint64(cutScalar(code).differs(int64(v)))
			words[code>>24] = uint64(v)
		case argTensor:
			t, ok := args[i].(*Tensor)
			if !ok || t == nil || t.dev != x.dev {
				return false, nil
			}
			differ |= uint64(code&cutTensorClass) ^ uint64(t.class())
			words[code>>24] = t.addr
		default:
			word, ok := x.number(i, args[i])
			if !ok {
				return false, nil
			}
			words[code>>24] = word
		}
	}
	if differ != 0 {
		return false, nil
	}
	g, ok := grid.(Grid)
	if !ok {
		g, ok = x.p.grid(grid)
	}
	if !ok || !g.common() {
		return false, nil
	}
	err = x.ready.Launch(nvidia.RawStream(s.s), uint32(g[0]), uint32(max(g[1], 1)), uint32(max(g[2], 1)), words[:x.nWords])
	runtime.KeepAlive(x)
	return true, err
}

// number is the word of a float or a bool. It stays out of the code that every launch runs through.
//
//go:noinline
func (x *argCut) number(i int, v any) (word uint64, ok bool) {
	if x.kinds[i] == argFloat {
		f, ok := v.(float64)
		return uint64(FloatWord(f)), ok
	}
	b, ok := v.(bool)
	return boolWord(b), ok
}

// newArgCut is the short cut to a plan whose classes are those of the arguments, or nil.
func (k *Kernel) newArgCut(p *plan, args []any) *argCut {
	n := len(k.allParams)
	if !p.ready.Is() || len(args) > argCutArgs || len(args) < n || len(args) > n+1 || p.words >= cutNowhere {
		return nil
	}
	x := &argCut{ready: p.ready, dev: p.dev, p: p, nArgs: uint8(len(args))}
	b := argCutter{x, p.classes, 0}
	for i := range n {
		if !b.add(i, &k.allParams[i], args[i]) {
			return nil
		}
	}
	if len(args) > n {
		if _, ok := args[n].(Options); !ok || !b.addConst(n, args[n]) {
			return nil
		}
	}
	if int(x.nWords) != p.words {
		return nil
	}
	return x
}

// argCutter makes an argCut.
type argCutter struct {
	*argCut
	classes []class // that are left
	nConsts int
}

// add adds a parameter with its argument, unless it is none that short cuts know.
func (b *argCutter) add(i int, p *kernelParam, v any) bool {
	c := b.classes[0]
	if p.constexpr {
		b.classes = b.classes[3:]
		return b.addConst(i, v)
	}
	b.classes = b.classes[1:]
	at := uint8(cutNowhere)
	if !c.folded() {
		at = b.nWords
		b.nWords++
	}
	switch v := v.(type) {
	case nil:
		return b.addConst(i, nil)
	case *Tensor:
		b.kinds[i], b.codes[i] = argTensor, uint32(c)|uint32(at)<<24
		return v != nil && c <= cutTensorClass
	case int:
		b.kinds[i], b.codes[i] = argInt, uint32(p.cutInt(c, at))
		return !p.float
	case float64:
		b.kinds[i], b.codes[i] = argFloat, uint32(newCutScalar(0, 0, 0, at))
		return !p.fixed || p.dtype == Float32
	case bool:
		b.kinds[i], b.codes[i] = argBool, uint32(newCutScalar(0, 0, 0, at))
		return true
	}
	return false
}

// addConst adds an argument that must be what it is. Its type is one whose values can be compared.
func (b *argCutter) addConst(i int, v any) bool {
	switch v.(type) {
	case nil, int, bool, int64, int32, float64, string, DType, Options:
	default:
		return false
	}
	if b.nConsts == argCutConsts {
		return false
	}
	b.kinds[i], b.codes[i] = argConst, uint32(b.nConsts)
	b.consts[b.nConsts] = *boxOf(&v)
	b.nConsts++
	return true
}
