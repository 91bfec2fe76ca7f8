package memfuzz

// target makes the pointers of an access to a tensor: a new index, or a pointer variable. Lanes go to
// distinct elements where distinct is set.
func (g *generator) target(s *Stmt, distinct bool) {
	if len(g.ptrs) > 0 && g.chance(40) {
		p := pick(g, g.ptrs...)
		if !distinct || p.Shape == Scal || injective[p.Index.Kind] {
			s.Pointer, s.Tensor, s.Shape, s.Type = p.Pointer, p.Tensor, p.Shape, p.Type
			return
		}
	}
	t := g.tensor()
	s.Tensor, s.Type, s.Shape = t.Name, t.Type, g.shape()
	s.Index = g.index(s.Shape, distinct)
}

func (g *generator) load() *Stmt {
	s := &Stmt{Kind: "load"}
	g.target(s, false)
	s.Mask, s.K = g.mask(s.Shape), g.IntN(8)
	s.Name = g.define(s.Shape, s.Type)
	g.from[s.Name] = s.Tensor
	return s
}

// define returns a name for a new value: a new variable, or one that exists, so that loops carry it.
func (g *generator) define(s Shape, t Type) string {
	if g.chance(40) {
		if v := g.variable(s, t); v != nil {
			return v.Name
		}
	}
	v := &Expr{Op: "var", Name: g.name("v"), Shape: s, Type: t}
	g.vars = append(g.vars, v)
	return v.Name
}

// store makes a store whose lanes go to distinct elements, or which stores one value.
func (g *generator) store() *Stmt {
	if len(g.vars) > 0 && g.chance(50) {
		return g.storeVariable(pick(g, g.vars...))
	}
	s := &Stmt{Kind: "store"}
	one := g.chance(10)
	g.target(s, !one)
	s.Mask = g.mask(s.Shape)
	if s.Value = g.expr(s.Shape, s.Type, 1); one && s.Shape != Scal {
		s.Value = &Expr{Op: "splat", Args: []*Expr{g.expr(Scal, s.Type, 1)}, Shape: s.Shape, Type: s.Type}
	}
	return s
}

// storeVariable stores a variable where it came from, mostly: to other elements of the same tensor.
func (g *generator) storeVariable(v *Expr) *Stmt {
	t := g.k.tensor(g.from[v.Name])
	if t == nil || g.chance(25) {
		t = g.tensor()
	} else {
		t = g.sharing(t)
	}
	s := &Stmt{Kind: "store", Tensor: t.Name, Type: t.Type, Shape: v.Shape, Index: g.index(v.Shape, true),
		Mask: g.mask(v.Shape)}
	if s.Value = convert(v, t.Type); s.Value == nil {
		s.Value = g.expr(v.Shape, t.Type, 0)
	}
	return s
}

func (g *generator) assign() *Stmt {
	s := &Stmt{Kind: "assign", Shape: g.shape(), Type: g.valueType()}
	s.Value = g.expr(s.Shape, s.Type, 3)
	s.Name = g.define(s.Shape, s.Type)
	return s
}

// reduce makes a value of fewer elements: threads meet for it.
func (g *generator) reduce() *Stmt {
	s := &Stmt{Kind: "assign", Type: g.valueType(), Shape: pick(g, Scal, Scal, RowVec, ColVec)}
	ops := []string{"top"}
	if !s.Type.float() {
		ops = []string{"sum", "top", "bottom", "xorall"}
	}
	from, k := pick(g, Vec, Mat), 0
	if s.Shape != Scal {
		ops, from = []string{"topaxis"}, Mat
		if !s.Type.float() {
			ops = []string{"sumaxis", "topaxis"}
		}
		if s.Shape == RowVec {
			k = 1
		}
	}
	s.Value = &Expr{Op: pick(g, ops...), Args: []*Expr{g.expr(from, s.Type, 1)}, K: k, Shape: s.Shape,
		Type: s.Type}
	s.Name = g.define(s.Shape, s.Type)
	return s
}

// pointer makes a pointer variable.
func (g *generator) pointer() *Stmt {
	t := g.tensor()
	s := &Stmt{Kind: "pointer", Pointer: g.name("q"), Tensor: t.Name, Type: t.Type, Shape: g.shape()}
	s.Index = g.index(s.Shape, g.chance(80))
	g.ptrs = append(g.ptrs, s)
	return s
}

