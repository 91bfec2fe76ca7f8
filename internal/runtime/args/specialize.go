package args

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/signature"
)

// Lender makes memory accessible to the device for the duration of a launch.
type Lender interface {
	// Address returns the device's address of a tensor, which becomes word number word of the launch.
	Address(param string, word int, t *Tensor) (uint64, error)
	// Describe returns the address of a descriptor's memory and the words of the descriptor, which begin at
	// number word.
	Describe(param string, word int, d *Descriptor) (addr uint64, words []uint64, err error)
}

// Frame holds the specialized arguments of a launch. It is reused from launch to launch.
type Frame struct {
	Look
	Words []uint64 // words that the device reads
	Dev   *Device  // device of the tensors that are not in host memory
	Host  bool     // some tensors are in host memory

	Described bool // some arguments are descriptors, in words

	// At is the position of each parameter's first word. It is set only with a Lender.
	At []int

	depth  int             // nesting of tuples
	tuples *tuples         // how their items are specialized
	others []signature.Arg // descriptions of ClassOther arguments, in order
	room   struct {
		classes [72]Class
		words   [24]uint64
	}
}

// errLong is the error for arguments that can only be specialized with a Lender.
var errLong = errors.New("needs the long way")

// Specialize computes the class and the words of each argument. Without a Lender it accepts only common kinds
// of arguments, and tensors that the device reads in place (see Reads), and allocates nothing; any other
// argument is an error.
func (f *Frame) Specialize(p *Params, vals []any, lend Lender) error {
	n := len(p.Rules)
	if cap(f.Words) < n || cap(f.Classes) < 3*n {
		f.grow(n)
	}
	f.Classes, f.Words, f.Texts, f.others = f.Classes[:0], f.Words[:0], f.Texts[:0], f.others[:0]
	f.At, f.depth, f.tuples = f.At[:0], 0, &p.tuples
	f.Host, f.Described, f.Dev = false, false, nil
	for i := range p.Rules {
		if lend != nil {
			f.At = append(f.At, len(f.Words))
		}
		if err := f.add(p, i, vals[i], lend); err != nil {
			if err == errLong {
				return err
			}
			return &Error{p.List[i].Name, err}
		}
	}
	return nil
}

func (f *Frame) grow(n int) {
	if 3*n <= len(f.room.classes) && n <= len(f.room.words) {
		f.Classes, f.Words = f.room.classes[:0], f.room.words[:0]
		return
	}
	f.Classes, f.Words = make([]Class, 0, 3*n), make([]uint64, 0, n)
}

// Reads reports whether the device can read the tensors in place. If not, the launch continues with a Lender.
func (f *Frame) Reads(d *Device) bool {
	return (f.Dev == nil || f.Dev == d) && (!f.Host || d.SharesHost()) &&
		(!f.Described || d.DescribesInWords())
}

// add adds the argument of parameter i.
func (f *Frame) add(p *Params, i int, v any, lend Lender) error {
	r := &p.Rules[i]
	if r.Constexpr {
		return f.addConst(v, lend)
	}
	switch v := v.(type) {
	case *Tensor:
		return f.addTensor(p.List[i].Name, v, lend)
	case int:
		if !r.Float {
			f.put(r.Class(int64(v)), uint64(v))
			return nil
		}
	}
	if c, word, ok := r.scalar(v); ok {
		f.put(c, word)
		return nil
	}
	if d, ok := v.(*Descriptor); ok {
		return f.addDescriptor(p.List[i].Name, d, lend)
	}
	if lend == nil {
		return errLong
	}
	if c, word, ok := r.reflected(v); ok {
		f.put(c, word)
		return nil
	}
	spec, err := f.item(p.List[i].Name, v, lend)
	if err != nil {
		return err
	}
	f.other(spec, false)
	return nil
}

// put appends a class, and its word if it has one.
func (f *Frame) put(c Class, word uint64) {
	f.Classes = append(f.Classes, c)
	if !c.Folded() {
		f.Words = append(f.Words, word)
	}
}

// addTensor adds a tensor. Host memory keeps its own address unless a Lender lends it to the device.
func (f *Frame) addTensor(param string, t *Tensor, lend Lender) error {
	if t == nil {
		f.put(ClassNone, 0)
		return nil
	}
	if lend == nil {
		if !f.sees(t) {
			return errLong
		}
		f.put(t.Class(), t.Addr)
		return nil
	}
	addr, err := lend.Address(param, len(f.Words), t)
	if err != nil {
		return err
	}
	f.put((&Tensor{Elem: t.Elem, Addr: addr}).Class(), addr)
	return nil
}

