package object

import (
	"slices"
	"sync"
)

// Signature is the parameters of a function written in Go.
type Signature struct {
	names    []string
	optional []bool
	pos      int // how many may be given by position
	vararg   int // index of *args, -1 for none
	kwarg    int
	required int
	written  bool // errors as those of a function written in Python
}

// signatures has the signatures parsed before, by their text: many functions share one.
var signatures sync.Map // of string to *Signature

func parseSignature(params string) *Signature {
	if s, ok := signatures.Load(params); ok {
		return s.(*Signature)
	}
	s := newSignature(params)
	signatures.Store(params, s)
	return s
}

// PythonSignature returns a signature whose errors are those of a function written in Python; params as in
// Native.
func PythonSignature(params string) *Signature {
	s := newSignature(params)
	s.written = true
	return s
}

// Names returns the names of the parameters.
func (s *Signature) Names() []string { return s.names }

// Bind gives each parameter of the function of that name its value; nil stands for one that is not given.
func (s *Signature) Bind(name string, args []Value, kws []Keyword) ([]Value, error) {
	a := make([]Value, len(s.names))
	n := copy(a[:s.pos], args)
	if s.vararg >= 0 {
		a[s.vararg] = &Tuple{Items: args[n:]}
	} else if len(args) > n {
		return nil, s.tooMany(name, len(args))
	}
	var rest *Dict
	if s.kwarg >= 0 {
		rest = NewDict()
		a[s.kwarg] = rest
	}
	for _, k := range kws {
		i := slices.Index(s.names, k.Name)
		switch {
		case i >= 0 && i != s.vararg && i != s.kwarg && a[i] != nil:
			return nil, Errorf(TypeError, "%s() got multiple values for argument '%s'", name, k.Name)
		case i >= 0 && i != s.vararg && i != s.kwarg:
			a[i] = k.Value
		case rest != nil:
			rest.SetStr(k.Name, k.Value)
		default:
			return nil, Errorf(TypeError, "%s() got an unexpected keyword argument '%s'", name, k.Name)
		}
	}
	var absent []string
	for i, v := range a {
		if v != nil || s.optional[i] {
			continue
		}
		absent = append(absent, s.names[i])
		if !s.written {
			return nil, Errorf(TypeError, "%s() missing required argument '%s' (pos %d)", name, s.names[i],
				i+1)
		}
	}
	if len(absent) > 0 {
		return nil, missingError(name, "positional", absent)
	}
	return a, nil
}

// Parameters returns the parameters as inspect.signature lists them.
func (s *Signature) Parameters() []Parameter {
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

// HasParameters is a function of another package whose parameters are known.
type HasParameters interface{ Parameters() []Parameter }
