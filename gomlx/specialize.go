package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/pkg/errors"
)

// Dynamic axes: a graph with them is kept as it was built. Once inputs give the sizes, every operation
// is made again with them, in a builder of its own, whose shapes are all known.

// specialize returns the main function with the sizes of dynamic axes.
func (f *Function) specialize(b *Backend, at shapes.AxisBindings) (*Function, error) {
	x := newBuilder(b, f.builder.name, at)
	c := copier{to: map[*node]compute.Value{}, functions: map[*Function]*Function{}, at: at}
	if err := c.copy(f, x.main); err != nil {
		return nil, errors.WithMessagef(err, "with the sizes %v", at)
	}
	x.compiled = true
	return x.main, nil
}

// copier makes functions again.
type copier struct {
	to        map[*node]compute.Value
	functions map[*Function]*Function
	at        shapes.AxisBindings
}

// copy makes the operations of a function again in another one.
func (c *copier) copy(from, to *Function) error {
	for _, n := range from.nodes {
		if err := c.node(n, from, to); err != nil {
			return errors.WithMessagef(err, "%s %s", opName(n), n.shape)
		}
	}
	outputs := make([]compute.Value, len(from.outputs))
	for i, n := range from.outputs {
		outputs[i] = c.to[n]
	}
	return to.Return(outputs, nil)
}

func (c *copier) node(n *node, from, to *Function) error {
	switch n.op {
	case compute.OpTypeParameter:
		s, err := resolve(n.shape, c.at)
		if err != nil {
			return err
		}
		c.to[n], err = to.Parameter(from.names[n.attr.(int)], s, nil)
		return err
	case opCapture:
		c.to[n] = c.to[from.captures[n.attr.(int)]]
		return nil
	case opPart:
		return nil
	}
	in := make([]compute.Value, len(n.inputs))
	for i, x := range n.inputs {
		in[i] = c.to[x]
	}
	list, err := c.again(n, in, to)
	if err != nil {
		return err
	}
	if n.outs == nil {
		c.to[n] = list[0]
		return nil
	}
	for i := range n.outs {
		c.to[n.fn.nodes[n.id+1+i]] = list[i]
	}
	return nil
}

// again makes an operation again, after the functions that it calls.
func (c *copier) again(n *node, in []compute.Value, to *Function) ([]compute.Value, error) {
	if n.subs == nil {
		return n.again(to, in, c.at)
	}
	subs := make([]*Function, len(n.subs))
	for i, s := range n.subs {
		if old := c.functions[s]; old != nil {
			subs[i] = old
			continue
		}
		parent := to
		if s.parent == nil {
			parent = nil
		}
		subs[i] = to.builder.function(s.name, parent)
		if err := c.copy(s, subs[i]); err != nil {
			return nil, err
		}
		c.functions[s] = subs[i]
	}
	return n.attr.(control).again(to, in, subs)
}
