package aot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/bundle"
	"github.com/nereid-lang/nereid/internal/certify"
	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/internal/runtime/jit"
	"github.com/nereid-lang/nereid/internal/target/interp"
)

// A table says of the arguments of launches only their types. Numbers that the command does not give are
// chosen near the kernel's blocks, so that there is a whole block and a part of one, and tried in the
// interpreter: under the rules of the table, without two stores to one address if that can be had. The trial
// also tells how many elements of each tensor are accessed; that many the tensor has.

// input is an argument of a launch.
type input struct {
	name     string
	tensor   bool
	dtype    dtype.Type // of a tensor's elements
	elements int
	data     []byte

	typ   string // of a number
	value any
}

// inputs are the arguments and the grid of a launch.
type inputs struct {
	args []input
	grid nereid.Grid
}

// maxPrograms bounds a grid, maxRoom the elements of a tensor in a trial.
const (
	maxPrograms = 4096
	firstRoom   = 1 << 16
	maxRoom     = 1 << 24
)

// check returns an error for sizes that no variant has.
func (o *CertifyOptions) check(done []*work) error {
	for _, s := range o.Sizes {
		name, _, ok := strings.Cut(s, "=")
		if !ok {
			return fmt.Errorf("the size %q has no value: write NAME=VALUE", s)
		}
		if !slices.ContainsFunc(done, func(w *work) bool { return w.hasNumber(name) }) {
			return fmt.Errorf("no variant has an argument or a size %q", name)
		}
	}
	return nil
}

// hasNumber reports whether launches have a number of that name.
func (w *work) hasNumber(name string) bool {
	isParam := func(p nereid.Param) bool { return p.Name == name && !p.Constexpr }
	return slices.ContainsFunc(w.kernel.Params(), isParam) ||
		slices.Contains(w.variants[0].Launch.Sizes, name)
}

// shapes say how numbers that are not given are chosen from one: those whose names say that they are strides
// as strides of tensors whose last dimension is dense, or all alike.
var shapes = []func(names []string, i int, n int64) int64{
	func(names []string, i int, n int64) int64 {
		if !isStride(names[i]) {
			return n
		}
		stride := int64(1)
		for k := i + 1; k < len(names) && sameTensor(names[i], names[k]); k++ {
			stride *= (n + 15) / 16 * 16
		}
		return stride
	},
	func(names []string, i int, n int64) int64 { return n },
}

func isStride(name string) bool { return strings.Contains(strings.ToLower(name), "stride") }

// sameTensor reports whether two strides, such as stride_am and stride_ak, differ in their last letter alone.
func sameTensor(a, b string) bool {
	return isStride(b) && len(a) == len(b) && len(a) > 1 && a[:len(a)-1] == b[:len(b)-1]
}

// choose returns arguments with which the source runs.
func (p *proof) choose() (*inputs, error) {
	specs, err := lang.ParseSignature(jit.Params(p.w.kernel).List, p.w.variants[0].Signature)
	if err != nil {
		return nil, err
	}
	c := &chooser{proof: p, specs: specs, constants: map[string]float64{}}
	if err := c.read(); err != nil {
		return nil, err
	}
	var fault error
	for _, again := range []bool{false, true} { // stores to an address that was stored to
		for _, shape := range shapes {
			for _, n := range c.candidates() {
				in, err := c.inputs(shape, n)
				if err == nil {
					err = c.trial(in, again)
				}
				if err == nil {
					return in, nil
				}
				fault = err
			}
		}
	}
	return nil, notCertified{fmt.Errorf("no arguments were found with which its source runs (%w): "+
		"give sizes", fault)}
}

// chooser chooses the arguments of a launch.
type chooser struct {
	*proof
	specs     []lang.ArgSpec
	params    []nereid.Param
	constants map[string]float64
	given     map[string]rule.Rule // by name
	source    *nereid.Compiled     // for trials
	dev       *nereid.Device
	touch     *interp.Touch
}

