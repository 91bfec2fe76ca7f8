package ir

import "slices"

// finish resolves the operands, works out the types that the text leaves out, and completes the state.
func (f *formatReader) finish() bool {
	f.setDefaultSegments()
	if f.hasAll {
		f.spreadOperands()
	}
	f.infer()
	if !f.resolveOperands() {
		return false
	}
	for i, r := range f.regions {
		if len(r) == 0 && i < fixed(f.def.Regions) {
			r = []*Region{{}} // left out: there, and empty
		}
		f.s.Regions = append(f.s.Regions, r...)
	}
	for _, b := range f.successors {
		f.s.Successors = append(f.s.Successors, b...)
	}
	return f.results()
}

func fixed(names []string) int { n, _ := nameCount(names); return n }

// setDefaultSegments takes segment sizes that stand among the attributes, as they do where `operands` reads
// all at once.
func (f *formatReader) setDefaultSegments() { f.segmentAttrs(f.s) }

// spreadOperands deals the operands of an `operands` directive out to the slots.
func (f *formatReader) spreadOperands() {
	segs := f.s.Segments
	if len(segs) != len(f.def.Operands) {
		segs = nil
	}
	at := 0
	for i := range f.def.Operands {
		n := 0
		if segs != nil {
			n = segs[i]
		} else {
			_, n = slotRange(f.def.Operands, nil, len(f.all), i)
		}
		if i == len(f.def.Operands)-1 {
			n = len(f.all) - at
		}
		n = max(0, min(n, len(f.all)-at))
		f.operands[i] = f.all[at : at+n]
		at += n
	}
}

// infer finds the types of slots from those of others, until nothing new is found.
func (f *formatReader) infer() {
	for f.inferAlone() || f.inferSame() || f.inferRules() {
	}
}

// inferAlone knows the types of empty slots and of those that admit one type only.
func (f *formatReader) inferAlone() (found bool) {
	for i, s := range f.def.Operands {
		n := len(f.operands[i])
		if !f.in[i].known && (n == 0 || s.Only != nil) {
			f.in[i], found = slotTypes{repeat(s.Only, n), true}, true
		}
	}
	for i, s := range f.def.Results {
		switch {
		case f.out[i].known:
		case s.Only != nil && s.Arity == One:
			f.out[i], found = slotTypes{[]Type{s.Only}, true}, true
		case s.Arity != One && f.def.format.typed[i]: // its types were left out, so there are none
			f.out[i], found = slotTypes{nil, true}, true
		}
	}
	return found
}

// inferSame uses the traits that say that types are equal.
func (f *formatReader) inferSame() (found bool) {
	d := f.def
	both := d.Has(SameOperandsAndResultType)
	if !both && !d.Has(SameTypeOperands) {
		return false
	}
	t := anyType(f.in)
	if t == nil && both {
		t = anyType(f.out)
	}
	if t == nil {
		return false
	}
	for i := range f.in {
		if !f.in[i].known {
			f.in[i], found = slotTypes{repeat(t, len(f.operands[i])), true}, true
		}
	}
	for i := range f.out {
		if both && !f.out[i].known && d.Results[i].Arity == One {
			f.out[i], found = slotTypes{[]Type{t}, true}, true
		}
	}
	return found
}

func anyType(slots []slotTypes) Type {
	for _, s := range slots {
		if s.known && len(s.types) > 0 {
			return s.types[0]
		}
	}
	return nil
}

// inferRules applies the row's TypeRules; one that is identity works both ways.
func (f *formatReader) inferRules() (found bool) {
	for _, r := range f.def.Types {
		if f.apply(r.From, r.To, r.Fn) || r.Fn == nil && f.apply(r.To, r.From, nil) {
			found = true
		}
	}
	return found
}

func (f *formatReader) apply(from, to string, fn func(Type) Type) bool {
	target, n := f.target(to)
	if target == nil || target.known {
		return false
	}
	source := f.source(from)
	if len(source) == 0 {
		return false
	}
	if n < 0 {
		n = len(source)
	}
	if len(source) == 1 {
		source = repeat(source[0], n)
	}
	if len(source) != n {
		return false
	}
	types := slices.Clone(source)
	for i := range types {
		if fn != nil {
			types[i] = fn(types[i])
		}
		if types[i] == nil {
			return false
		}
	}
	*target = slotTypes{types, true}
	return true
}

// target returns the slot of a name and the number of its values, -1 when that is not known.
func (f *formatReader) target(name string) (*slotTypes, int) {
	for i, s := range f.def.Operands {
		if s.Name == name {
			return &f.in[i], len(f.operands[i])
		}
	}
	for i, s := range f.def.Results {
		if s.Name == name {
			if s.Arity == One {
				return &f.out[i], 1
			}
			return &f.out[i], -1
		}
	}
	return nil, 0
}

// source returns the known types of a slot, or the type of an attribute's value.
func (f *formatReader) source(name string) []Type {
	if t, _ := f.target(name); t != nil {
		return t.types
	}
	if t := AttrType(f.s.Attr(name)); t != nil {
		return []Type{t}
	}
	return nil
}

// AttrType returns the type of an attribute that has one, and nil otherwise; the type itself of a TypeAttr.
func AttrType(a Attr) Type {
	switch a := a.(type) {
	case *IntegerAttr:
		return a.Type
	case *FloatAttr:
		return a.Type
	case *DenseAttr:
		return a.Type
	case *TypeAttr:
		return a.Type
	}
	return nil
}

func (f *formatReader) resolveOperands() bool {
	if len(f.def.Operands) == 0 && len(f.all) > 0 {
		return f.Errorf(f.all[0].Pos, "'%s' has no operands", f.def.fullName)
	}
	var segments []int
	for i, slot := range f.def.Operands {
		list, types := f.operands[i], f.in[i]
		if !types.known {
			return f.Errorf(list[0].Pos, "the type of '%%%s' does not follow from the text", list[0].Name)
		}
		if len(list) != len(types.types) {
			pos := f.pos
			if len(list) > 0 {
				pos = list[0].Pos
			}
			return f.Errorf(pos, "%d values for '%s' but %d types", len(list), slot.Name, len(types.types))
		}
		for j, o := range list {
			if !f.Resolve(f.s, o, types.types[j]) {
				return false
			}
		}
		segments = append(segments, len(list))
	}
	if f.def.Has(SegmentedOperands) {
		f.s.Segments = segments
	}
	return true
}

// results flattens the result types, asking the op's own inference where the text and the rules do not tell.
func (f *formatReader) results() bool {
	known := true
	for _, o := range f.out {
		known = known && o.known
	}
	if !known {
		types, err := f.def.Infer(f.s)
		if err != nil {
			return f.Errorf(f.pos, "'%s': %v", f.def.fullName, err)
		}
		f.spread(f.out, f.def.Results, types)
	}
	for _, o := range f.out {
		f.s.Results = append(f.s.Results, o.types...)
		if f.def.Has(SegmentedResults) {
			f.s.ResultSegs = append(f.s.ResultSegs, len(o.types))
		}
	}
	return true
}
