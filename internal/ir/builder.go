package ir

// Builder makes operations at an insertion point.
type Builder struct {
	Loc      Loc       // given to the operations it makes
	OnCreate func(*Op) // called for each operation made; may be nil

	block *Block
	next  *Op // insert before this one; nil is the end of the block
}

// NewBuilder returns a builder that appends to b.
func NewBuilder(b *Block) *Builder { return &Builder{Loc: Unknown, block: b} }

// At returns a builder that inserts before op, with op's location.
func At(op *Op) *Builder { return &Builder{Loc: op.Loc, block: op.block, next: op} }

// Point is an insertion point, to come back to.
type Point struct {
	block *Block
	next  *Op
}

// Point returns where the builder stands; SetPoint goes back there.
func (b *Builder) Point() Point     { return Point{b.block, b.next} }
func (b *Builder) SetPoint(p Point) { b.block, b.next = p.block, p.next }

// Block returns the block that the builder inserts into.
func (b *Builder) Block() *Block { return b.block }

// ToEnd, ToStart, Before and After move the insertion point.
func (b *Builder) ToEnd(block *Block)   { b.block, b.next = block, nil }
func (b *Builder) ToStart(block *Block) { b.block, b.next = block, block.first }
func (b *Builder) Before(op *Op)        { b.block, b.next = op.block, op }
func (b *Builder) After(op *Op)         { b.block, b.next = op.block, op.next }

// Insert puts an operation that is in no block at the insertion point.
func (b *Builder) Insert(op *Op) *Op {
	if b.next == nil {
		b.block.link(op, b.block.last, nil)
	} else {
		b.block.link(op, b.next.prev, b.next)
	}
	if b.OnCreate != nil {
		b.OnCreate(op)
	}
	return op
}

// Create makes and inserts an operation; a nil Loc in s is the builder's.
func (b *Builder) Create(s State) *Op {
	if s.Loc == nil {
		s.Loc = b.Loc
	}
	return b.Insert(NewOp(s))
}

// Op makes and inserts an operation with plain operands.
func (b *Builder) Op(def *OpDef, operands []*Value, results []Type, attrs ...NamedAttr) *Op {
	return b.Create(State{Def: def, Operands: operands, Results: results, Attrs: attrs})
}

// Val makes and inserts an operation with one result and returns that.
func (b *Builder) Val(def *OpDef, result Type, operands ...*Value) *Value {
	return b.Create(State{Def: def, Operands: operands, Results: []Type{result}}).results[0]
}

// ValA is like Val, with attributes.
func (b *Builder) ValA(def *OpDef, result Type, attrs []NamedAttr, operands ...*Value) *Value {
	return b.Create(State{Def: def, Operands: operands, Results: []Type{result}, Attrs: attrs}).results[0]
}

// Groups makes and inserts an operation whose operands are given slot by slot, nil values left out. It sets
// the segments where the op needs them.
func (b *Builder) Groups(def *OpDef, groups [][]*Value, results []Type, attrs ...NamedAttr) *Op {
	s := State{Def: def, Results: results, Attrs: attrs}
	for _, g := range groups {
		n := 0
		for _, v := range g {
			if v != nil {
				s.Operands = append(s.Operands, v)
				n++
			}
		}
		if def.Has(SegmentedOperands) {
			s.Segments = append(s.Segments, n)
		}
	}
	return b.Create(s)
}

// Mapping says what values and blocks become in a clone.
type Mapping struct {
	Values map[*Value]*Value
	Blocks map[*Block]*Block
}

// NewMapping returns an empty mapping.
func NewMapping() *Mapping {
	return &Mapping{map[*Value]*Value{}, map[*Block]*Block{}}
}

// Get returns what v becomes: itself where the mapping says nothing.
func (m *Mapping) Get(v *Value) *Value {
	if w, ok := m.Values[v]; ok {
		return w
	}
	return v
}

// Map records that from becomes to.
func (m *Mapping) Map(from, to *Value) { m.Values[from] = to }

// Clone returns a copy of op, with all inside, in no block; operands go through m, and m learns the copy's
// values.
func (op *Op) Clone(m *Mapping) *Op {
	if m == nil {
		m = NewMapping()
	}
	s := State{Def: op.Def, Loc: op.Loc, Segments: op.segments, ResultSegs: op.resultSegs,
		Results: op.ResultTypes()}
	s.Operands = make([]*Value, len(op.operands))
	for i := range op.operands {
		s.Operands[i] = m.Get(op.operands[i].value)
	}
	for _, b := range op.successors {
		if nb, ok := m.Blocks[b]; ok {
			b = nb
		}
		s.Successors = append(s.Successors, b)
	}
	c := NewOp(s)
	c.attrs = append([]NamedAttr(nil), op.attrs...)
	for i, r := range op.results {
		c.results[i].Name = r.Name
		m.Values[r] = c.results[i]
	}
	for _, r := range op.regions {
		nr := &Region{}
		c.AddRegion(nr)
		r.CloneInto(nr, m)
	}
	return c
}

// CloneInto appends copies of r's blocks to dst. Uses of values defined later in r are mended at the end.
func (r *Region) CloneInto(dst *Region, m *Mapping) {
	for b := range r.Blocks() {
		nb := &Block{}
		dst.Append(nb)
		m.Blocks[b] = nb
		for _, a := range b.args {
			na := nb.AddArg(a.Type, a.Loc)
			na.Name = a.Name
			m.Values[a] = na
		}
	}
	var clones []*Op
	for b := range r.Blocks() {
		for op := range b.Ops() {
			c := op.Clone(m)
			m.Blocks[b].Append(c)
			clones = append(clones, c)
		}
	}
	if r.first == r.last {
		return
	}
	for _, c := range clones { // a block may come before one that dominates it
		c.Walk(func(o *Op) bool {
			for i := range o.operands {
				o.operands[i].Set(m.Get(o.operands[i].value))
			}
			return true
		})
	}
}
