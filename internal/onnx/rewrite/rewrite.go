package rewrite

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/onnx"
	"github.com/nereid-lang/nereid/internal/onnx/ort"
)

// Options says what is rewritten, and how results are compared.
type Options struct {
	Libraries []*Library
	Only      []string     // operators of the libraries that may be used; nil is all
	GPU       string       // the operators must have code for these GPUs: "cuda", "hip"; "" is for CPUs
	Runtime   *ort.Runtime // nil if there is none: shapes are then the model's, and nothing is compared
	Compare   bool         // the results of both models
	Inputs    Inputs
	Timed     int // runs of each model that are timed
}

// Decision is what became of a place where an operator could serve.
type Decision struct {
	Operator *Operator
	Nodes    []string // of the model; the first makes the result
	Ops      []string // of ONNX's, in the same order
	Taken    bool
	Seen     bool   // the model does not say all sizes: those of the runs fit
	Why      string // it was not taken

	match *match
	size  int // of the pattern
}

// Result is a rewritten model.
type Result struct {
	Nodes     int // of the model as it was
	Decisions []*Decision
	Untyped   error // why ONNX Runtime did not say the types of the model's values
	Check     *Check
}

// Taken returns the number of decisions for an operator.
func (r *Result) Taken() (n int) {
	for _, d := range r.Decisions {
		if d.Taken {
			n++
		}
	}
	return n
}

// work is a rewriting under way.
type work struct {
	o     Options
	path  string // the model's
	model *onnx.Model
	graph *graph
	dir   string // for models that are looked at
	out   *Result
}

// Rewrite puts operators into a model that was read from path. The check is nil if results are not to be
// compared or if no operator could serve.
func Rewrite(path string, model *onnx.Model, o Options) (*Result, error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".nereid-onnx-")
	if err != nil { // a folder that cannot be written: links to external data become copies
		dir, err = os.MkdirTemp("", "nereid-onnx-")
	}
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	w := &work{o: o, path: path, model: model, graph: newGraph(model), dir: dir,
		out: &Result{Nodes: len(model.Graph.Nodes)}}
	if o.Runtime != nil {
		w.out.Untyped = w.infer()
	}
	w.find()
	if o.Runtime != nil {
		if err := w.observe(); err != nil {
			return nil, err
		}
	}
	w.choose()
	if w.out.Taken() == 0 {
		return w.out, nil
	}
	before, err := w.save("before.onnx")
	if err != nil {
		return nil, err
	}
	w.apply()
	if o.Runtime != nil && o.Compare {
		after, err := w.save("after.onnx")
		if err != nil {
			return nil, err
		}
		w.out.Check, err = w.check(before, after)
		return w.out, err
	}
	return w.out, nil
}

// save writes the model as it is now, for ONNX Runtime to read.
func (w *work) save(name string) (string, error) {
	path := filepath.Join(w.dir, name)
	return path, w.model.Write(path, filepath.Dir(w.path), func(from, to string) error {
		if _, err := os.Stat(to); err == nil {
			return nil
		}
		return onnx.Link(from, to)
	})
}

// probe makes a session of the model with further outputs.
func (w *work) probe(values []string) (*ort.Session, error) {
	for _, v := range values {
		w.model.Graph.AddOutput(v)
	}
	path, err := w.save("probe.onnx")
	w.model.Graph.ClearOutputs()
	if err != nil {
		return nil, err
	}
	return w.o.Runtime.Load(path, ort.Options{Plain: true})
}

// infer asks ONNX Runtime for the types and shapes of all values.
func (w *work) infer() error {
	var all []string
	for _, n := range w.model.Graph.Nodes {
		for _, x := range n.Outputs {
			if x != "" && !w.graph.outputs[x] {
				all = append(all, x)
			}
		}
	}
	s, err := w.probe(all)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, v := range s.Outputs {
		if v.Element == 0 {
			continue
		}
		if len(v.Dims) == 0 { // a scalar, or a shape that is not known
			v.Dims = w.graph.values[v.Name].Dims
		}
		w.graph.values[v.Name] = v
	}
	return w.ranks()
}

