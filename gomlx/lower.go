package gomlx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// lowering makes a program of a function: it decides which nodes lie in memory and which are computed
// within the kernels of others, and makes the steps.
type lowering struct {
	*program
	nodes    []*node // that outputs need, in order
	users    map[*node][]*node
	costs    map[*node]int
	inMemory map[*node]bool
	kernel   map[*node]*node // of a node outside memory: the only kernel that computes it, if there is one
	slotOf   map[*node]int
	folded   map[*node]*memory // nodes whose values are known
}

// compile makes the program of a function.
func (b *Backend) compile(f *Function) (*program, error) { return b.lowered(f, true) }

// lowered makes the program of a function, with what only depends on constants computed now if fold is set.
func (b *Backend) lowered(f *Function, fold bool) (*program, error) {
	l := &lowering{program: &program{b: b, fn: f}, users: map[*node][]*node{}, costs: map[*node]int{},
		inMemory: map[*node]bool{}, kernel: map[*node]*node{}, slotOf: map[*node]int{},
		folded: map[*node]*memory{}}
	if fold {
		if err := l.fold(); err != nil {
			return nil, err
		}
	}
	l.reach()
	l.estimate()
	l.decide()
	if err := l.lower(); err != nil {
		return nil, err
	}
	l.lifetimes()
	l.plan()
	return l.program, nil
}

// reach finds the nodes that outputs need, and who uses them.
func (l *lowering) reach() {
	needed := map[*node]bool{}
	for _, n := range l.fn.outputs {
		needed[n] = true
	}
	for i := len(l.fn.nodes) - 1; i >= 0; i-- {
		n := l.fn.nodes[i]
		if !needed[n] {
			continue
		}
		l.nodes = append(l.nodes, n)
		if l.folded[n] != nil {
			continue
		}
		for _, in := range n.inputs {
			needed[in] = true
			l.users[in] = append(l.users[in], n)
		}
	}
	slices.Reverse(l.nodes)
}

// moves are operations on elements that compute nothing.
var moves = map[compute.OpType]bool{
	compute.OpTypeReshape: true, compute.OpTypeIdentity: true, compute.OpTypeBroadcastInDim: true,
	compute.OpTypeTranspose: true, compute.OpTypeIota: true, compute.OpTypeSlice: true,
	compute.OpTypeReverse: true, compute.OpTypePad: true, opPatches: true, compute.OpTypeConcatenate: true,
	compute.OpTypeGather: true, compute.OpTypeDynamicSlice: true, compute.OpTypeDynamicUpdateSlice: true,
}

// weights are the costs of operations on elements that are not 1.
var weights = map[compute.OpType]int{
	compute.OpTypeExp: 10, compute.OpTypeExpm1: 15, compute.OpTypeLog: 10, compute.OpTypeLog1p: 15,
	compute.OpTypeTanh: 15, compute.OpTypeErf: 15, compute.OpTypeSin: 15, compute.OpTypeCos: 15,
	compute.OpTypePow: 20, compute.OpTypeAtan2: 20, compute.OpTypeLogistic: 12, compute.OpTypeFusedGelu: 15,
	compute.OpTypeSqrt: 4, compute.OpTypeRsqrt: 4, compute.OpTypeDiv: 3, compute.OpTypeRem: 5,
	compute.OpTypeGather: 4, compute.OpTypeDynamicUpdateSlice: 4, compute.OpTypeConcatenate: 2,
	compute.OpTypeBitCount: 10, compute.OpTypeClz: 15,
}

// fusible reports whether a node can be computed element by element within a kernel of another node.
func fusible(n *node) bool {
	switch {
	case n.outs != nil:
		return false
	case n.op == compute.OpTypeBitcast:
		from, to := n.inputs[0].shape.DType, n.shape.DType
		return from.Bits() == to.Bits() && to.Bits() >= 8 && from != dtypes.Bool && to != dtypes.Bool
	case n.shape.DType.Bits() < 8 && n.op != compute.OpTypeReshape:
		return n.op == compute.OpTypeConvertDType || moves[n.op]
	}
	if _, ok := formulas[n.op]; ok {
		return true
	}
	return moves[n.op] || n.op == compute.OpTypeConvertDType || n.op == compute.OpTypeWhere ||
		n.op == compute.OpTypeFusedGelu
}

// estimate finds what it costs to compute an element of each node from what must be in memory.
func (l *lowering) estimate() {
	for _, n := range l.nodes {
		c := 1
		if l.folded[n] != nil {
			l.costs[n] = c
			continue
		}
		if fusible(n) {
			w, ok := weights[n.op]
			if !ok && !moves[n.op] {
				w = 1
			}
			c = w
			for _, in := range n.inputs {
				c += l.costs[in]
			}
		} else if n.op == compute.OpTypeConstant && n.shape.Size() == 1 {
			c = 0
		}
		l.costs[n] = min(c, 1000)
	}
}

