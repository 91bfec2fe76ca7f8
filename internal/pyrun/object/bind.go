package object

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/python"
)

// ParamNames returns the names of all parameters in the order of BindArgs: positional ones, *args,
// keyword-only ones, **kwargs.
func ParamNames(p *python.Arguments) []string {
	var names []string
	add := func(list ...*python.Arg) {
		for _, a := range list {
			if a != nil {
				names = append(names, a.Arg)
			}
		}
	}
	add(p.PosOnlyArgs...)
	add(p.Args...)
	add(p.Vararg)
	add(p.KwOnlyArgs...)
	add(p.Kwarg)
	return names
}

// BindArgs binds the arguments of a call to the parameters of the function of that name, as Python does: one
// value for each of ParamNames, nil where the default is to be used. *args is a *Tuple, **kwargs a *Dict. The
// error is a TypeError with Python's text.
func BindArgs(name string, p *python.Arguments, args []Value, kws []Keyword) ([]Value, error) {
	b := argBinder{name: name, p: p}
	b.pos = append(append(b.pos, p.PosOnlyArgs...), p.Args...)
	b.out = make([]Value, len(b.pos)+len(p.KwOnlyArgs)+boolInt(p.Vararg != nil)+boolInt(p.Kwarg != nil))
	if err := b.positional(args); err != nil {
		return nil, err
	}
	if err := b.keywords(kws); err != nil {
		return nil, err
	}
	if b.surplus > 0 {
		return nil, b.tooMany(len(args))
	}
	return b.out, b.missing()
}

type argBinder struct {
	name    string
	p       *python.Arguments
	pos     []*python.Arg
	out     []Value
	surplus int
}

func (b *argBinder) kwOnlyAt(i int) int { return len(b.pos) + boolInt(b.p.Vararg != nil) + i }

func (b *argBinder) positional(args []Value) error {
	n := copy(b.out[:len(b.pos)], args)
	if b.p.Vararg != nil {
		b.out[len(b.pos)] = NewTuple(slices.Clone(args[n:])...)
	} else if len(args) > n {
		b.surplus = len(args) - n
	}
	return nil
}

func (b *argBinder) keywords(kws []Keyword) error {
	var rest *Dict
	if b.p.Kwarg != nil {
		rest = NewDict()
		b.out[len(b.out)-1] = rest
	}
	var posOnly []string
	for _, k := range kws {
		i := b.find(k.Name)
		switch {
		case i >= 0 && b.out[i] != nil:
			return Errorf(TypeError, "%s() got multiple values for argument '%s'", b.name, k.Name)
		case i >= 0:
			b.out[i] = k.Value
		case rest != nil:
			if _, ok := rest.GetStr(k.Name); ok {
				return Errorf(TypeError, "%s() got multiple values for keyword argument '%s'", b.name, k.Name)
			}
			rest.SetStr(k.Name, k.Value)
		case b.isPosOnly(k.Name):
			posOnly = append(posOnly, k.Name)
		default:
			return Errorf(TypeError, "%s() got an unexpected keyword argument '%s'", b.name, k.Name)
		}
	}
	if len(posOnly) > 0 {
		return Errorf(TypeError, "%s() got some positional-only arguments passed as keyword arguments: '%s'",
			b.name, strings.Join(posOnly, ", "))
	}
	return nil
}

// find returns the place of a parameter that may be given by name, or -1.
func (b *argBinder) find(name string) int {
	for i, a := range b.p.Args {
		if a.Arg == name {
			return len(b.p.PosOnlyArgs) + i
		}
	}
	for i, a := range b.p.KwOnlyArgs {
		if a.Arg == name {
			return b.kwOnlyAt(i)
		}
	}
	return -1
}

func (b *argBinder) isPosOnly(name string) bool {
	return slices.ContainsFunc(b.p.PosOnlyArgs, func(a *python.Arg) bool { return a.Arg == name })
}

func (b *argBinder) tooMany(given int) error {
	max, min := len(b.pos), len(b.pos)-len(b.p.Defaults)
	takes := fmt.Sprintf("%d positional argument%s", max, plural(max))
	if min < max {
		takes = fmt.Sprintf("from %d to %d positional arguments", min, max)
	}
	kwGiven := 0
	for i := range b.p.KwOnlyArgs {
		kwGiven += boolInt(b.out[b.kwOnlyAt(i)] != nil)
	}
	verb := "were"
	if given == 1 && kwGiven == 0 {
		verb = "was"
	}
	if kwGiven > 0 {
		return Errorf(TypeError,
			"%s() takes %s but %d positional argument%s (and %d keyword-only argument%s) %s given",
			b.name, takes, given, plural(given), kwGiven, plural(kwGiven), verb)
	}
	return Errorf(TypeError, "%s() takes %s but %d %s given", b.name, takes, given, verb)
}