// ranks runs the model once for values whose number of dimensions ONNX Runtime does not infer, where a node
// counts axes from the front.
func (w *work) ranks() error {
	var values []string
	for _, n := range w.model.Graph.Nodes {
		if n.Domain == "" && len(n.Inputs) > 0 && schemas[n.Op].axes && w.graph.rank(n.Inputs[0]) < 0 &&
			w.graph.makers[n.Inputs[0]] != nil && !slices.Contains(values, n.Inputs[0]) {
			values = append(values, n.Inputs[0])
		}
	}
	if len(values) == 0 {
		return nil
	}
	s, err := w.probe(values)
	if err != nil {
		return err
	}
	defer s.Close()
	inputs, _, err := w.o.Inputs.make(s.Inputs, 0)
	if err != nil {
		return err
	}
	outputs, err := s.Run(inputs)
	if err != nil {
		return err
	}
	for i, v := range s.Outputs {
		if slices.Contains(values, v.Name) && outputs[i] != nil {
			v.Element, v.Dims = outputs[i].Element.ONNX(), make([]onnx.Dim, len(outputs[i].Dims))
			for j := range v.Dims {
				v.Dims[j].Size = -1
			}
			w.graph.values[v.Name] = v
		}
	}
	return nil
}

// find lists all places where an operator could serve, largest patterns first.
func (w *work) find() {
	for _, l := range w.o.Libraries {
		for _, o := range l.Operators {
			if w.o.Only != nil && !slices.Contains(w.o.Only, o.Name) {
				continue
			}
			for i := range o.Serves {
				for _, n := range slices.Backward(w.model.Graph.Nodes) {
					if m := w.graph.find(&o.Serves[i], n); m != nil {
						w.out.Decisions = append(w.out.Decisions, w.decide(o, m, o.Serves[i].Size()))
					}
				}
			}
		}
	}
	slices.SortStableFunc(w.out.Decisions, func(a, b *Decision) int { return cmp.Compare(b.size, a.size) })
}

// decide judges a match by what the model says.
func (w *work) decide(o *Operator, m *match, size int) *Decision {
	d := &Decision{Operator: o, match: m, size: size}
	for _, n := range m.nodes {
		d.Nodes, d.Ops = append(d.Nodes, where(n)), append(d.Ops, n.Op)
	}
	if value := w.graph.shared(m); value != "" {
		d.Why = fmt.Sprintf("%s is used outside of the pattern as well", value)
		return d
	}
	k, why := o.kernelsFor(m, w.graph.values)
	if k == nil {
		d.Why = why
		return d
	}
	if w.o.GPU == "" && !k.CPU || w.o.GPU != "" && !slices.Contains(k.GPU, w.o.GPU) {
		d.Why = fmt.Sprintf("%s has no code for the provider", k.Group)
		return d
	}
	a := o.judge(k, m, w.graph.values)
	d.Taken, d.Seen, d.Why = a.fits, a.fits && !a.known, a.why
	return d
}

