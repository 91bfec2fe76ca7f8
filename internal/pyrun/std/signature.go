package std

import "github.com/nereid-lang/nereid/internal/pyrun/object"

var paramKinds = []string{"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY",
	"VAR_KEYWORD"}

// emptyParam is inspect.Parameter.empty.
var emptyParam = &object.Typing{Name: "_empty"}

func parameterKinds() object.Value {
	attrs := map[string]object.Value{"empty": emptyParam}
	for i, k := range paramKinds {
		attrs[k] = object.MakeInt(int64(i))
	}
	return &object.Namespace{Name: "type", Attrs: attrs}
}

func signatureOf(in *object.Interp, a []object.Value) (object.Value, error) {
	v := a[0]
	for {
		w, ok := wrapped(v)
		if !ok {
			break
		}
		v = w
	}
	skip := 0
	if b, ok := v.(*object.BoundMethod); ok {
		v, skip = b.Fn, 1
	}
	if own, ok, err := in.FindAttr(v, "__signature__"); ok || err != nil {
		return own, err
	}
	switch f := v.(type) {
	case object.HasParameters:
		return signatureObject(f.Parameters(), skip), nil
	case *object.Builtin:
		if sig := f.Signature(); sig != nil {
			return signatureObject(sig.Parameters(), skip), nil
		}
	case *object.Unknown:
		return f.Derive(".__signature__", true), nil
	}
	return nil, object.Errorf(object.TypeError, "no signature found for %s", object.PlainRepr(v))
}

// signatureObject returns an inspect.Signature without the first parameters.
func signatureObject(list []object.Parameter, skip int) object.Value {
	params := object.NewDict()
	for _, p := range list[min(skip, len(list)):] {
		def := p.Default
		if def == nil {
			def = emptyParam
		}
		params.SetStr(p.Name, &object.Namespace{Name: "Parameter", Attrs: map[string]object.Value{
			"name": object.Str(p.Name), "default": def, "kind": object.MakeInt(int64(p.Kind)),
			"annotation": emptyParam}})
	}
	return &object.Namespace{Name: "Signature",
		Attrs: map[string]object.Value{"parameters": params, "return_annotation": emptyParam}}
}
