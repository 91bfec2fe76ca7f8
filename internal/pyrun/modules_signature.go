package pyrun

import "github.com/nereid-lang/nereid/internal/python"

// Parameter is one parameter of a function, as inspect.signature lists it.
type Parameter struct {
	Name    string
	Default Value // nil when there is none
	Kind    ParamKind
}

// ParamKind says how an argument gets to its parameter; the numbers are those of Python.
type ParamKind int

// The kinds of parameters.
const (
	PositionalOnly ParamKind = iota
	PositionalOrKeyword
	VarPositional
	KeywordOnly
	VarKeyword
)

var paramKinds = []string{"POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD"}

// HasParameters is a function of another package whose parameters are known.
type HasParameters interface{ Parameters() []Parameter }

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
		if f.sig != nil {
			return signatureObject(f.sig.parameters(), skip), nil
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

// Parameters are those of a function of Python.
func (f *Func) Parameters() []Parameter {
	args := f.args()
	bound := make([]Value, len(ParamNames(args)))
	f.fillDefaults(bound)
	var out []Parameter
	for i, name := range ParamNames(args) {
		out = append(out, Parameter{name, bound[i], paramKind(args, i)})
	}
	return out
}

func (s *signature) parameters() []Parameter {
	var out []Parameter
	for i, name := range s.names {
		p := Parameter{Name: name, Kind: PositionalOrKeyword}
		switch {
		case i == s.vararg:
			p.Kind = VarPositional
		case i == s.kwarg:
			p.Kind = VarKeyword
		case i >= s.pos:
			p.Kind = KeywordOnly
		}
		if s.optional[i] && p.Kind != VarPositional && p.Kind != VarKeyword {
			p.Default = None
		}
		out = append(out, p)
	}
	return out
}

func paramKind(a *python.Arguments, i int) ParamKind {
	pos := len(a.PosOnlyArgs) + len(a.Args)
	switch {
	case i < len(a.PosOnlyArgs):
		return PositionalOnly
	case i < pos:
		return PositionalOrKeyword
	case i == pos && a.Vararg != nil:
		return VarPositional
	case i < pos+boolInt(a.Vararg != nil)+len(a.KwOnlyArgs):
		return KeywordOnly
	}
	return VarKeyword
}
