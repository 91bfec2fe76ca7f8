package target

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// fill sets all elements to a number.
func (e *emitter) fill(op *Op) error {
	value, out := e.values[op.Operands[0]], op.Operands[1]
	switch len(op.Results) {
	case 0:
	case 1:
		return e.filled(op.Results[0], value.c)
	default:
		return fmt.Errorf("found %d results, expected one", len(op.Results))
	}
	return e.set(e.values[out], value.c)
}

// filled makes v a tensor of one number.
func (e *emitter) filled(v *Value, c string) error {
	o, err := e.slot(v.Type)
	if err != nil {
		return err
	}
	e.values[v] = o
	return e.set(o, c)
}

func (e *emitter) set(o *operand, c string) error {
	vars := e.loops(o.sizes)
	e.line("%s = %s;", o.at(vars), c)
	for range vars {
		e.close()
	}
	return nil
}

// nest is a nest of loops over tensors, the common form of linalg's operations. Its body is a block with
// an argument for each element that it reads and each that it replaces; without one, the element of the
// only input is the result.
type nest struct {
	ins, outs []*Value
	maps      []Map // of ins, then outs: the loops' variables to the place of an element
	body      *Block
	results   []*Value // tensors; none where outs are memrefs, which are written in place
}

func (e *emitter) generic(op *Op) error {
	groups, err := op.segments(2)
	if err != nil {
		return err
	}
	maps, err := op.maps("indexing_maps")
	if err != nil {
		return err
	}
	if len(op.Regions) != 1 || len(op.Regions[0]) != 1 {
		return fmt.Errorf("expected one block")
	}
	return e.nest(nest{groups[0], groups[1], maps, op.Regions[0][0], op.Results})
}

// reduce folds dimensions of its inputs into tensors that begin with an initial number.
func (e *emitter) reduce(op *Op) error {
	drop, err := op.ints("dimensions")
	if err != nil {
		return err
	}
	n := len(op.Operands) / 2
	if n == 0 || len(op.Operands)%2 != 0 || len(op.Regions) != 1 || len(op.Regions[0]) != 1 {
		return fmt.Errorf("expected as many inputs as outputs, and one block")
	}
	all, kept := identity(len(op.Operands[0].Type.Shape)), Map{}
	kept.Dims = all.Dims
	for i, r := range all.Results {
		if !slices.Contains(drop, int64(i)) {
			kept.Results = append(kept.Results, r)
		}
	}
	maps := append(slices.Repeat([]Map{all}, n), slices.Repeat([]Map{kept}, n)...)
	return e.nest(nest{op.Operands[:n], op.Operands[n:], maps, op.Regions[0][0], op.Results})
}

// broadcast repeats its input along new dimensions.
func (e *emitter) broadcast(op *Op) error {
	added, err := op.ints("dimensions")
	if err != nil {
		return err
	}
	all := identity(len(op.Operands[1].Type.Shape))
	in := Map{Dims: all.Dims}
	for i, r := range all.Results {
		if !slices.Contains(added, int64(i)) {
			in.Results = append(in.Results, r)
		}
	}
	return e.nest(nest{op.Operands[:1], op.Operands[1:2], []Map{in, all}, nil, op.Results})
}

// transpose puts dimension permutation[i] of its input at place i.
func (e *emitter) transpose(op *Op) error {
	perm, err := op.ints("permutation")
	if err != nil {
		return err
	}
	in := identity(len(perm))
	out := Map{Dims: in.Dims}
	for _, p := range perm {
		out.Results = append(out.Results, "d"+strconv.FormatInt(p, 10))
	}
	return e.nest(nest{op.Operands[:1], op.Operands[1:2], []Map{in, out}, nil, op.Results})
}

func identity(rank int) Map {
	m := Map{Dims: rank}
	for i := range rank {
		m.Results = append(m.Results, "d"+strconv.Itoa(i))
	}
	return m
}