const (
	cheapCost = 6   // nodes that cost no more are computed again rather than kept
	mostCost  = 250 // of one kernel
)

// decide says which nodes lie in memory.
func (l *lowering) decide() {
	for _, n := range l.fn.outputs {
		l.inMemory[n] = true
	}
	for _, n := range slices.Backward(l.nodes) {
		if l.folded[n] != nil {
			l.inMemory[n] = true
			continue
		}
		if !fusible(n) {
			l.inMemory[n] = n.op != compute.OpTypeConstant || n.shape.Size() != 1 || l.inMemory[n]
			l.wants(n)
			continue
		}
		if !l.inMemory[n] {
			l.inMemory[n] = l.keeps(n)
		}
		if l.inMemory[n] && aliases(n) {
			l.inMemory[n.inputs[0]] = true
		}
	}
}

// aliases reports whether a node in memory is another view of its operand's memory.
func aliases(n *node) bool {
	return n.op == compute.OpTypeReshape || n.op == compute.OpTypeIdentity
}

// wants notes which operands of a node that is not fusible must lie in memory.
func (l *lowering) wants(n *node) {
	for i, in := range n.inputs {
		switch {
		case n.op == opReduce: // a kernel of its own, which computes its operand
		case takesViews(n, i):
			if v, ok := l.viewOf(in); ok {
				l.inMemory[v.of] = true
				continue
			}
			l.inMemory[in] = true
		default:
			l.inMemory[in] = true
		}
	}
}

// keeps decides whether a fusible node lies in memory.
func (l *lowering) keeps(n *node) bool {
	var only *node
	several := false
	for _, u := range l.users[n] {
		if !fusible(u) && u.op != opReduce { // it took a view of the operand
			continue
		}
		k := u
		if !l.inMemory[u] && u.op != opReduce {
			k = l.kernel[u]
		}
		several = several || k == nil || only != nil && only != k
		only = k
		grows := u.shape.Size() >= 8*n.shape.Size()
		switch {
		case u.op == opPatches && l.costs[n] > cheapCost:
			return true
		case (u.op == compute.OpTypeBroadcastInDim || u.op == compute.OpTypeGather) && grows &&
			l.costs[n] > 20:
			return true
		}
	}
	if l.costs[n] > mostCost {
		return true
	}
	if several {
		if l.costs[n] > cheapCost {
			return true
		}
		only = nil
	}
	l.kernel[n] = only
	return false
}

// newBlock adds a block, newSlot a slot with a block of its own.
func (l *lowering) newBlock(kind blockKind, bytes int) int {
	l.blocks = append(l.blocks, &block{kind: kind, bytes: bytes, first: -1})
	return len(l.blocks) - 1
}

func (l *lowering) newSlot(kind blockKind, s shapes.Shape) int {
	return l.slotIn(l.newBlock(kind, bytesOf(s.DType, s.Size())), s)
}

func (l *lowering) slotIn(block int, s shapes.Shape) int {
	l.slots = append(l.slots, slot{block: block, dt: s.DType, dims: s.Dimensions})
	return len(l.slots) - 1
}

// touch notes that a step that is about to be added uses slots.
func (l *lowering) touch(list ...int) {
	at := len(l.steps)
	for _, s := range list {
		b := l.blocks[l.slots[s].block]
		if b.first < 0 {
			b.first = at
		}
		b.last = at
	}
}

// step adds a step that uses some slots.
func (l *lowering) step(s step, slots ...int) {
	l.touch(slots...)
	l.steps = append(l.steps, s)
}

func (l *lowering) lower() error {
	for _, n := range append(slices.Clone(l.fn.params), l.fn.captured...) {
		s := l.newSlot(inputBlock, n.shape)
		l.slotOf[n] = s
		l.inMemory[n] = true
		l.inputs = append(l.inputs, s)
	}
	for _, n := range l.nodes {
		if !l.inMemory[n] || n.op == compute.OpTypeParameter || n.op == opCapture {
			continue
		}
		if err := l.lowerNode(n); err != nil {
			return errors.WithMessagef(err, "%s %s", opName(n), n.shape)
		}
	}
	return l.results()
}

func opName(n *node) string {
	if n.op < 0 {
		return map[compute.OpType]string{opPart: "part", opReduce: "reduce", opPatches: "patches"}[n.op]
	}
	return n.op.String()
}

