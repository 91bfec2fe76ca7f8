package ir

import (
	"slices"
	"strconv"
)

// collector finds the types, attributes and locations that get an alias, in MLIR's order: first those that
// contain no other alias, then those that contain these, and so on; by name within each.
type collector struct {
	infos []aliasInfo
	index map[any]int
	frame *aliasFrame // frame of the value whose parts are being visited
}

type aliasInfo struct {
	sym      any
	name     string // "#blocked", without its number until finish; "" for none
	depth    int
	isType   bool
	deferred bool // may be defined after the module: used by operations' locations only
	parts    []int
}

// aliasFrame gathers what a value contains.
type aliasFrame struct {
	depth    int
	parts    []int
	deferred bool
}

func newCollector() *collector { return &collector{index: map[any]int{}} }

// visitNested visits a value found while another, or an operation, is visited.
func (c *collector) visitNested(p *Printer, sym any) {
	if c.frame == nil {
		c.visit(p, sym, false)
		return
	}
	f := c.frame
	i := c.visit(p, sym, f.deferred)
	f.parts = append(f.parts, i)
	f.depth = max(f.depth, c.infos[i].depth)
}

// visit notes a value and what it contains, and returns its place in infos.
func (c *collector) visit(p *Printer, sym any, deferred bool) int {
	if i, ok := c.index[sym]; ok {
		if !deferred {
			c.needEarly(i)
		}
		return i
	}
	i := len(c.infos)
	c.index[sym] = i
	info := aliasInfo{sym: sym, name: aliasName(sym), deferred: deferred}
	_, info.isType = sym.(Type)
	if info.name != "" {
		info.depth = 1
	}
	c.infos = append(c.infos, info)
	outer := c.frame
	f := &aliasFrame{deferred: deferred}
	c.frame = f
	switch s := sym.(type) {
	case Type:
		s.printType(p)
	case Loc:
		p.locBody(s)
	case Attr:
		s.printAttr(p)
	}
	c.frame = outer
	if f.depth > 0 {
		c.infos[i].depth = f.depth + 1
	}
	c.infos[i].parts = f.parts
	return i
}

// needEarly marks a value, and what it contains, as used by something that the head of the text must explain.
func (c *collector) needEarly(i int) {
	if !c.infos[i].deferred {
		return
	}
	c.infos[i].deferred = false
	for _, part := range c.infos[i].parts {
		c.needEarly(part)
	}
}

// aliasName returns the alias that a value would like to have, or "".
func aliasName(sym any) string {
	switch s := sym.(type) {
	case *TupleType:
		if len(s.Elems) > 16 {
			return "!tuple"
		}
	case *AffineMapAttr:
		return "#map"
	case *DialectAttr:
		if s.Def.Alias != "" {
			return "#" + s.Def.Alias
		}
	case Loc:
		return "#loc"
	}
	return ""
}

// finish sorts and numbers the aliases.
func (c *collector) finish() []aliasInfo {
	list := slices.DeleteFunc(c.infos, func(a aliasInfo) bool { return a.name == "" })
	slices.SortStableFunc(list, func(a, b aliasInfo) int {
		switch {
		case a.depth != b.depth:
			return a.depth - b.depth
		case a.isType != b.isType:
			if a.isType {
				return -1
			}
			return 1
		case a.name < b.name:
			return -1
		case a.name > b.name:
			return 1
		}
		return 0
	})
	counts := map[string]int{}
	for i := range list {
		a := &list[i]
		n := counts[a.name]
		counts[a.name]++
		if n == 0 {
			continue
		}
		if charClass[a.name[len(a.name)-1]]&clDigit != 0 {
			a.name += "_"
		}
		a.name += strconv.Itoa(n)
	}
	return list
}
