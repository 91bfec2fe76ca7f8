package codegen

import (
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/python"
)

// Seen is what a compilation found out about an expression.
type Seen struct {
	File       string
	Start, End int    // offsets of the expression in the file
	Type       string // "fp32[1024]", "constexpr[64]"; of a function its signature, "def softmax(x, axis)"

	// DefFile and DefAt are where the function that the expression names is defined; DefFile is "" for any
	// other value. Doc is its docstring.
	DefFile string
	DefAt   int
	Doc     string
}

// seen tells Options.Seen of an expression.
func (g *generator) seen(e python.Expr, v object.Value) {
	span := e.Span()
	s := Seen{File: g.file.Name, Start: g.file.Offset(span.Start), End: g.file.Offset(span.End)}
	switch v := v.(type) {
	case nil:
		return
	case *world.JITFunction:
		s.function(v.Func)
	case *pyrun.Func:
		s.function(v)
	case *sem.Builtin:
		s.Type = "def " + v.Name + "(" + v.Params + ")"
	case *pyrun.Module:
		s.Type = "module " + v.Name
	default:
		s.Type = shapeOf(v).String()
	}
	g.u.opts.Seen(s)
}

// function describes a function and its place.
func (s *Seen) function(f *pyrun.Func) {
	s.Type = "def " + f.Name
	if f.Def == nil || f.Module == nil || f.Module.Syntax == nil {
		return
	}
	file := f.Module.Syntax.File
	s.DefFile, s.DefAt = file.Name, file.Offset(f.Def.NamePos.Start)
	s.Type += "(" + python.ParamText(f.Def.Args) + ")"
	s.Doc = python.Docstring(f.Def.Body)
}