// observe runs the model for places whose sizes the model does not say, and judges them by the sizes there.
func (w *work) observe() error {
	var values []string
	open := slices.DeleteFunc(slices.Clone(w.out.Decisions), func(d *Decision) bool { return !d.Seen })
	for _, d := range open {
		for _, x := range slices.Sorted(maps.Values(d.match.inputs)) {
			if w.graph.makers[x] != nil && !w.graph.outputs[x] && !slices.Contains(values, x) {
				values = append(values, x)
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	s, err := w.probe(values)
	if err != nil {
		return err
	}
	defer s.Close()
	for i := range w.o.Inputs.runs() {
		inputs, _, err := w.o.Inputs.make(s.Inputs, i)
		if err != nil {
			return err
		}
		outputs, err := s.Run(inputs)
		if err != nil {
			return doesNotRun(err)
		}
		seen := maps.Clone(w.graph.values)
		for j, v := range s.Inputs {
			seen[v.Name] = valueOf(v.Name, inputs[j])
		}
		for j, v := range s.Outputs {
			if outputs[j] != nil {
				seen[v.Name] = valueOf(v.Name, outputs[j])
			}
		}
		for _, d := range open {
			d.see(seen)
		}
	}
	return nil
}

func valueOf(name string, t *ort.Tensor) onnx.Value {
	v := onnx.Value{Name: name, Element: t.Element.ONNX(), Dims: []onnx.Dim{}}
	for _, n := range t.Dims {
		v.Dims = append(v.Dims, onnx.Dim{Size: n})
	}
	return v
}

// see judges a place by the sizes of a run.
func (d *Decision) see(values map[string]onnx.Value) {
	if !d.Taken {
		return
	}
	k, why := d.Operator.kernelsFor(d.match, values)
	if k == nil {
		d.Taken, d.Why = false, why
		return
	}
	if a := d.Operator.judge(k, d.match, values); !a.fits || !a.known {
		d.Taken, d.Why = false, a.why
	}
}

// choose keeps the first of places that share a node, and what is certain or was seen to fit.
func (w *work) choose() {
	taken := map[*onnx.Node]bool{}
	for _, d := range w.out.Decisions {
		if d.Taken && d.Seen && w.o.Runtime == nil {
			d.Taken = false
		}
		if !d.Taken {
			continue
		}
		if slices.ContainsFunc(d.match.nodes, func(n *onnx.Node) bool { return taken[n] }) {
			d.Taken, d.Why = false, "" // a larger pattern has it
			continue
		}
		for _, n := range d.match.nodes {
			taken[n] = true
		}
	}
	// Places that another operator serves are not worth a word.
	w.out.Decisions = slices.DeleteFunc(w.out.Decisions, func(d *Decision) bool {
		return !d.Taken && (d.Why == "" || taken[d.match.nodes[0]])
	})
}

// apply changes the graph.
func (w *work) apply() {
	fed := map[string]bool{}
	for _, d := range w.out.Decisions {
		if !d.Taken {
			continue
		}
		for _, n := range d.match.nodes {
			for _, x := range n.Inputs {
				fed[x] = true
			}
		}
		d.replace(w.graph)
		w.model.AddOpset(d.Operator.Domain, 1)
	}
	w.dropConstants(fed)
}

// replace makes the first node of a place the operator, and removes the others.
func (d *Decision) replace(g *graph) {
	root, o := d.match.nodes[0], d.Operator
	for _, n := range d.match.nodes[1:] {
		n.Remove()
	}
	r := onnx.Replacement{Op: o.Name, Domain: o.Domain, Attributes: map[string]any{},
		Outputs: []string{root.Outputs[0]}}
	for _, x := range o.Inputs {
		r.Inputs = append(r.Inputs, d.match.inputs[x.Name])
	}
	for _, x := range o.Outputs[1:] {
		r.Outputs = append(r.Outputs, g.fresh(root.Outputs[0]+"_"+x.Name))
	}
	for _, a := range o.Attributes {
		v, ok := d.match.attributes[a.Name]
		switch {
		case ok && a.Float:
			r.Attributes[a.Name] = v
		case ok:
			r.Attributes[a.Name] = int64(v)
		}
	}
	root.Replace(r)
}

// fresh returns a name that no value has.
func (g *graph) fresh(name string) string {
	for g.makers[name] != nil || g.users[name] != nil || g.values[name].Name != "" {
		name += "_"
	}
	g.values[name] = onnx.Value{Name: name}
	return name
}

// dropConstants removes the constants among values that nobody uses any more.
func (w *work) dropConstants(values map[string]bool) {
	used := map[string]bool{}
	for _, n := range w.model.Graph.Nodes {
		if n.Removed() {
			continue
		}
		for _, x := range slices.Concat(n.Inputs, n.Inner) {
			used[x] = true
		}
	}
	for name := range values {
		if used[name] || w.graph.outputs[name] || w.graph.constant(name) == nil {
			continue
		}
		if n := w.graph.makers[name]; n != nil {
			n.Remove()
		} else if !slices.ContainsFunc(w.model.Graph.Inputs,
			func(v onnx.Value) bool { return v.Name == name }) {
			w.model.Graph.DropInitializer(name)
		}
	}
}

// Pattern returns the operators of ONNX that a decision is about, the last of the computation last.
func (d *Decision) Pattern() string {
	ops := slices.Clone(d.Ops)
	slices.Reverse(ops)
	return strings.Join(ops, "+")
}