func (l *lowering) lowerNode(n *node) error {
	switch {
	case l.folded[n] != nil:
		s := l.newSlot(constBlock, n.shape)
		l.blocks[l.slots[s].block].constant = l.folded[n]
		l.slotOf[n] = s
		return nil
	case n.op == compute.OpTypeConstant:
		return l.lowerConstant(n)
	case n.op == opPart:
		return nil // its node has made the slot
	case n.outs == nil && n.shape.Size() == 0:
		l.slotOf[n] = l.newSlot(tempBlock, n.shape)
		return nil
	case aliases(n), n.op == compute.OpTypeBitcast && !fusible(n):
		s := l.slotOf[n.inputs[0]]
		l.slotOf[n] = l.slotIn(l.slots[s].block, n.shape)
		return nil
	case fusible(n):
		return l.lowerMap(n)
	}
	lowerer, ok := lowerers[n.op]
	if !ok {
		return missing("%s", opName(n))
	}
	if n.outs == nil {
		l.slotOf[n] = l.newSlot(tempBlock, n.shape)
	}
	return lowerer(l, n)
}

// lowerers make the steps of operations that are not fusible.
var lowerers map[compute.OpType]func(l *lowering, n *node) error

func (l *lowering) lowerConstant(n *node) error {
	m, err := l.b.pool.get(len(n.data))
	if err != nil {
		return err
	}
	if m.host != nil {
		copy(m.host, n.data)
	} else if len(n.data) > 0 {
		if err := m.t.CopyBytesFrom(n.data); err != nil {
			return err
		}
	}
	s := l.newSlot(constBlock, n.shape)
	l.blocks[l.slots[s].block].constant = m
	l.slotOf[n] = s
	return nil
}

// results makes the blocks of outputs the caller's. What is not the program's own is copied.
func (l *lowering) results() error {
	for _, n := range l.fn.outputs {
		s := l.slotOf[n]
		b := l.blocks[l.slots[s].block]
		if b.kind == tempBlock || b.kind == madeBlock && !l.returned(s) {
			if b.kind == tempBlock {
				b.kind = outputBlock
			}
			l.outputs = append(l.outputs, s)
			continue
		}
		to := l.newSlot(outputBlock, n.shape)
		l.copyStep(s, to)
		l.outputs = append(l.outputs, to)
	}
	return nil
}

// returned reports whether a block is an output already.
func (l *lowering) returned(s int) bool {
	return slices.ContainsFunc(l.outputs, func(o int) bool { return l.slots[o].block == l.slots[s].block })
}

// copyStep copies a slot's bytes.
func (l *lowering) copyStep(from, to int) {
	bytes := bytesOf(l.slots[from].dt, product(l.slots[from].dims))
	if bytes == 0 {
		return
	}
	l.step(stepFunc(func(p *program) error { return p.b.copyBytes(p.vals[to], p.vals[from], bytes) }), from,
		to)
}

// launchStep adds the launch of a generated kernel: its parameters are the leaves, then the results.
func (l *lowering) launchStep(name, text string, k *kernelText, outs []int, grid nereid.Grid,
	rest ...any) error {
	slots := make([]int, 0, len(k.leaves)+len(outs))
	for _, n := range k.leaves {
		slots = append(slots, l.slotOf[n])
	}
	slots = append(slots, outs...)
	return l.launchOn(name, text, slots, grid, rest...)
}

func (l *lowering) launchOn(name, text string, slots []int, grid nereid.Grid, rest ...any) error {
	kernel, err := l.b.kernels.kernel(name, text)
	if err != nil {
		return errors.Wrapf(err, "%s", text)
	}
	l.step(&launch{kernel: kernel, grid: grid, slots: slots, text: text,
		args: append(make([]any, len(slots)), rest...)}, slots...)
	return nil
}

// source returns the text of a kernel with its head.
func source(name string, k *kernelText, outs int, extra ...string) string {
	var params []string
	for i := range k.leaves {
		params = append(params, fmt.Sprintf("x%d", i))
	}
	for i := range outs {
		params = append(params, fmt.Sprintf("out%d", i))
	}
	return sourceOf(name, append(params, extra...), k.lines)
}

func sourceOf(name string, params, lines []string) string {
	return "import functions\nimport triton\nimport triton.language as tl\n" +
		"from triton.language.extra import libdevice\n\n\n@triton.jit\ndef " + name + "(" +
		strings.Join(params, ", ") + "):\n" + strings.Join(lines, "\n") + "\n"
}

// lifetimes notes which inputs may give their memory to which outputs: those whose last reader is before
// the step that writes the output, or reads each element where it is written.
func (l *lowering) lifetimes() {
	for _, s := range l.outputs {
		b := l.blocks[l.slots[s].block]
		if b.kind != outputBlock || b.first < 0 {
			continue
		}
		for i, in := range l.inputs {
			x := l.blocks[l.slots[in].block]
			if blockBytes(x.bytes) != blockBytes(b.bytes) {
				continue
			}
			if x.last < b.first || x.last == b.first && l.inPlace(l.steps[b.first], in) {
				b.donors = append(b.donors, i)
			}
		}
	}
}

// inPlace reports whether a step reads the elements of a slot only where it writes its results.
func (l *lowering) inPlace(s step, slot int) bool {
	m, ok := s.(*mapLaunch)
	return ok && !m.elsewhere[l.slots[slot].block]
}