// sees notes where a tensor is. It returns false where a Lender must look at it.
func (f *Frame) sees(t *Tensor) bool {
	switch on := t.Dev.Load(); {
	case on == nil && t.Addr == 0:
		return false // empty or closed: a Lender reports which
	case on == nil:
		f.Host = true
	case f.Dev == nil:
		f.Dev = on
	case f.Dev != on:
		return false
	}
	return true
}

// addConst adds a compile-time argument.
func (f *Frame) addConst(v any, lend Lender) error {
	c, bits, ok := f.constant(v)
	if ok {
		f.Classes = append(f.Classes, c, Class(bits), Class(bits>>32))
		return nil
	}
	if lend == nil {
		return errLong
	}
	x, err := Constant(v)
	if err != nil {
		return err
	}
	f.other(signature.Arg{Const: x}, true)
	return nil
}

// constant returns the class and the bits of a compile-time value of a common kind.
func (f *Frame) constant(v any) (c Class, bits uint64, ok bool) {
	switch v := v.(type) {
	case int:
		return ClassConstInt, uint64(v), true
	case string:
		f.Texts = append(f.Texts, v)
		return ClassConstText, 0, true
	case bool:
		return ClassConstBool, BoolWord(v), true
	case int64:
		return ClassConstInt, uint64(v), true
	case int32:
		return ClassConstInt, uint64(v), true
	case float64:
		return ClassConstFloat, math.Float64bits(v), true
	case dtype.Type:
		return ClassConstType, uint64(v), v.Size() != 0
	case ItsDefault:
		return ClassDefault, 0, true
	case nil:
		return ClassNone, 0, true
	}
	return 0, 0, false
}

// scalar returns the class and the word of a number, a bool or None.
func (r *Rule) scalar(v any) (c Class, word uint64, ok bool) {
	switch v := v.(type) {
	case int:
		c, word = r.Integer(int64(v))
	case int64:
		c, word = r.Integer(v)
	case int32:
		c, word = r.Integer(int64(v))
	case float64:
		c, word = r.Floating(v)
	case float32:
		c, word = r.Floating(float64(v))
	case bool:
		c, word = ClassBool, BoolWord(v)
	case ItsDefault:
		c = ClassDefault
	case nil:
		c = ClassNone
	case Scalar:
		c, word = r.Typed(v)
	default:
		return 0, 0, false
	}
	return c, word, true
}

// Typed returns the class and the word of a number with a type of its own. An annotation has its way, as with
// any number.
func (r *Rule) Typed(s Scalar) (Class, uint64) {
	kind := s.Elem.Row().Kind
	switch {
	case s.Elem == dtype.Bool:
		return ClassBool, BoolWord(s.Bits != 0)
	case kind == dtype.Float && r.Fixed:
		return r.Floating(s.Elem.Decode(s.Bits))
	case kind == dtype.Float:
		return numberClass(s.Elem), s.Bits
	case r.Fixed && kind == dtype.Unsigned:
		return r.unsigned(s.Bits)
	case r.Fixed:
		return r.Integer(int64(s.Bits))
	case s.Bits == 1 && r.One == ClassOne:
		return ClassOne, 1
	}
	c := numberClass(s.Elem)
	if s.Bits&15 == 0 {
		c |= r.Align
	}
	return c, s.Bits
}

// Integer returns the class and the word of an integer.
func (r *Rule) Integer(v int64) (Class, uint64) {
	if r.Float {
		return ClassFloat, r.Elem.Encode(float64(v))
	}
	return r.Class(v), uint64(v)
}

// Floating returns the class and the word of a float.
func (r *Rule) Floating(v float64) (Class, uint64) {
	if r.Fixed {
		return ClassFloat, r.Elem.Encode(v)
	}
	return ClassFloat, uint64(math.Float32bits(float32(v)))
}

// unsigned returns the class and the word of an integer that may exceed int64.
func (r *Rule) unsigned(v uint64) (Class, uint64) {
	switch {
	case v <= math.MaxInt64:
		return r.Integer(int64(v))
	case r.Float:
		return ClassFloat, r.Elem.Encode(float64(v))
	}
	c := ClassUint64
	if v&15 == 0 {
		c |= r.Align
	}
	return c, v
}

