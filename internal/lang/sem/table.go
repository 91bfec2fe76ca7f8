package sem

import (
	"slices"
	"sync"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

// The modules below triton.language.
const (
	InCore       = "core"
	InMath       = "math"
	InStandard   = "standard"
	InRandom     = "random"
	InTarget     = "target_info"
	InCUDA       = "extra.cuda"
	InLibdevice  = "extra.libdevice"
	InTensor     = "tensor"            // methods of tensors that are no functions of their own
	InDescriptor = "tensor_descriptor" // methods of tensor descriptors
)

// State says where the meaning of a name is implemented.
type State uint8

const (
	Primitive State = iota // Fn here
	Stdlib                 // a function of the standard library, written in the language
	Constant               // Value here
	Class                  // a class: the code generator's, or here where Fn is set
	Syntax                 // the code generator's: it steers compilation
	Module                 // a submodule
)

// Builtin is a name of triton.language.
type Builtin struct {
	Name   string
	Module string // its home; see InCore and others
	State  State
	Params string // its Python signature: "pointer, mask=None, other=None"
	Public bool   // also a name of triton.language itself
	Member bool   // also a method of tensors, with the tensor as first argument
	Value  object.Value
	// Language is "gl" for functions of Gluon, and "" for those of Triton.
	Language string
	Fn       func(c *Call) (object.Value, error) // nil unless Primitive or a Class made here

	params []param
}

// TypeName returns the class name in Python.
func (*Builtin) TypeName() string { return "builtin_function" }

// impl is the function behind a primitive; it bails out of bad arguments.
type impl func(c *Call) object.Value

// row describes a builtin in the tables.
type row struct {
	name, params string
	flags        flags
	fn           impl
}

// flags say in which module a row's name is, and more about it.
type flags uint16

const (
	inCore flags = iota
	inMath
	inStandard
	inRandom
	inTarget
	inCUDA
	inLibdevice
	inTensor
	inDescriptor
	homes   flags = 1<<4 - 1
	public  flags = 1 << 4
	member  flags = 1 << 5
	stdlib  flags = 1 << 6
	class   flags = 1 << 7
	syntax  flags = 1 << 8
	module_ flags = 1 << 9
)

var homeNames = [...]string{InCore, InMath, InStandard, InRandom, InTarget, InCUDA, InLibdevice, InTensor,
	InDescriptor}

// states has the states of the flags that set one.
var states = map[flags]State{stdlib: Stdlib, class: Class, syntax: Syntax, module_: Module}

// make turns a row into a Builtin.
func (r row) make() *Builtin {
	bi := &Builtin{
		Name: r.name, Module: homeNames[r.flags&homes], Params: r.params,
		Public: r.flags&public != 0, Member: r.flags&member != 0,
	}
	for f, s := range states {
		if r.flags&f != 0 {
			bi.State = s
		}
	}
	bi.params = parseParams(r.params)
	if r.fn != nil {
		bi.Fn = func(c *Call) (v object.Value, err error) {
			defer guard(&err)
			return r.fn(c), nil
		}
	}
	return bi
}

// key is a name with its module.
type key struct{ module, name string }

// Names has the names of the language of one version: by module and name, and by name among the public ones
// and the methods.
type Names struct {
	all     []*Builtin
	homes   map[key]*Builtin
	public  map[string]*Builtin
	members map[string]*Builtin
}

// In returns the names of a version's language.
func In(v triton.Version) *Names {
	if n, ok := names.Load(v); ok {
		return n.(*Names)
	}
	n, _ := names.LoadOrStore(v, newNames(v))
	return n.(*Names)
}

var names sync.Map // *Names by triton.Version

func newNames(v triton.Version) *Names {
	n := &Names{homes: map[key]*Builtin{}, public: map[string]*Builtin{}, members: map[string]*Builtin{}}
	for _, rows := range [][]row{coreRows, mathRows, shapeRows, memoryRows, methodRows, libraryRows,
		classRows, cudaRows, libdeviceRows()} {
		for _, r := range rows {
			n.add(r.make())
		}
	}
	for _, c := range changes {
		if c.in(v) {
			for _, r := range c.rows {
				n.add(r.make())
			}
		}
	}
	for _, c := range constants() {
		n.add(c)
	}
	return n
}

// add adds a name, in the place of an earlier one of its module.
func (n *Names) add(bi *Builtin) {
	k := key{bi.Module, bi.Name}
	if old := n.homes[k]; old != nil {
		n.all[slices.Index(n.all, old)] = bi
		if old.Public {
			delete(n.public, old.Name)
		}
		if old.Member {
			delete(n.members, old.Name)
		}
	} else {
		n.all = append(n.all, bi)
	}
	n.homes[k] = bi
	if bi.Public {
		n.public[bi.Name] = bi
	}
	if bi.Member || bi.Module == InTensor {
		n.members[bi.Name] = bi
	}
}

// All returns the names in the order of the tables.
func (n *Names) All() []*Builtin { return n.all }

// Lookup returns triton.language.NAME for the module "", and triton.language.MODULE.NAME for others; nil if
// there is none. The modules "core", "math", "standard" and "random" hold their own names;
// "extra.cuda.libdevice" is "extra.libdevice".
func (n *Names) Lookup(module, name string) *Builtin {
	switch module {
	case "":
		return n.public[name]
	case "extra.cuda.libdevice":
		module = InLibdevice
	}
	return n.homes[key{module, name}]
}

// Method returns a method of a tensor, a tensor descriptor or a block pointer; nil if there is none. It may
// be a function of the standard library.
func (n *Names) Method(v object.Value, name string) *Builtin {
	switch v.(type) {
	case *Tensor:
		return n.members[name]
	case *Descriptor:
		return n.homes[key{InDescriptor, name}]
	case *BlockPointer:
		if slices.Contains([]string{"load", "store", "advance"}, name) {
			return n.public[name]
		}
	}
	return nil
}

// FullName returns the name as people write it: "tl.load", "tl.extra.libdevice.pow", "tensor.to".
func (bi *Builtin) FullName() string {
	switch {
	case bi.Language != "":
		return bi.Language + "." + bi.Name
	case bi.Public:
		return "tl." + bi.Name
	case bi.Module == InTensor || bi.Module == InDescriptor:
		return bi.Module + "." + bi.Name
	}
	return "tl." + bi.Module + "." + bi.Name
}

// BuiltinCaller is the value of _semantic, by which host code calls functions of the language.
type BuiltinCaller interface {
	CallBuiltin(bi *Builtin, args []object.Value, kws []object.Keyword) (object.Value, error)
}

// Call calls the builtin from host code, which needs a compiler at work: _semantic.
func (bi *Builtin) Call(_ *object.Interp, args []object.Value, kws []object.Keyword) (object.Value, error) {
	for i, k := range kws {
		if c, ok := k.Value.(BuiltinCaller); ok && k.Name == "_semantic" {
			return c.CallBuiltin(bi, args, slices.Delete(slices.Clone(kws), i, i+1))
		}
	}
	e := object.Errorf(object.ValueError, "%s can only be called in a kernel", bi.FullName())
	e.Hint = "decorate the function that calls it with @triton.jit, or hand it _semantic"
	return nil, e
}

// Invoke binds arguments and runs the builtin. For a method, the first argument is the value whose method it
// is.
func (bi *Builtin) Invoke(b *Builder, gen Generator, args []object.Value, kws []object.Keyword,
	method bool) (object.Value, error) {
	if bi.Fn == nil {
		return nil, &Error{Code: CodeType, Msg: bi.FullName() + " cannot be called here"}
	}
	c, err := bi.Bind(args, kws)
	if err != nil {
		return nil, err
	}
	c.B, c.Gen, c.Method = b, gen, method
	return bi.Fn(c)
}
