package ir

import (
	"strconv"
	"strings"
)

// valueNames holds the names that values and blocks have in one text.
type valueNames struct {
	values  map[*Value]string // "%x", "%x#1"
	groups  map[*Value]group  // group that begins with a result
	blocks  map[*Block]int
	used    map[string]bool
	generic bool
	// what the generic form shows of operations that show more than they hold
	shownOps map[*Op]shownOp
}

// group is results written under one name, `%x:2`.
type group struct {
	name  string
	count int
}

// counters number what has no name. A region goes on from where the region around it ended.
type counters struct{ value, arg, conflict int }

// nameValues names all values inside op, and around it up to the nearest isolated operation.
func nameValues(op *Op, opts PrintOptions) *valueNames {
	n := &valueNames{values: map[*Value]string{}, groups: map[*Value]group{}, blocks: map[*Block]int{},
		used: map[string]bool{}, generic: opts.Generic, shownOps: map[*Op]shownOp{}}
	root := op
	for root.Parent() != nil && !(root.Def.Has(Isolated) && root != op) {
		root = root.Parent()
	}
	var c counters
	n.op(root, &c, nil)
	n.regions(root, &c)
	return n
}

// value returns a value's name.
func (n *valueNames) value(v *Value) string {
	if s, ok := n.values[v]; ok {
		return s
	}
	return "<<UNKNOWN SSA VALUE>>"
}

// regions names the values inside op, whose region has been numbered up to c. In the generic form no number
// occurs twice, and MLIR happens to take the regions from the last to the first.
func (n *valueNames) regions(op *Op, c *counters) {
	regions := n.shown(op).regions
	for i := len(regions) - 1; i >= 0; i-- {
		if n.generic {
			n.region(op, i, regions[i], c)
		} else {
			own := *c
			n.region(op, i, regions[i], &own)
		}
	}
}

// region names the values of a region and then of the regions inside. Names are free again after it.
func (n *valueNames) region(op *Op, index int, r *Region, c *counters) {
	var mine []string
	id := 0
	for b := r.first; b != nil; b = b.next {
		n.blocks[b] = id
		id++
		for i, a := range b.args {
			n.values[a] = n.argument(op, index, i, a, b == r.first, c, &mine)
		}
		for o := b.first; o != nil; o = o.next {
			n.op(o, c, &mine)
		}
	}
	for b := r.last; b != nil; b = b.prev {
		for o := b.last; o != nil; o = o.prev {
			n.regions(o, c)
		}
	}
	for _, s := range mine {
		delete(n.used, s)
	}
}

func (n *valueNames) argument(op *Op, region, i int, a *Value, entry bool, c *counters,
	mine *[]string) string {
	switch {
	case a.Name != "":
		return n.unique(a.Name, c, mine)
	case !entry:
		return n.number(c)
	case op.Def.ArgName != nil && !n.generic:
		if s := op.Def.ArgName(op, region, i); s != "" {
			return n.unique(s, c, mine)
		}
	}
	c.arg++
	return n.unique("arg"+strconv.Itoa(c.arg-1), c, mine)
}

func (n *valueNames) number(c *counters) string {
	c.value++
	return "%" + strconv.Itoa(c.value-1)
}

// op names the results: those with a wish start a group of their own, the others join the group before them.
func (n *valueNames) op(op *Op, c *counters, mine *[]string) {
	for i := 0; i < len(op.results); {
		end := i + 1
		for end < len(op.results) && n.wish(op, end) == "" {
			end++
		}
		name := ""
		if w := n.wish(op, i); w != "" {
			name = n.unique(w, c, mine)
		} else {
			name = n.number(c)
		}
		n.groups[op.results[i]] = group{name, end - i}
		n.values[op.results[i]] = name
		if end-i > 1 {
			for k := i; k < end; k++ {
				n.values[op.results[k]] = name + "#" + strconv.Itoa(k-i)
			}
		}
		i = end
	}
}

// wish returns the name that a result would like to have, or "".
func (n *valueNames) wish(op *Op, i int) string {
	switch {
	case op.results[i].Name != "":
		return op.results[i].Name
	case n.generic:
	case op.Def.ResultName != nil:
		return op.Def.ResultName(op, i)
	case op.Def.Has(ConstantLike):
		return ConstantName(op.Attr("value"))
	case len(op.Def.Results) > 1 &&
		countsFit(op.Def.Results, op.resultSegs, len(op.results), op.Def.Has(SegmentedResults)):
		// several results have the names of their slots
		for slot, s := range op.Def.Results {
			if lo, n := slotRange(op.Def.Results, op.resultSegs, len(op.results), slot); lo == i && n > 0 {
				return s.Name
			}
		}
	}
	return ""
}

// ConstantName returns the name MLIR gives to a constant: c1_i32, c0 (of type index), true, cst. It is "" for
// no attribute, and for one that only its dialect understands, such as poison.
func ConstantName(a Attr) string {
	switch a := a.(type) {
	case nil, *DialectAttr:
		return ""
	case *SymbolRefAttr:
		return "f"
	case *IntegerAttr:
		switch {
		case a.Type == I1 && a.Value != 0:
			return "true"
		case a.Type == I1:
			return "false"
		case a.Type == Index:
			return "c" + strconv.FormatInt(a.Value, 10)
		}
		return "c" + strconv.FormatInt(a.Value, 10) + "_" + a.Type.String()
	}
	return "cst"
}

// unique returns a name like s that nobody has yet.
func (n *valueNames) unique(s string, c *counters, mine *[]string) string {
	s = sanitize(s)
	if n.used[s] {
		s = n.probe(s, c)
	}
	n.used[s] = true
	if mine != nil {
		*mine = append(*mine, s)
	}
	return "%" + s
}

// probe appends _0, _1, ... A number that an earlier conflict appended makes way, so that copies of copies do
// not collect them.
func (n *valueNames) probe(s string, c *counters) string {
	if i := strings.LastIndexByte(s, '_'); i > 0 && i+1 < len(s) && run(s, i+1, clDigit) == len(s) {
		s = s[:i]
	}
	for {
		try := s + "_" + strconv.Itoa(c.conflict)
		c.conflict++
		if !n.used[try] {
			return try
		}
	}
}

// sanitize makes s an identifier: a leading digit gets an underscore before it, what no identifier may hold
// becomes hexadecimal.
func sanitize(s string) string {
	const ok = clLetter | clDigit | clMark | clMinus
	if charClass[s[0]]&clDigit == 0 && run(s, 0, ok) == len(s) {
		return s
	}
	var b strings.Builder
	if charClass[s[0]]&clDigit != 0 {
		b.WriteByte('_')
	}
	for i := range len(s) {
		switch {
		case charClass[s[i]]&ok != 0:
			b.WriteByte(s[i])
		case s[i] == ' ':
			b.WriteByte('_')
		default:
			b.WriteString(strings.ToUpper(strconv.FormatUint(uint64(s[i]), 16)))
		}
	}
	return b.String()
}
