package args

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/device"
)

// Error is the error of one argument of a launch, or of the whole list.
type Error struct {
	Param string // "" if the list as a whole is wrong
	Err   error
}

func (e *Error) Error() string {
	if e.Param == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("argument %q: %s", e.Param, strings.TrimPrefix(e.Err.Error(), "nereid: "))
}

func (e *Error) Unwrap() error { return e.Err }

func errorf(param, format string, args ...any) *Error {
	return &Error{param, fmt.Errorf(format, args...)}
}

// Matched holds the arguments of a launch by parameter. It is reused from launch to launch.
type Matched struct {
	Params     *Params
	Vals       []any  // by parameter; nil if not given, and for None
	Given      []bool // the caller has given an argument, possibly None
	Positional []bool // the argument was given by position
	Opts       device.Options
}

// Match binds arguments to parameters: named ones to the parameter of that name, the others in order to the
// remaining parameters. Values not given are nil until Fill.
func (m *Matched) Match(p *Params, args []Arg) error {
	n := len(p.List)
	m.Params = p
	m.Vals, m.Given, m.Positional = cleared(m.Vals, n), cleared(m.Given, n), cleared(m.Positional, n)
	pos := 0
	for i := range args {
		a := &args[i]
		at := pos
		if a.Name != "" {
			if at = p.Index(a.Name); at < 0 {
				return errorf("", "unknown parameter %q (the kernel has %s)", a.Name, p.names())
			}
			if m.Given[at] {
				return errorf(a.Name, "given twice")
			}
		} else {
			for at < n && m.Given[at] && !m.Positional[at] {
				at++
			}
			if at == n {
				return errorf("", "takes %d arguments, %d were given", n, len(args))
			}
			pos = at + 1
		}
		m.Vals[at], m.Given[at], m.Positional[at] = a.Value, true, a.Name == ""
	}
	return nil
}

// Fill sets parameters without an argument to their defaults.
func (m *Matched) Fill() error {
	for i, given := range m.Given {
		if given {
			continue
		}
		d := m.Params.defaults[i]
		if d == nil {
			return errorf(m.Params.List[i].Name, "missing")
		}
		m.Vals[i] = d
	}
	return nil
}

// Missing reports whether a parameter has neither an argument nor a default.
func (m *Matched) Missing() bool {
	for i, given := range m.Given {
		if !given && m.Params.defaults[i] == nil {
			return true
		}
	}
	return false
}

// Clone returns a copy that shares no slices.
func (m *Matched) Clone() *Matched {
	return &Matched{m.Params, slices.Clone(m.Vals), slices.Clone(m.Given), slices.Clone(m.Positional), m.Opts}
}

// Clear drops the values, so that they are not kept alive.
func (m *Matched) Clear() { clear(m.Vals) }

// cleared returns a slice of n zeros, in the memory of s if it has room.
func cleared[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}