// nest writes the loops.
func (e *emitter) nest(n nest) error {
	if len(n.maps) != len(n.ins)+len(n.outs) || n.body != nil && len(n.body.Args) != len(n.maps) {
		return fmt.Errorf("expected a map and a block argument for each operand")
	}
	var all []*operand
	for _, v := range n.ins {
		all = append(all, e.values[v])
	}
	outs, err := e.outputs(n)
	if err != nil {
		return err
	}
	all = append(all, outs...)
	sizes, err := iteration(n.maps, all)
	if err != nil {
		return err
	}
	vars := e.loops(sizes)
	places := make([]string, len(all))
	for i, o := range all {
		place := substitute(n.maps[i].Results, vars)
		if len(place) != len(o.strides) {
			return fmt.Errorf("a map to %d dimensions for a tensor of %d", len(place), len(o.strides))
		}
		places[i] = o.at(place)
	}
	if err := e.round(n, vars, places); err != nil {
		return err
	}
	for range vars {
		e.close()
	}
	return nil
}

// round writes one round of a nest: places are the elements of ins, then outs.
func (e *emitter) round(n nest, vars, places []string) error {
	targets := places[len(n.ins):]
	if n.body == nil {
		e.line("%s = %s;", targets[0], places[0])
		return nil
	}
	for i, arg := range n.body.Args {
		if !uses(n.body, arg) {
			continue
		}
		if err := e.declare(arg, places[i]); err != nil {
			return err
		}
	}
	around := e.index
	e.index = vars
	yield, err := e.block(n.body)
	e.index = around
	if err != nil {
		return err
	}
	if len(yield.Operands) != len(targets) {
		return fmt.Errorf("the block yields %d numbers for %d outputs", len(yield.Operands), len(targets))
	}
	for i, v := range yield.Operands {
		e.line("%s = %s;", targets[i], e.values[v].c)
	}
	return nil
}

// outputs returns what a nest writes: memrefs as they are, tensors in slots of their own, which begin as
// copies where the body reads what it replaces.
func (e *emitter) outputs(n nest) (outs []*operand, err error) {
	if len(n.results) == 0 {
		for _, v := range n.outs {
			outs = append(outs, e.values[v])
		}
		return outs, nil
	}
	if len(n.results) != len(n.outs) {
		return nil, fmt.Errorf("%d results for %d outputs", len(n.results), len(n.outs))
	}
	for i, v := range n.results {
		o, err := e.slot(v.Type)
		if err != nil {
			return nil, err
		}
		if n.body != nil && uses(n.body, n.body.Args[len(n.ins)+i]) {
			if err := e.copy(o, e.values[n.outs[i]]); err != nil {
				return nil, err
			}
		}
		outs = append(outs, o)
		e.values[v] = o
	}
	return outs, nil
}

// iteration returns the size of each loop: that of a dimension which its variable alone selects.
func iteration(maps []Map, all []*operand) ([]string, error) {
	sizes := make([]string, maps[0].Dims)
	for i, m := range maps {
		for j, r := range m.Results {
			n, err := strconv.Atoi(r[1:])
			if r[0] != 'd' || err != nil || n >= len(sizes) || j >= len(all[i].sizes) {
				continue
			}
			if s := all[i].sizes[j]; sizes[n] == "" || isNumber(s) {
				sizes[n] = s
			}
		}
	}
	if i := slices.Index(sizes, ""); i >= 0 {
		return nil, fmt.Errorf("no operand says how often loop %d runs", i)
	}
	return sizes, nil
}

var dim = regexp.MustCompile(`\bd\d+\b`)

// substitute puts loops' variables into the results of a map.
func substitute(results, vars []string) (place []string) {
	for _, r := range results {
		place = append(place, dim.ReplaceAllStringFunc(r, func(d string) string {
			if n, err := strconv.Atoi(d[1:]); err == nil && n < len(vars) {
				return vars[n]
			}
			return d
		}))
	}
	return place
}

// uses reports whether an operation of a block, or of the regions inside, reads v.
func uses(b *Block, v *Value) bool {
	for _, op := range b.Ops {
		if slices.Contains(op.Operands, v) {
			return true
		}
		for _, r := range op.Regions {
			if slices.ContainsFunc(r, func(inner *Block) bool { return uses(inner, v) }) {
				return true
			}
		}
	}
	return false
}

// loopIndex is the variable of a loop around.
func (e *emitter) loopIndex(op *Op) error {
	n, err := op.integer("dim")
	if err != nil || n < 0 || int(n) >= len(e.index) {
		return fmt.Errorf("dim %s of %d loops", op.Attrs["dim"], len(e.index))
	}
	e.values[op.Results[0]] = &operand{typ: op.Results[0].Type, c: e.index[n]}
	return nil
}