// read reads constants and given sizes, and compiles the source.
func (c *chooser) read() error {
	c.params = c.w.kernel.Params()
	for i, s := range c.specs {
		switch {
		case s.Const != nil:
			setNumber(c.constants, c.params[i].Name, lang.ValueOf(s.Const))
		case s.Tuple || s.Desc != nil:
			return notCertified{fmt.Errorf("%s: tuples and descriptors are not made up", c.params[i].Name)}
		}
	}
	c.given = map[string]rule.Rule{}
	for _, text := range c.certify.Sizes {
		name, value, _ := strings.Cut(text, "=")
		r, err := rule.Compile(value, c.constants, nil)
		if err != nil && c.w.hasNumber(name) {
			return err
		}
		c.given[name] = r
	}
	back := interp.NewDevice(interp.DeviceOptions{Stdout: io.Discard, CheckRaces: true, MaxSteps: 1 << 22})
	c.touch = back.Track()
	c.dev = core.NewDevice(back)
	var err error
	c.source, err = c.compile(c.dev)
	return err
}

// candidates returns numbers near the largest block of the kernel, and small ones.
func (c *chooser) candidates() []int64 {
	block := int64(32)
	for _, v := range c.constants {
		if n := int64(v); v == math.Trunc(v) && v > 1 && v <= 1<<16 {
			block = max(block, n)
		}
	}
	return []int64{block + 5, block - 3, 37, block, 64, 16, 5}
}

// inputs returns arguments made of one number.
func (c *chooser) inputs(shape func([]string, int, int64) int64, n int64) (*inputs, error) {
	in := &inputs{}
	names := make([]string, len(c.params))
	for i, p := range c.params {
		names[i] = p.Name
	}
	numbers := map[string]float64{}
	for i, s := range c.specs {
		if s.Const != nil {
			continue
		}
		a, err := newInput(names[i], s)
		if err != nil {
			return nil, err
		}
		if !a.tensor {
			a.setNumber(c.number(names[i], shape(names, i, n), s.Div16))
			numbers[a.name] = asFloat(a.value)
		}
		in.args = append(in.args, a)
	}
	launch := c.w.variants[0].Launch
	for _, name := range launch.Sizes {
		numbers[name] = c.number(name, 3, false)
	}
	if launch.When != nil && launch.When.Eval(numbers) == 0 {
		return nil, errors.New("the rule of the table does not hold")
	}
	return in, c.setGrid(in, launch.Grid, numbers)
}

// number returns the value of a number: that which is given, or n, rounded up if it must be divisible.
func (c *chooser) number(name string, n int64, div16 bool) float64 {
	if r, ok := c.given[name]; ok {
		return r.Eval(nil)
	}
	if div16 {
		n = (n + 15) / 16 * 16
	}
	return float64(n)
}

// setGrid computes the grid from the rules of the table, from those of the command, or takes three programs.
func (c *chooser) setGrid(in *inputs, rules []rule.Rule, numbers map[string]float64) error {
	in.grid = nereid.Grid{3, 1, 1}
	if rules == nil {
		for _, text := range c.certify.Grid {
			var names []string
			for name := range numbers {
				names = append(names, name)
			}
			r, err := rule.Compile(text, c.constants, names)
			if err != nil {
				return err
			}
			rules = append(rules, r)
		}
	}
	if rules != nil {
		in.grid = nereid.Grid{1, 1, 1}
	}
	programs := 1.0
	for i, r := range rules {
		v := r.Eval(numbers)
		programs *= v
		in.grid[i] = int(v)
	}
	if !(programs >= 1 && programs <= maxPrograms) {
		return fmt.Errorf("a grid of %g programs", programs)
	}
	return nil
}

// newInput returns an argument of a type, without a value.
func newInput(name string, s lang.ArgSpec) (input, error) {
	if !s.Type.IsPointer() {
		return input{name: name, typ: s.Type.Long()}, nil
	}
	if elem := s.Type.Pointee(); elem.IsPointer() {
		return input{}, notCertified{fmt.Errorf("%s: tensors of %s are not made up", name, elem)}
	}
	return input{name: name, tensor: true, dtype: s.Type.Elem}, nil
}

