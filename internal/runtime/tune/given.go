package tune

import (
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/runtime/args"
	"github.com/nereid-lang/nereid/internal/target"
)

// given is the arguments of a launch before defaults are filled in.
type given struct{ *args.Matched }

func (g *given) has(name string) bool {
	i := g.Params.Index(name)
	return i >= 0 && g.Given[i]
}

// tensor returns the tensor argument of that name, or nil.
func (g *given) tensor(name string) *args.Tensor {
	if i := g.Params.Index(name); i >= 0 {
		return tensorOf(g.Vals[i])
	}
	return nil
}

// tensorOf returns v as a tensor, or nil if it is none.
func tensorOf(v any) *args.Tensor {
	t, _ := v.(*args.Tensor)
	return t
}

// positional reports whether the argument of that name was given by position.
func (g *given) positional(name string) bool {
	i := g.Params.Index(name)
	return i >= 0 && g.Positional[i]
}

// complete reports whether the caller has given everything that decorators could add: every compile-time
// argument, and options.
func (g *given) complete() bool {
	for i := range g.Params.List {
		if g.Params.List[i].Constexpr && !g.Given[i] {
			return false
		}
	}
	return g.Opts != target.Options{}
}

// with returns a copy with more arguments.
func (g *given) with(kws []object.Keyword, opts target.Options) *given {
	c := &given{g.Clone()}
	c.Opts = opts
	for _, k := range kws {
		if i := c.Params.Index(k.Name); i >= 0 {
			c.Vals[i], c.Given[i] = goValue(k.Value), true
		}
	}
	return c
}

// goValue returns a value of a decorator as an argument: a plain Go value if that loses nothing, else a
// constant of a signature.
func goValue(v object.Value) any {
	c := lang.ConstOf(v)
	if p := c.Plain(); p != nil {
		return p
	}
	return c
}
