package python

import "strings"

// ParamText returns the names of parameters as a signature lists them, defaults left out: "x, y=…, *rest".
func ParamText(a *Arguments) string {
	var out []string
	plain := append(append([]*Arg{}, a.PosOnlyArgs...), a.Args...)
	for i, p := range plain {
		name := p.Arg
		if i >= len(plain)-len(a.Defaults) {
			name += "=…"
		}
		out = append(out, name)
	}
	if a.Vararg != nil {
		out = append(out, "*"+a.Vararg.Arg)
	} else if len(a.KwOnlyArgs) > 0 {
		out = append(out, "*")
	}
	for i, p := range a.KwOnlyArgs {
		name := p.Arg
		if i < len(a.KwDefaults) && a.KwDefaults[i] != nil {
			name += "=…"
		}
		out = append(out, name)
	}
	if a.Kwarg != nil {
		out = append(out, "**"+a.Kwarg.Arg)
	}
	return strings.Join(out, ", ")
}

// Docstring returns the text that a body begins with, without the indentation of its lines, or "".
func Docstring(body []Stmt) string {
	if len(body) == 0 {
		return ""
	}
	e, ok := body[0].(*ExprStmt)
	if !ok {
		return ""
	}
	c, ok := e.Value.(*Constant)
	if !ok {
		return ""
	}
	text, ok := c.Value.(string)
	if !ok {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}