func (g *generator) advance() *Stmt {
	if len(g.ptrs) == 0 {
		return g.pointer()
	}
	return &Stmt{Kind: "advance", Pointer: pick(g, g.ptrs...).Pointer, K: pick(g, 1, 2, 4, 16)}
}

// atomic makes an atomic on integers. Those that do not give the old values back commute, so their lanes may
// meet.
func (g *generator) atomic() *Stmt {
	s := &Stmt{Kind: "atomic", Op: pick(g, "add", "add", "max", "min", "and", "or", "xor")}
	old := g.chance(30)
	g.target(s, old)
	if s.Type != I32 && s.Type != I64 {
		return g.store()
	}
	s.Mask = g.mask(s.Shape)
	s.Value = g.expr(s.Shape, s.Type, 1)
	if old && s.Mask == nil {
		s.Name = g.define(s.Shape, s.Type)
	}
	return s
}

// sharing returns a tensor in the memory of t: t itself, one that it is a view of, or a view of it.
func (g *generator) sharing(t *Tensor) *Tensor {
	list := []*Tensor{t}
	for i := range g.k.Tensors {
		if x := &g.k.Tensors[i]; x.Of == t.Name || t.Of == x.Name {
			list = append(list, x, x)
		}
	}
	return pick(g, list...)
}

// move makes a load, something that may come between, and a store of what was loaded to the same memory, in a
// loop perhaps.
func (g *generator) move() []*Stmt {
	l := g.load()
	out := []*Stmt{l}
	switch n := g.IntN(10); {
	case n < 2:
		out = append(out, &Stmt{Kind: "barrier"})
	case n < 5:
		out = append(out, g.stmt())
	}
	st := g.storeVariable(&Expr{Op: "var", Name: l.Name, Shape: l.Shape, Type: l.Type})
	if g.depth >= 2 || g.chance(50) {
		return append(out, st)
	}
	s := pick(g, g.loop, g.loop, g.while, g.branch)()
	if g.chance(70) {
		s.Body = s.Body[:0]
	}
	if s.Body = append(s.Body, st); g.chance(40) {
		s.Body = append(s.Body, &Stmt{Kind: "barrier"})
	}
	return append(out, s)
}

// inner makes the body of a loop or a branch.
func (g *generator) inner() []*Stmt {
	g.depth++
	g.left++ // one at least
	list := g.body()
	g.depth--
	return list
}

func (g *generator) loop() *Stmt {
	s := &Stmt{Kind: "for", Name: g.name("k"), K: g.IntN(2), Step: pick(g, 1, 1, 1, 2),
		Op: pick(g, "range", "range", "range", "tl.range", "tl.static_range")}
	s.Count = Shift{{K: s.K + pick(g, 0, 1, 2, 2, 3, 4)}}
	if n := g.smallScalar(); n != "" && s.Op != "tl.static_range" && g.chance(60) {
		s.Count = Shift{{Name: n, K: 1}}
	}
	g.loops = append(g.loops, s.Name)
	s.Body = g.inner()
	g.loops = g.loops[:len(g.loops)-1]
	return s
}

func (g *generator) while() *Stmt {
	s := &Stmt{Kind: "while", Name: g.name("w"), Count: Shift{{K: 1 + g.IntN(3)}}}
	if n := g.smallScalar(); n != "" && g.chance(60) {
		s.Count = Shift{{Name: n, K: 1}}
	}
	g.loops = append(g.loops, s.Name)
	s.Body = g.inner()
	g.loops = g.loops[:len(g.loops)-1]
	return s
}

// smallScalar returns a scalar argument that can count iterations, or "".
func (g *generator) smallScalar() string {
	if len(g.k.Scalars) == 0 {
		return ""
	}
	if s := pick(g, g.k.Scalars...); s.Value <= 8 {
		return s.Name
	}
	return ""
}

func (g *generator) branch() *Stmt {
	s := &Stmt{Kind: "if", Value: g.condition(), Body: g.inner()}
	if g.chance(40) {
		s.Else = g.inner()
	}
	return s
}
