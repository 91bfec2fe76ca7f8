package pyrun

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

func (ev *Evaluator) joinedStr(x *python.JoinedStr, env *Env) (object.Value, error) {
	var b strings.Builder
	for _, part := range x.Values {
		v, err := ev.eval(part, env)
		if err != nil {
			return nil, err
		}
		s, ok := v.(object.Str)
		if !ok {
			return nil, object.Errorf(object.TypeError, "part of an f-string is no str")
		}
		if err := ev.Alloc(len(s)); err != nil {
			return nil, err
		}
		b.WriteString(string(s))
	}
	return object.Str(b.String()), nil
}

func (ev *Evaluator) formattedValue(x *python.FormattedValue, env *Env) (object.Value, error) {
	v, err := ev.eval(x.Value, env)
	if err != nil {
		return nil, err
	}
	if v, err = object.Convert(ev.Interp, v, x.Conversion); err != nil {
		return nil, err
	}
	spec := ""
	if x.FormatSpec != nil {
		s, err := ev.joinedStr(x.FormatSpec, env)
		if err != nil {
			return nil, err
		}
		spec = string(s.(object.Str))
	}
	s, err := object.Format(ev.Interp, v, spec)
	return object.Str(s), err
}
