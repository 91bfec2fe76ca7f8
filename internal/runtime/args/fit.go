package args

import (
	"slices"

	"github.com/nereid-lang/nereid/internal/signature"
)

// Fits returns an error if specialized arguments do not fit code that was compiled for specs: it names the
// first that does not.
func (f *Frame) Fits(p *Params, specs []signature.Arg) error {
	got, err := f.Specs(p)
	if err != nil {
		return err
	}
	for i, want := range specs {
		if !fits(got[i], want) || !f.inRange(p, i, want) {
			return errorf(p.List[i].Name, "%s, and the kernel was compiled for %s", misfit(got[i], want),
				signature.Format(specs[i:i+1]))
		}
	}
	return nil
}

// misfit says why an argument of got does not fit want.
func misfit(got, want signature.Arg) string {
	pointer := want.Type.IsPointer()
	switch {
	case !got.Typed() || !want.Typed() || !sameType(got.Type, want.Type):
		return "it is " + signature.Format([]signature.Arg{got})
	case want.Div16 && !got.Div16 && pointer:
		return "its address is not divisible by 16"
	case want.Div16 && !got.Div16:
		return "it is not divisible by 16"
	case want.Small && !got.Small:
		return "the code is for tensors smaller than 2 GiB (:S), which launches do not check"
	}
	return "it is out of range"
}

// fits reports whether code compiled for want can take an argument of got.
func fits(got, want signature.Arg) bool {
	switch {
	case want.Tuple:
		return got.Tuple && sameNames(got.Names, want.Names) &&
			slices.EqualFunc(got.Items, want.Items, fits)
	case want.Desc != nil:
		return got.Desc != nil && got.Desc.Elem == want.Desc.Elem &&
			slices.Equal(got.Desc.Block, want.Desc.Block) &&
			(want.Desc.Pointer || !got.Desc.Pointer) // code without tensor maps takes any descriptor
	case want.Typed():
		return got.Typed() && sameType(got.Type, want.Type) && (got.Div16 || !want.Div16) &&
			(got.Small || !want.Small)
	}
	return got.Constant() && got.Const.Same(want.Const)
}

// sameNames reports whether items of a tuple that have names on both sides have the same ones, in one order.
func sameNames(a, b []string) bool { return len(a) == 0 || len(b) == 0 || slices.Equal(a, b) }

// sameType compares types; whether a pointer is only read does not matter to a launch.
func sameType(a, b signature.Type) bool {
	return a.IsPointer() == b.IsPointer() && a.Pointee() == b.Pointee()
}

// inRange reports whether an integer argument has a value of the type that the code takes.
func (f *Frame) inRange(p *Params, i int, want signature.Arg) bool {
	r := &p.Rules[i]
	if !want.Typed() || !r.Fixed || r.Float || len(f.At) <= i {
		return true
	}
	bits := 8 * r.Elem.Size()
	if bits >= 64 {
		return true
	}
	v := int64(f.Words[f.At[i]])
	return v>>(bits-1) == 0 || v>>(bits-1) == -1 || uint64(v)>>bits == 0 && r.Elem.String()[0] == 'u'
}

// Takes reports whether code for an argument of class c takes one of class got: one that is divisible by 16
// where that does not matter, 1 where another integer was.
func (c Class) Takes(got Class) bool {
	return got == c || got == c|ClassDiv16 || got == ClassOne && c == ClassInt32
}

// kindTexts names the classes of words that a launch passes.
var kindTexts = map[Class]string{
	ClassOne: "the integer 1", ClassInt32: "an int32", ClassInt64: "an int64", ClassUint64: "a uint64",
	ClassFloat: "a float", ClassBool: "a bool", ClassDesc: "a descriptor",
}

func (c Class) text() string {
	switch c & ClassKind {
	case ClassPtr:
		return "a tensor of " + c.Elem().String()
	case ClassTyped:
		return "a number of type " + c.Elem().String()
	}
	return kindTexts[c&ClassKind]
}

// Misfit says why code for an argument of class c does not take one of class got.
func (c Class) Misfit(got Class) string {
	switch {
	case got.text() != c.text():
		return "it is " + got.text() + ", and was " + c.text()
	case c&ClassKind == ClassPtr:
		return "its address is not divisible by 16, and was"
	}
	return "it is not divisible by 16, and was"
}
