package memfuzz

import (
	"encoding/json"
	"slices"
	"strings"
)

// Shrink returns the smallest kernel it finds for which differs still holds, trying at most tries kernels.
func Shrink(k *Kernel, tries int, differs func(*Kernel) bool) *Kernel {
	for again := true; again && tries > 0; {
		again = false
		for n := 0; tries > 0; tries-- {
			smaller := k.clone()
			c := &cutter{k: smaller, n: n}
			if c.kernel(); !c.done {
				break
			}
			if differs(smaller) {
				k, again = smaller, true
			} else {
				n++
			}
		}
	}
	return k
}

func (k *Kernel) clone() *Kernel {
	data, err := json.Marshal(k)
	if err != nil {
		panic(err)
	}
	out := &Kernel{}
	if err := json.Unmarshal(data, out); err != nil {
		panic(err)
	}
	return out
}

// cutter makes the n-th of all changes that make a kernel simpler. Every change leaves a kernel that keeps to
// the rules of the generator, though perhaps one that uses a variable that is gone: it is refused by the
// interpreter and so not taken.
type cutter struct {
	k    *Kernel
	n    int
	done bool
}

// take reports whether a change is the one to be made. Changes that cannot be made are not counted.
func (c *cutter) take(possible bool) bool {
	if !possible || c.done {
		return false
	}
	c.n--
	c.done = c.n < 0
	return c.done
}

func (c *cutter) kernel() {
	k := c.k
	k.Body = c.stmts(k.Body)
	if c.take(k.Grid > 1) {
		k.Grid = 1
	}
	if c.take(k.CTAs > 1) {
		k.CTAs = 1
	}
	if c.take(k.Check) {
		k.Check = false
	}
	if c.take(k.Warps > 1) {
		k.Warps /= 2
	}
	if c.take(k.Cols > 2 && k.Rows*k.Cols > 16) {
		k.Cols /= 2
	}
	if c.take(k.Rows > 2 && k.Rows*k.Cols > 16) {
		k.Rows /= 2
	}
	if c.take(k.Align > 1) {
		k.Align = 1
	}
	for i := range k.Tensors {
		t := &k.Tensors[i]
		if c.take(t.Of != "") {
			t.Of, t.Seed = "", 7
		}
		if c.take(t.Offset > 0) {
			t.Offset /= 2
		}
		if c.take(t.Indexed) {
			t.Indexed = false
		}
		if c.take(c.unused(t.Name)) {
			k.Tensors = slices.Delete(k.Tensors, i, i+1)
			return
		}
	}
	for i := range k.Scalars {
		s := &k.Scalars[i]
		if c.take(s.Value > 3) {
			s.Value = 3
		}
		if c.take(c.unused(s.Name)) {
			k.Scalars = slices.Delete(k.Scalars, i, i+1)
			return
		}
	}
}

// unused reports whether no statement speaks of an argument.
func (c *cutter) unused(name string) bool {
	for _, t := range c.k.Tensors {
		if t.Of == name {
			return false
		}
	}
	data, err := json.Marshal(c.k.Body)
	return err == nil && !strings.Contains(string(data), `"`+name+`"`)
}

// stmts cuts statements away, or what is in them.
func (c *cutter) stmts(list []*Stmt) []*Stmt {
	if half := len(list) / 2; half > 1 {
		if c.take(true) {
			return list[:half]
		}
		if c.take(true) {
			return list[half:]
		}
	}
	for i, s := range list {
		switch {
		case c.take(true):
			return slices.Delete(list, i, i+1)
		case c.take(len(s.Body) > 0):
			return slices.Replace(list, i, i+1, c.inlined(s)...)
		case c.take(len(s.Else) > 0):
			return slices.Replace(list, i, i+1, s.Else...)
		}
		c.stmt(s)
	}
	return list
}

// inlined returns the body of a loop with its variable's first value in the variable's place, or of a branch.
func (c *cutter) inlined(s *Stmt) []*Stmt {
	switch s.Kind {
	case "for":
		return slices.Insert(s.Body, 0, &Stmt{Kind: "count", Name: s.Name, K: s.K})
	case "while":
		return slices.Insert(s.Body, 0, &Stmt{Kind: "count", Name: s.Name, K: 1})
	}
	return s.Body
}

func (c *cutter) stmt(s *Stmt) {
	s.Body, s.Else = c.stmts(s.Body), c.stmts(s.Else)
	if c.take(len(s.Else) > 0) {
		s.Else = nil
	}
	if c.take(s.Mask != nil) {
		s.Mask = nil
	}
	if c.take(s.Op == "tl.range" || s.Op == "tl.static_range") {
		s.Op = "range"
	}
	if c.take(s.Step > 1) {
		s.Step = 1
	}
	if c.take(s.Kind == "for" && !isCount(s.Count, s.K+2)) {
		s.Count = Shift{{K: s.K + 2}}
	}
	if c.take(s.Kind == "while" && !isCount(s.Count, 2)) {
		s.Count = Shift{{K: 2}}
	}
	c.index(s)
	s.Mask, s.Value = c.expr(s.Mask), c.expr(s.Value)
}

func isCount(s Shift, n int) bool { return len(s) == 1 && s[0].Name == "" && s[0].K <= n }

func (c *cutter) index(s *Stmt) {
	x := &s.Index
	if c.take(x.Kind != "" && x.Kind != "lane") {
		*x = Index{Kind: "lane", Shift: x.Shift}
	}
	if c.take(x.Long) {
		x.Long = false
	}
	for i := range x.Shift {
		if c.take(true) {
			x.Shift = slices.Delete(x.Shift, i, i+1)
			return
		}
		if c.take(x.Shift[i].K > 1) {
			x.Shift[i].K /= 2
		}
	}
}

// expr puts a part of an expression, or a constant, in the place of the whole.
func (c *cutter) expr(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	for _, a := range e.Args {
		if c.take(a.Shape == e.Shape && a.Type == e.Type) {
			return a
		}
	}
	if c.take(e.Type != Bool && len(e.Args) > 0) {
		return &Expr{Op: "const", K: 3, Shape: e.Shape, Type: e.Type}
	}
	if c.take(e.Type == Bool && e.Op != "lane<" && e.Shape != Scal) {
		return &Expr{Op: "lane<", K: 5, Shape: e.Shape, Type: Bool}
	}
	for i := range e.Args {
		e.Args[i] = c.expr(e.Args[i])
	}
	return e
}
