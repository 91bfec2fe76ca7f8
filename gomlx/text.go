package gomlx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute/dtypes"
)

// expr is an expression of a kernel's text, and along which dimensions of a tile it differs: rows, columns.
type expr struct {
	s        string
	row, col bool
}

// value is an expression with its type, which is one of computation.
type value struct {
	expr
	dt dtypes.DType
}

func number(n int) expr { return expr{s: strconv.Itoa(n)} }

// constant returns the value of an expression that is a number.
func (e expr) constant() (int, bool) {
	n, err := strconv.Atoi(e.s)
	return n, err == nil
}

func (e expr) isNumber() bool {
	_, ok := e.constant()
	return ok
}

// with returns text that is made of some expressions.
func with(s string, of ...expr) expr {
	e := expr{s: s}
	for _, x := range of {
		e.row, e.col = e.row || x.row, e.col || x.col
	}
	return e
}

// index is where an element of a tensor lies: its place in the order of all, or along each axis, or both. A
// mask, if any, says which elements of the tile exist.
type index struct {
	dims []int
	flat expr          // "": not known
	axes []expr        // nil: not known
	lazy func() []expr // finds axes when they are needed
	mask expr          // "": all exist
}

func (ix index) key() string {
	var b strings.Builder
	if ix.flat.s != "" {
		b.WriteString(ix.flat.s)
	} else {
		for _, a := range ix.axes {
			b.WriteString(a.s + ",")
		}
	}
	fmt.Fprintf(&b, "|%s", ix.mask.s)
	return b.String()
}

// text writes the body of a kernel.
type text struct {
	lines  []string
	indent string
	scopes []map[string]string // names of expressions, by scope
	count  int
	splits int // how often an index was split into axes
}

func newText() *text { return &text{indent: "    ", scopes: []map[string]string{{}}} }

func (t *text) line(format string, list ...any) {
	t.lines = append(t.lines, t.indent+fmt.Sprintf(format, list...))
}

// open begins an indented block; close ends it, and forgets its names.
func (t *text) open(format string, list ...any) {
	t.line(format, list...)
	t.indent += "    "
	t.scopes = append(t.scopes, map[string]string{})
}

func (t *text) close() {
	t.indent = t.indent[4:]
	t.scopes = t.scopes[:len(t.scopes)-1]
}

// let gives an expression a name, once.
func (t *text) let(e expr) expr {
	if !strings.ContainsAny(e.s, " (~-") || e.isNumber() {
		return e
	}
	for _, s := range t.scopes {
		if name := s[e.s]; name != "" {
			return expr{name, e.row, e.col}
		}
	}
	name := fmt.Sprintf("v%d", t.count)
	t.count++
	t.line("%s = %s", name, e.s)
	t.scopes[len(t.scopes)-1][e.s] = name
	return expr{name, e.row, e.col}
}

// Arithmetic of indices, with what is known done here.

func (t *text) add(a, b expr) expr {
	x, okA := a.constant()
	y, okB := b.constant()
	switch {
	case okA && okB:
		return number(x + y)
	case okA && x == 0:
		return b
	case okB && y == 0:
		return a
	case okB && y < 0:
		return t.let(with(fmt.Sprintf("%s - %d", a.s, -y), a))
	}
	return t.let(with(a.s+" + "+b.s, a, b))
}

func (t *text) mul(a expr, n int) expr {
	x, ok := a.constant()
	switch {
	case ok:
		return number(x * n)
	case n == 1:
		return a
	case n == 0:
		return number(0)
	}
	return t.let(with(fmt.Sprintf("%s * %d", a.s, n), a))
}

func (t *text) div(a expr, n int) expr {
	if x, ok := a.constant(); ok {
		return number(x / n)
	}
	if n == 1 {
		return a
	}
	return t.let(with(fmt.Sprintf("%s // %d", a.s, n), a))
}

func (t *text) mod(a expr, n int) expr {
	if x, ok := a.constant(); ok {
		return number(x % n)
	}
	if n == 1 {
		return number(0)
	}
	return t.let(with(fmt.Sprintf("%s %% %d", a.s, n), a))
}

// and returns the conjunction of two masks, either of which may be "".
func (t *text) and(a, b expr) expr {
	switch {
	case a.s == "" || a.s == b.s:
		return b
	case b.s == "":
		return a
	}
	return t.let(with(a.s+" & "+b.s, a, b))
}

// split returns the indices along each of some dimensions of a flat index.
func (t *text) split(flat expr, dims []int) []expr {
	axes, rest := make([]expr, len(dims)), flat
	first := slices.IndexFunc(dims, func(d int) bool { return d != 1 })
	for d := len(dims) - 1; d >= 0; d-- {
		switch {
		case dims[d] == 1:
			axes[d] = number(0)
		case d == first:
			axes[d] = rest
		default:
			t.splits++
			axes[d] = t.mod(rest, dims[d])
			rest = t.div(rest, dims[d])
		}
	}
	return axes
}

// flatten returns the flat index of an element.
func (t *text) flatten(ix index) expr {
	if ix.flat.s != "" {
		return ix.flat
	}
	at := number(0)
	for d, n := range contiguous(ix.dims) {
		at = t.add(at, t.mul(ix.axes[d], n))
	}
	return at
}

// along returns the indices of an element along each axis.
func (t *text) along(ix index) []expr {
	switch {
	case ix.axes != nil || len(ix.dims) == 0:
		return ix.axes
	case ix.lazy != nil:
		return ix.lazy()
	}
	return t.split(ix.flat, ix.dims)
}