func (b *argBinder) missing() error {
	var names []string
	for i, a := range b.pos[:len(b.pos)-len(b.p.Defaults)] {
		if b.out[i] == nil {
			names = append(names, a.Arg)
		}
	}
	if len(names) > 0 {
		return missingError(b.name, "positional", names)
	}
	for i, a := range b.p.KwOnlyArgs {
		if b.out[b.kwOnlyAt(i)] == nil && b.p.KwDefaults[i] == nil {
			names = append(names, a.Arg)
		}
	}
	if len(names) > 0 {
		return missingError(b.name, "keyword-only", names)
	}
	return nil
}

func missingError(fn, kind string, names []string) error {
	return Errorf(TypeError, "%s() missing %d required %s argument%s: %s", fn, len(names), kind,
		plural(len(names)), quotedList(names))
}

// quotedList returns names as messages list them: 'a', 'b', and 'c'.
func quotedList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "'" + n + "'"
	}
	switch n := len(quoted); n {
	case 1:
		return quoted[0]
	case 2:
		return quoted[0] + " and " + quoted[1]
	default:
		return strings.Join(quoted[:n-1], ", ") + ", and " + quoted[n-1]
	}
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// nativeFunc is the body of a function written in Go: it takes one value for each parameter.
type nativeFunc = func(in *Interp, a []Value) (Value, error)

// Native returns a function written in Go with parameters as Python has them: "x, y=, *args, k=, **kw". A
// parameter with = is optional; its value is nil when it is not given.
func Native(name, params string, fn func(in *Interp, a []Value) (Value, error)) *Builtin {
	sig := parseSignature(params)
	return &Builtin{Name: name, sig: sig, Fn: func(in *Interp, args []Value, kws []Keyword) (Value, error) {
		a, err := sig.Bind(name, args, kws)
		if err != nil {
			return nil, err
		}
		return fn(in, a)
	}}
}

func newSignature(params string) *Signature {
	s := &Signature{vararg: -1, kwarg: -1, pos: -1}
	for _, p := range strings.FieldsFunc(params, func(r rune) bool { return r == ' ' || r == ',' }) {
		switch {
		case p == "*":
			s.pos = len(s.names)
			continue
		case strings.HasPrefix(p, "**"):
			s.kwarg = len(s.names)
		case p[0] == '*':
			s.vararg = len(s.names)
			s.pos = s.vararg
		}
		if s.pos < 0 && p[0] != '*' && !strings.HasSuffix(p, "=") {
			s.required++
		}
		s.optional = append(s.optional, strings.HasSuffix(p, "=") || p[0] == '*')
		s.names = append(s.names, strings.Trim(p, "*="))
	}
	if s.pos < 0 {
		s.pos = len(s.names) - boolInt(s.kwarg >= 0)
	}
	return s
}

func (s *Signature) tooMany(name string, given int) error {
	if s.pos == 0 {
		return Errorf(TypeError, "%s() takes no arguments (%d given)", name, given)
	}
	bound := "exactly"
	if s.required < s.pos {
		bound = "at most"
	}
	return Errorf(TypeError, "%s() takes %s %d argument%s (%d given)", name, bound, s.pos, plural(s.pos),
		given)
}

// NewMethod returns a method written in Go; self comes first among its arguments.
func NewMethod(name, params string, fn func(in *Interp, a []Value) (Value, error)) *Method {
	return &Method{*Native(name, "self "+params, fn)}
}

// KeywordsOf returns the entries of a **kws dict as keyword arguments.
func KeywordsOf(d *Dict) []Keyword {
	var kws []Keyword
	for k, v := range d.All() {
		kws = append(kws, Keyword{string(k.(Str)), v})
	}
	return kws
}

// Text returns the text of v, which must be a str.
func Text(v Value) (string, error) {
	switch s := Payload(v).(type) {
	case Str:
		return string(s), nil
	case *Unknown:
		return "", s.Need("the text")
	}
	return "", Errorf(TypeError, "expected str, got %s", v.TypeName())
}
