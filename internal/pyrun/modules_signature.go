package pyrun

var paramKinds = []string{"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD"}

// emptyParam is inspect.Parameter.empty.
var emptyParam = &typing{name: "_empty"}

func parameterKinds() Value {
	attrs := map[string]Value{"empty": emptyParam}
	for i, k := range paramKinds {
		attrs[k] = MakeInt(int64(i))
	}
	return &namespace{"type", attrs}
}

func signatureOf(in *Interp, a []Value) (Value, error) {
	v := a[0]
	for {
		w, ok := Wrapped(v)
		if !ok {
			break
		}
		v = w
	}
	skip := 0
	if b, ok := v.(*BoundMethod); ok {
		v, skip = b.Fn, 1
	}
	if own, ok, err := in.getAttr(v, "__signature__"); ok || err != nil {
		return own, err
	}
	switch f := v.(type) {
	case HasParameters:
		return signatureObject(f.Parameters(), skip), nil
	case *Builtin:
		if sig := f.Signature(); sig != nil {
			return signatureObject(sig.Parameters(), skip), nil
		}
	case *Unknown:
		return f.derive(".__signature__", true), nil
	}
	return nil, Errorf(TypeError, "no signature found for %s", plainRepr(v))
}

// signatureObject is an inspect.Signature without the first parameters.
func signatureObject(list []Parameter, skip int) Value {
	params := NewDict()
	for _, p := range list[min(skip, len(list)):] {
		def := p.Default
		if def == nil {
			def = emptyParam
		}
		params.SetStr(p.Name, &namespace{"Parameter", map[string]Value{
			"name": Str(p.Name), "default": def, "kind": MakeInt(int64(p.Kind)), "annotation": emptyParam}})
	}
	return &namespace{"Signature", map[string]Value{"parameters": params, "return_annotation": emptyParam}}
}
