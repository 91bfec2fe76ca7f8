package args

import (
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/target"
)

// Describe returns the arguments that launches of a specialization pass, in order, and the values that are
// compiled in, as Python literals by parameter. Items of a tuple are named by position: "p.0".
func Describe(params []lang.Param, specs []lang.ArgSpec) (list []target.Param, constants map[string]string) {
	constants = map[string]string{}
	for i, s := range specs {
		list = describe(list, constants, params[i].Name, s)
	}
	return list, constants
}

func describe(list []target.Param, constants map[string]string, name string, s lang.ArgSpec) []target.Param {
	switch {
	case s.Tuple:
		for i, item := range s.Items {
			list = describe(list, constants, name+"."+strconv.Itoa(i), item)
		}
	case s.Desc != nil: // back ends with descriptors split them; others refuse the launch
	case s.Type != nil:
		list = append(list, describeType(name, s.Type, s.Div16))
	default:
		constants[name] = lang.Repr(s.Const)
	}
	return list
}

func describeType(name string, t sem.Type, div bool) target.Param {
	p := target.Param{Name: name, Align16: div}
	if ptr, ok := t.(*sem.PtrType); ok {
		p.Pointer, t = true, ptr.Elem
	}
	elem, _ := dtype.Parse(strings.TrimPrefix(t.String(), "tl."))
	p.Type, p.Bytes = elem.String(), elem.Size()
	return p
}
