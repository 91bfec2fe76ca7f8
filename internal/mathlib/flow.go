package mathlib

import "fmt"

// typed is a value with its type.
type typed struct{ typ, val string }

// seldom replaces values in the lanes where need holds by those that slow computes, which is skipped when
// no lane needs it.
func (m *Builder) seldom(need string, usual []typed, slow func() []string) []string {
	rare, end := m.label("seldom"), m.label("end")
	m.do("br i1 %s, label %%%s, label %%%s, !prof !{!\"branch_weights\", i32 1, i32 1000}",
		m.any(need), rare, end)
	from := m.block
	m.begin(rare)
	vals := slow()
	for i, v := range vals {
		if m.lanes > 1 {
			vals[i] = m.choose(usual[i].typ, need, v, usual[i].val)
		}
	}
	last := m.block
	m.do("br label %%%s", end)
	m.begin(end)
	out := make([]string, len(usual))
	for i, u := range usual {
		out[i] = m.val("phi %s [ %s, %%%s ], [ %s, %%%s ]", u.typ, u.val, from, vals[i], last)
	}
	return out
}

// loop runs body on values of the builder's type at least once, and again while again holds: in each lane
// for itself.
func (m *Builder) loop(init []string, body func(vars []string) (next []string, again string)) []string {
	head, end := m.label("loop"), m.label("out")
	from := m.block
	m.do("br label %%%s", head)
	m.begin(head)
	vars := make([]string, len(init))
	lines := make([]int, len(init))
	for i := range init {
		vars[i], lines[i] = m.temp(), len(m.lines)
		m.lines = append(m.lines, "")
	}
	active, activeLine := m.temp(), len(m.lines)
	m.lines = append(m.lines, "")
	next, again := body(vars)
	if m.lanes > 1 {
		again = m.and(again, active)
		for i, v := range next {
			next[i] = m.sel(active, v, vars[i])
		}
	}
	for i, line := range lines {
		m.lines[line] = fmt.Sprintf("  %s = phi %s [ %s, %%%s ], [ %s, %%%s ]", vars[i], m.f, init[i], from,
			next[i], m.block)
	}
	m.lines[activeLine] = fmt.Sprintf("  %s = phi %s [ %s, %%%s ], [ %s, %%%s ]", active, m.b,
		splat("i1", "true", m.lanes), from, again, m.block)
	m.do("br i1 %s, label %%%s, label %%%s", m.any(again), head, end)
	m.begin(end)
	return next
}

// eachLane computes values from a float one lane after the other, for what has no vector instructions. f
// gets a builder of scalars that writes to the same function.
func (m *Builder) eachLane(x string, results []string, f func(s *Builder, x string) []string) []string {
	if m.lanes == 1 {
		return f(m, x)
	}
	scalar := m.lib.builder(m.prec, 1)
	head, end := m.label("lane"), m.label("lanes")
	from := m.block
	m.do("br label %%%s", head)
	m.begin(head)
	index, indexLine := m.temp(), len(m.lines)
	m.lines = append(m.lines, "")
	sums, lines := make([]string, len(results)), make([]int, len(results))
	for i := range results {
		sums[i], lines[i] = m.temp(), len(m.lines)
		m.lines = append(m.lines, "")
	}
	one := m.val("extractelement %s %s, i32 %s", m.f, x, index)
	scalar.lines, scalar.temps, scalar.block = m.lines, m.temps, m.block
	vals := f(scalar, one)
	m.lines, m.temps, m.block = scalar.lines, scalar.temps, scalar.block
	out := make([]string, len(results))
	for i, elem := range results {
		typ := Vector(elem, m.lanes)
		out[i] = m.val("insertelement %s %s, %s %s, i32 %s", typ, sums[i], elem, vals[i], index)
		m.lines[lines[i]] = fmt.Sprintf("  %s = phi %s [ poison, %%%s ], [ %s, %%%s ]", sums[i], typ, from,
			out[i], m.block)
	}
	next := m.val("add i32 %s, 1", index)
	m.lines[indexLine] = fmt.Sprintf("  %s = phi i32 [ 0, %%%s ], [ %s, %%%s ]", index, from, next, m.block)
	m.do("br i1 %s, label %%%s, label %%%s", m.val("icmp ult i32 %s, %d", next, m.lanes), head, end)
	m.begin(end)
	return out
}
