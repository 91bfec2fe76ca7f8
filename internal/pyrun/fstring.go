package pyrun

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

func (ev *Evaluator) joinedStr(x *python.JoinedStr, env *Env) (Value, error) {
	var b strings.Builder
	for _, part := range x.Values {
		v, err := ev.eval(part, env)
		if err != nil {
			return nil, err
		}
		s, ok := v.(Str)
		if !ok {
			return nil, Errorf(TypeError, "part of an f-string is no str")
		}
		if err := ev.alloc(len(s)); err != nil {
			return nil, err
		}
		b.WriteString(string(s))
	}
	return Str(b.String()), nil
}

func (ev *Evaluator) formattedValue(x *python.FormattedValue, env *Env) (Value, error) {
	v, err := ev.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	if v, err = convert(ev.Interp, v, x.Conversion); err != nil {
		return nil, err
	}
	spec := ""
	if x.FormatSpec != nil {
		s, err := ev.joinedStr(x.FormatSpec, env)
		if err != nil {
			return nil, err
		}
		spec = string(s.(Str))
	}
	s, err := Format(ev.Interp, v, spec)
	return Str(s), err
}
