package codegen

import "github.com/nereid-lang/nereid/internal/pyrun/object"

// scope holds the names of a kernel in the order of their first binding: the order in which loops and
// branches carry them.
type scope struct {
	names []string
	vals  map[string]object.Value
}

func newScope() *scope { return &scope{vals: map[string]object.Value{}} }

func (s *scope) get(name string) (object.Value, bool) { v, ok := s.vals[name]; return v, ok }

func (s *scope) set(name string, v object.Value) {
	if _, ok := s.vals[name]; !ok {
		s.names = append(s.names, name)
	}
	s.vals[name] = v
}

func (s *scope) has(name string) bool { _, ok := s.vals[name]; return ok }

func (s *scope) clone() *scope {
	c := &scope{names: append([]string(nil), s.names...), vals: make(map[string]object.Value, len(s.vals))}
	for k, v := range s.vals {
		c.vals[k] = v
	}
	return c
}

// apart returns a copy in which no two names hold the same aggregate. Triton makes such copies for the second
// side of a branch and for what follows branches and loops.
func (s *scope) apart() *scope {
	c := s.clone()
	for name, v := range c.vals {
		if holdsObjects(v) {
			c.vals[name], _ = shapeOf(v).build(flatten(v, nil))
		}
	}
	return c
}
