package pyrun

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

func (in *Interp) joinedStr(x *python.JoinedStr, env *Env) (Value, error) {
	var b strings.Builder
	for _, part := range x.Values {
		v, err := in.eval(part, env)
		if err != nil {
			return nil, err
		}
		s, ok := v.(Str)
		if !ok {
			return nil, Errorf(TypeError, "part of an f-string is no str")
		}
		if err := in.alloc(len(s)); err != nil {
			return nil, err
		}
		b.WriteString(string(s))
	}
	return Str(b.String()), nil
}

func (in *Interp) formattedValue(x *python.FormattedValue, env *Env) (Value, error) {
	v, err := in.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	if v, err = convert(in, v, x.Conversion); err != nil {
		return nil, err
	}
	spec := ""
	if x.FormatSpec != nil {
		s, err := in.joinedStr(x.FormatSpec, env)
		if err != nil {
			return nil, err
		}
		spec = string(s.(Str))
	}
	s, err := Format(in, v, spec)
	return Str(s), err
}
