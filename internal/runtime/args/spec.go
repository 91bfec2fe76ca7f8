package args

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/target"
)

// Specs returns the compiler's descriptions of the arguments.
func (f *Frame) Specs(p *Params) ([]lang.ArgSpec, error) {
	specs := make([]lang.ArgSpec, len(p.List))
	classes, texts, others := f.Classes, f.Texts, f.others
	for i, param := range p.List {
		c, bits := classes[0], uint64(0)
		classes = classes[1:]
		if param.Constexpr {
			bits = uint64(classes[0]) | uint64(classes[1])<<32
			classes = classes[2:]
		}
		var err error
		switch c {
		case ClassOther:
			specs[i], others, texts = others[0], others[1:], texts[1:]
		case ClassConstText:
			specs[i], texts = lang.ArgSpec{Const: object.Str(texts[0])}, texts[1:]
		default:
			specs[i], err = specOf(param, c, bits)
		}
		if err != nil {
			return nil, &Error{param.Name, err}
		}
	}
	return specs, nil
}

// specOf returns the compiler's description of an argument of a class; bits is the value of a constant.
func specOf(p lang.Param, c Class, bits uint64) (lang.ArgSpec, error) {
	switch kind := c & ClassKind; kind {
	case ClassNone:
		return lang.ArgSpec{Const: object.None}, nil
	case ClassOne:
		return lang.ArgSpec{Const: object.MakeInt(1)}, nil
	case ClassConstInt:
		return lang.ArgSpec{Const: object.MakeInt(int64(bits))}, nil
	case ClassConstFloat:
		return lang.ArgSpec{Const: object.Float(math.Float64frombits(bits))}, nil
	case ClassConstBool:
		return lang.ArgSpec{Const: object.Bool(bits != 0)}, nil
	case ClassConstType:
		return lang.ArgSpec{Const: sem.ScalarOf(dtype.Type(bits))}, nil
	case ClassDefault:
		return lang.ArgSpec{Const: p.Default}, nil
	case ClassBool:
		return lang.ArgSpec{Type: sem.Int1}, nil
	case ClassPtr:
		return pointerSpec(p, c)
	case ClassDesc:
		return lang.ArgSpec{Desc: &lang.DescSpec{Elem: sem.ScalarOf(c.elem()), Block: c.block(),
			Pointer: c&ClassDiv16 == 0}}, nil
	default:
		return numberSpec(p, c)
	}
}

// numberTypes holds the types of numbers without an annotation.
var numberTypes = map[Class]*sem.DType{
	ClassInt32: sem.Int32, ClassInt64: sem.Int64, ClassUint64: sem.Uint64, ClassFloat: sem.Float32,
}

func numberSpec(p lang.Param, c Class) (lang.ArgSpec, error) {
	var t sem.Type = numberTypes[c&ClassKind]
	if c&ClassKind == ClassTyped {
		t = sem.ScalarOf(c.Elem())
	}
	if p.Type != "" {
		var err error
		if t, err = lang.ParseType(p.Type); err != nil {
			return lang.ArgSpec{}, err
		}
	}
	return lang.ArgSpec{Type: t, Div16: c&ClassDiv16 != 0}, nil
}

func pointerSpec(p lang.Param, c Class) (lang.ArgSpec, error) {
	var elem sem.Type = sem.ScalarOf(c.Elem())
	if strings.HasPrefix(p.Type, "*") { // the annotation wins over the tensor's type
		var err error
		if elem, err = lang.ParseType(strings.TrimPrefix(p.Type[1:], "k")); err != nil {
			return lang.ArgSpec{}, err
		}
	}
	div := c&ClassDiv16 != 0 && !p.NoAlign
	return lang.ArgSpec{Type: sem.PtrIn(elem, 1, p.Const), Div16: div}, nil
}

// Key returns the text that identifies a specialization: two launches share compiled code exactly if their
// keys are equal.
func Key(dev *Device, specs []lang.ArgSpec, opts target.Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %p %+v", dev, dev, dev.Defaults(opts)) // code belongs to one device
	for _, s := range specs {
		writeSpec(&b, s)
	}
	return b.String()
}

func writeSpec(b *strings.Builder, s lang.ArgSpec) {
	switch {
	case s.Tuple:
		fmt.Fprintf(b, "|%s(", strings.Join(s.Names, ","))
		for _, item := range s.Items {
			writeSpec(b, item)
		}
		b.WriteString(")")
	case s.Desc != nil:
		fmt.Fprintf(b, "|desc %s%v:%v", s.Desc.Elem, s.Desc.Block, s.Desc.Pointer)
	case s.Type != nil:
		fmt.Fprintf(b, "|%s:%v", s.Type, s.Div16)
		if s.Small {
			b.WriteString(":S")
		}
	default:
		fmt.Fprintf(b, "|=%s %s", s.Const.TypeName(), lang.Repr(s.Const))
	}
}