// setNumber sets the value of a number of the argument's type.
func (a *input) setNumber(v float64) {
	switch {
	case strings.HasPrefix(a.typ, "fp") || strings.HasPrefix(a.typ, "bf"):
		if v > 1 {
			v = 0.75 // a probability, a scale or an epsilon rather than a size
		}
		a.value = v
	case a.typ == "int1":
		a.value = v != 0
	default:
		a.value = int64(v)
	}
}

func asFloat(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return v.(float64)
}

// trial runs the source on tensors with room to spare and sets their sizes. Unless again is allowed, a second
// store to an address is an error: the numbers may be strides of elements that overlap.
func (c *chooser) trial(in *inputs, again bool) error {
	var err error
	for room := firstRoom; room <= maxRoom; room *= 16 {
		for i := range in.args {
			in.args[i].elements = room
		}
		in.fill(c.certify.Seed)
		if err = c.run(in, again); err == nil {
			return nil
		}
	}
	return err
}

// run runs the source once, and sets the sizes of the tensors.
func (c *chooser) run(in *inputs, again bool) error {
	s, err := c.dev.NewStream(c.ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	args := make([]any, len(in.args))
	touched := make([]*interp.Touched, len(in.args))
	for i, a := range in.args {
		args[i] = nereid.Arg(a.name, a.value)
		if !a.tensor {
			continue
		}
		t, err := nereid.NewTensor(c.dev, nereid.DType(a.dtype), a.elements)
		if err != nil {
			return err
		}
		defer t.Close()
		if err := t.CopyBytesFrom(a.data); err != nil {
			return err
		}
		touched[i], args[i] = c.touch.At(t.Addr()), nereid.Arg(a.name, t)
	}
	if err := c.source.Launch(s, in.grid, args...); err != nil {
		return err
	}
	if err := s.Sync(); err != nil {
		return err
	}
	return in.setSizes(touched, again)
}

// setSizes gives the tensors as many elements as were accessed.
func (in *inputs) setSizes(touched []*interp.Touched, again bool) error {
	stored := 0
	for i, t := range touched {
		if t == nil {
			continue
		}
		a := &in.args[i]
		a.elements = max(1, max(t.MaskedEnd, t.PlainEnd)/a.dtype.Size())
		_, n := t.Bytes()
		stored += n
		if t.StoredAgain > 0 && !again {
			return fmt.Errorf("%s: elements that overlap", a.name)
		}
	}
	if stored == 0 {
		return errors.New("nothing is stored")
	}
	return nil
}

// fill fills the tensors with random elements of the ring, or small whole numbers.
func (in *inputs) fill(seed uint64) {
	for k := range in.args {
		a := &in.args[k]
		if !a.tensor {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		size, most := a.dtype.Size(), 64
		if a.dtype.Row().Bits == 1 {
			most = 2
		}
		a.data = make([]byte, a.elements*size)
		var word [8]byte
		for i := range a.elements {
			v := rng.NormFloat64()
			if !a.dtype.IsFloat() {
				v = float64(rng.IntN(most))
			}
			binary.LittleEndian.PutUint64(word[:], a.dtype.Encode(v))
			copy(a.data[i*size:], word[:size])
		}
		certify.Prepare(a.dtype, a.data)
	}
}

// describe returns the arguments as a certificate has them.
func (in *inputs) describe() (out []bundle.CertifiedArgument) {
	for _, a := range in.args {
		if a.tensor {
			out = append(out, bundle.CertifiedArgument{Name: a.name, Type: a.dtype.String(),
				Elements: a.elements})
			continue
		}
		out = append(out, bundle.CertifiedArgument{Name: a.name, Type: a.typ, Value: fmt.Sprint(a.value)})
	}
	return out
}

func (in *inputs) String() string {
	text := "grid " + strconv.Itoa(in.grid[0])
	for _, n := range in.grid[1:] {
		if n > 1 {
			text += "x" + strconv.Itoa(n)
		}
	}
	for _, a := range in.args {
		if a.tensor {
			text += fmt.Sprintf(" %s=%s[%d]", a.name, a.dtype, a.elements)
		} else {
			text += fmt.Sprintf(" %s=%v", a.name, a.value)
		}
	}
	return text
}