// BoolWord returns the word of a bool.
func BoolWord(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// reflected classifies like scalar, for the less common types of numbers.
func (r *Rule) reflected(v any) (c Class, word uint64, ok bool) {
	switch v := v.(type) {
	case dtype.Type: // its Go kind is a number
		return 0, 0, false
	case *signature.Const: // an integer beyond all types of Go but one
		if n, ok := v.Value.(interface{ Big() *big.Int }); ok && n.Big().IsUint64() {
			c, word = r.unsigned(n.Big().Uint64())
			return c, word, true
		}
	}
	switch x := reflect.ValueOf(v); {
	case x.CanInt():
		c, word = r.Integer(x.Int())
	case x.CanUint():
		c, word = r.unsigned(x.Uint())
	case x.CanFloat():
		c, word = r.Floating(x.Float())
	case x.Kind() == reflect.Bool:
		c, word = ClassBool, BoolWord(x.Bool())
	default:
		return 0, 0, false
	}
	return c, word, true
}

// other appends an argument of ClassOther.
func (f *Frame) other(spec signature.Arg, constexpr bool) {
	var b strings.Builder
	writeSpec(&b, spec)
	f.Texts = append(f.Texts, b.String())
	f.others = append(f.others, spec)
	f.Classes = append(f.Classes, ClassOther)
	if constexpr {
		f.Classes = append(f.Classes, 0, 0)
	}
}

// item returns the compiler's description of an argument or of an item of a tuple, and appends its words.
func (f *Frame) item(param string, v any, lend Lender) (signature.Arg, error) {
	if f.depth++; f.depth > MaxDepth {
		return signature.Arg{}, errTooDeep
	}
	defer func() { f.depth-- }()
	switch v := v.(type) {
	case *Tensor:
		if v == nil {
			break
		}
		addr, err := lend.Address(param, len(f.Words), v)
		if err != nil {
			return signature.Arg{}, err
		}
		return f.word((&Tensor{Elem: v.Elem, Addr: addr}).Class(), addr)
	case *Descriptor:
		addr, err := f.describe(param, v, lend)
		if err != nil {
			return signature.Arg{}, err
		}
		return v.spec(addr), nil
	case string, dtype.Type, Const, *signature.Const, *signature.FuncRef:
		x, err := Constant(v)
		return signature.Arg{Const: x}, err
	case Fields:
		return f.fields(param, v, lend)
	}
	c, word, ok := f.tuples.rule.scalar(v)
	if !ok {
		c, word, ok = f.tuples.rule.reflected(v)
	}
	if ok {
		return f.word(c, word)
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice || r.Kind() == reflect.Array {
		return f.tuple(param, r, lend)
	}
	if t := reflect.TypeOf(v); t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Struct {
		return signature.Arg{}, fmt.Errorf("a %T cannot be passed to a kernel: pass a tensor, as "+
			"nereid.FromSlice makes it of a slice", v)
	}
	return signature.Arg{}, fmt.Errorf("a %T cannot be passed to a kernel", v)
}

// word appends a word and returns the compiler's description of it.
func (f *Frame) word(c Class, word uint64) (signature.Arg, error) {
	if !c.Folded() {
		f.Words = append(f.Words, word)
	}
	return specOf(f.tuples.param, c, word)
}

func (f *Frame) tuple(param string, v reflect.Value, lend Lender) (signature.Arg, error) {
	spec := signature.Arg{Tuple: true}
	for i := range v.Len() {
		item, err := f.item(param, v.Index(i).Interface(), lend)
		if err != nil {
			return spec, fmt.Errorf("item %d: %w", i, err)
		}
		spec.Items = append(spec.Items, item)
	}
	return spec, nil
}

func (f *Frame) fields(param string, v Fields, lend Lender) (signature.Arg, error) {
	spec := signature.Arg{Tuple: true}
	for _, x := range v {
		item, err := f.item(param, x.Value, lend)
		if err != nil {
			return spec, fmt.Errorf("field %s: %w", x.Name, err)
		}
		spec.Items, spec.Names = append(spec.Items, item), append(spec.Names, x.Name)
	}
	return spec, nil
}
