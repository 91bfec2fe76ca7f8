package code

import (
	"cmp"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/runtime/args"
)

// Hooked is a launch as hooks see it, valid while the hook runs.
type Hooked struct {
	Build  *Build
	Stream *args.Stream
	Work   *Work
}

// Entry returns the name of the kernel's function, which repr= may have chosen. The code of a CPU has a
// symbol for ranges of programs, whose name goes on behind a point.
func (b *Build) Entry() string {
	name, _, _ := strings.Cut(device.FactsOf(b.Exec).Entry, ".")
	return cmp.Or(name, b.Variant.Kernel)
}

// Args returns the arguments of the launch. Where nothing but the words of the launch is known, as in
// launches by generated functions, constants are missing and a pointer is an address.
func (l Hooked) Args() (list []args.Arg) {
	if m, ok := l.Work.Held.(*args.Matched); ok {
		for i, p := range m.Params.List {
			list = append(list, args.Arg{Name: p.Name, Value: m.Vals[i]})
		}
		return list
	}
	for i, word := range l.Work.Words {
		if p := l.Build.Param(i); p.Name != "" {
			list = append(list, args.Arg{Name: p.Name, Value: wordValue(p, word)})
		}
	}
	return list
}

// wordValue returns the value of a word of a launch.
func wordValue(p device.Param, word uint64) any {
	t, ok := dtype.Parse(p.Type)
	switch row := t.Row(); {
	case p.Pointer || !ok:
		return uintptr(word)
	case row.Format != nil:
		return row.Format.Decode(word)
	case row.Bits == 1:
		return word&1 != 0
	case row.Kind == dtype.Unsigned:
		return word << (64 - row.Bits) >> (64 - row.Bits)
	default:
		return int64(word) << (64 - row.Bits) >> (64 - row.Bits)
	}
}
