package args

import (
	"strconv"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Describe returns the arguments that launches of a specialization pass, in order, and calls constant for
// each value that is compiled in. Items of a tuple are named by position: "p.0".
func Describe(params []signature.Param, specs []signature.Arg,
	constant func(name string, c *signature.Const)) (list []device.Param) {
	for i, s := range specs {
		list = describe(list, params[i].Name, s, constant)
	}
	return list
}

func describe(list []device.Param, name string, s signature.Arg,
	constant func(name string, c *signature.Const)) []device.Param {
	switch {
	case s.Tuple:
		for i, item := range s.Items {
			list = describe(list, name+"."+strconv.Itoa(i), item, constant)
		}
	case s.Desc != nil: // back ends with descriptors split them; others refuse the launch
	case s.Typed():
		list = append(list, describeType(name, s.Type, s.Div16))
	default:
		constant(name, s.Const)
	}
	return list
}

func describeType(name string, t signature.Type, div bool) device.Param {
	elem := t.Elem
	if t.Pointee().IsPointer() {
		elem = dtype.Invalid
	}
	return device.Param{Name: name, Align16: div, Pointer: t.IsPointer(), Type: elem.String(),
		Bytes: elem.Size()}
}
