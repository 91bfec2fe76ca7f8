package dap

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/interp"
)

// up returns how many calls lie between the current line and the frame of an id; 0 stands for no frame.
func (s *Server) up(frame int) int { return min(max(0, frame-1), s.depth()-1) }

// locals returns the reference to the variables of a frame: 1 is that of the current line.
func (s *Server) locals(frame int) int {
	up := s.up(frame)
	if up == 0 {
		return 1
	}
	s.lists = append(s.lists, list{up: up})
	return len(s.lists) + 1
}

// listed returns what a reference means: nil for one that is not known.
func (s *Server) listed(reference int) *list {
	i := reference - 2
	if i < 0 || i >= len(s.lists) {
		return nil
	}
	return &s.lists[i]
}

// variables lists variables, or the elements of one.
func (s *Server) variables(a arguments) any {
	out := []object{}
	l := s.listed(a.VariablesReference)
	switch {
	case a.VariablesReference == 1:
		l = &list{}
	case l == nil:
		return object{"variables": out}
	}
	if l.value == nil {
		for _, v := range s.history.variables(s.at, l.up) {
			out = append(out, s.variable(v))
		}
		return object{"variables": out}
	}
	v := *l.value
	end := v.Len()
	if a.Count > 0 {
		end = min(end, a.Start+a.Count)
	}
	for e := max(0, a.Start); e < min(end, a.Start+10_000); e++ {
		out = append(out, object{"name": coordinates(e, v.Shape), "value": element(v, e, s.tensors),
			"variablesReference": 0})
	}
	return object{"variables": out}
}

func (s *Server) variable(v interp.TraceValue) object {
	o := object{"name": v.Name, "value": summary(v, s.tensors), "type": v.Type, "variablesReference": 0}
	if len(v.Shape) > 0 {
		s.lists = append(s.lists, list{value: &v})
		o["variablesReference"], o["indexedVariables"] = len(s.lists)+1, v.Len()
	}
	return o
}

// named returns a variable of the function so many calls up.
func (s *Server) named(name string, up int) (interp.TraceValue, bool) {
	vars := s.history.variables(s.at, up)
	i := slices.IndexFunc(vars, func(v interp.TraceValue) bool { return v.Name == name })
	if i < 0 {
		return interp.TraceValue{}, false
	}
	return vars[i], true
}

// subscript matches an element: x[3], x[1, 2].
var subscript = regexp.MustCompile(`^(\w+)\s*\[([-\d,\s]+)\]$`)

// evaluate returns a variable, an element of one, or an expression of numbers.
func (s *Server) evaluate(text string, up int) (any, error) {
	text = strings.TrimSpace(text)
	if v, ok := s.named(text, up); ok {
		o := s.variable(v)
		o["result"] = o["value"]
		delete(o, "value")
		delete(o, "name")
		return o, nil
	}
	if g := subscript.FindStringSubmatch(text); g != nil {
		if v, ok := s.named(g[1], up); ok && len(v.Shape) > 0 {
			i, err := position(g[2], v.Shape)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", text, err)
			}
			return object{"result": element(v, i, s.tensors), "variablesReference": 0}, nil
		}
	}
	result, err := s.program.Eval(text, s.scalars(s.at, up))
	if err != nil {
		return nil, fmt.Errorf("%q is no variable here, and no expression of numbers", text)
	}
	return object{"result": result, "variablesReference": 0}, nil
}

// position returns the number of the element at coordinates.
func position(text string, shape []int64) (at int, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != len(shape) {
		return 0, fmt.Errorf("the value has %d dimensions", len(shape))
	}
	for d, part := range parts {
		i, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
		if err != nil || i < 0 || i >= shape[d] {
			return 0, fmt.Errorf("dimension %d has the indices 0 to %d", d, shape[d]-1)
		}
		at = at*int(shape[d]) + int(i)
	}
	return at, nil
}
