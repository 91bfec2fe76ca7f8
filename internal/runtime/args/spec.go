package args

import (
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Specs returns the compiler's descriptions of the arguments.
func (f *Frame) Specs(p *Params) ([]signature.Arg, error) {
	specs := make([]signature.Arg, len(p.List))
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
			specs[i], texts = signature.Arg{Const: signature.Str(texts[0])}, texts[1:]
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
func specOf(p signature.Param, c Class, bits uint64) (signature.Arg, error) {
	switch kind := c & ClassKind; kind {
	case ClassNone:
		return signature.Arg{Const: signature.None}, nil
	case ClassOne:
		return signature.Arg{Const: signature.Int(1)}, nil
	case ClassConstInt:
		return signature.Arg{Const: signature.Int(int64(bits))}, nil
	case ClassConstFloat:
		return signature.Arg{Const: signature.Float(math.Float64frombits(bits))}, nil
	case ClassConstBool:
		return signature.Arg{Const: signature.Bool(bits != 0)}, nil
	case ClassConstType:
		return signature.Arg{Const: signature.DType(dtype.Type(bits))}, nil
	case ClassDefault:
		return signature.Arg{Const: p.Default}, nil
	case ClassBool:
		return signature.Arg{Type: signature.Scalar(dtype.Bool)}, nil
	case ClassPtr:
		return pointerSpec(p, c)
	case ClassDesc:
		return signature.Arg{Desc: &signature.Desc{Elem: c.elem(), Block: c.block(),
			Pointer: c&ClassDiv16 == 0}}, nil
	default:
		return numberSpec(p, c)
	}
}

// numberTypes holds the types of numbers without an annotation.
var numberTypes = map[Class]dtype.Type{
	ClassInt32: dtype.Int32, ClassInt64: dtype.Int64, ClassUint64: dtype.Uint64,
	ClassFloat: dtype.Float32,
}

func numberSpec(p signature.Param, c Class) (signature.Arg, error) {
	t := signature.Scalar(numberTypes[c&ClassKind])
	if c&ClassKind == ClassTyped {
		t = signature.Scalar(c.Elem())
	}
	if p.Type != "" {
		var err error
		if t, err = signature.ParseType(p.Type); err != nil {
			return signature.Arg{}, err
		}
	}
	return signature.Arg{Type: t, Div16: c&ClassDiv16 != 0}, nil
}

func pointerSpec(p signature.Param, c Class) (signature.Arg, error) {
	elem := signature.Scalar(c.Elem())
	if strings.HasPrefix(p.Type, "*") { // the annotation wins over the tensor's type
		var err error
		if elem, err = signature.ParseType(strings.TrimPrefix(p.Type[1:], "k")); err != nil {
			return signature.Arg{}, err
		}
	}
	div := c&ClassDiv16 != 0 && !p.NoAlign && !p.AnyAddress
	return signature.Arg{Type: signature.PointerTo(elem, p.Const), Div16: div}, nil
}

// Key returns the text that identifies a specialization: two launches share compiled code exactly if their
// keys are equal.
func Key(dev *Device, specs []signature.Arg, opts device.Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %p %+v", dev, dev, dev.Defaults(opts)) // code belongs to one device
	for _, s := range specs {
		writeSpec(&b, s)
	}
	return b.String()
}

func writeSpec(b *strings.Builder, s signature.Arg) {
	switch {
	case s.Tuple:
		fmt.Fprintf(b, "|%s(", strings.Join(s.Names, ","))
		for _, item := range s.Items {
			writeSpec(b, item)
		}
		b.WriteString(")")
	case s.Desc != nil:
		fmt.Fprintf(b, "|desc %s%v:%v", s.Desc.Elem, s.Desc.Block, s.Desc.Pointer)
	case s.Typed():
		fmt.Fprintf(b, "|%s:%v", s.Type, s.Div16)
		if s.Small {
			b.WriteString(":S")
		}
	default:
		fmt.Fprintf(b, "|=%s %s", s.Const.Kind(), s.Const.Text())
	}
}
