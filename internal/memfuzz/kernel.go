package memfuzz

import "slices"

// Kernel is a random kernel as a tree. Its text and its arguments follow from it.
type Kernel struct {
	Rows, Cols int // of a matrix; a vector has as many elements
	Warps      int
	CTAs       int  // blocks of a program on GPUs that have clusters
	Check      bool // accesses are checked at run time
	Grid       int  // programs, along one dimension
	Align      int  // the elements of a program in a tensor are a multiple of this
	Tensors    []Tensor
	Scalars    []Scalar
	Body       []*Stmt
}

// Tensor is a pointer argument.
type Tensor struct {
	Name string
	Type Type
	Of   string // the tensor that this one is a view of, or ""
	// elements between the memory's begin and the pointer, or between the pointers of Of and of the view
	Offset  int
	Perm    bool   // holds a permutation of the numbers below Rows*Cols and is only read
	Indexed bool   // the program's offset is part of each index; otherwise the pointer is moved once
	Seed    uint64 // of its elements
}

// Scalar is an integer argument known at run time.
type Scalar struct {
	Name  string
	Value int
}

// Type is an element type, named as in signatures; Bool is the type of conditions alone.
type Type string

// The element types.
const (
	I8   Type = "i8"
	I32  Type = "i32"
	I64  Type = "i64"
	F16  Type = "fp16"
	F32  Type = "fp32"
	Bool Type = "i1"
)

// types holds what kernels and memory need to know of an element type.
var types = map[Type]struct {
	python string
	size   int
	float  bool
}{
	I8: {"tl.int8", 1, false}, I32: {"tl.int32", 4, false}, I64: {"tl.int64", 8, false},
	F16: {"tl.float16", 2, true}, F32: {"tl.float32", 4, true}, Bool: {"tl.int1", 1, false},
}

func (t Type) float() bool { return types[t].float }

// Shape is the shape of a value: that of the kernel's blocks, or a part of it.
type Shape uint8

// The shapes.
const (
	Scal    Shape = iota
	Vec           // Rows*Cols elements
	Mat           // Rows × Cols
	RowVec        // Rows elements
	ColVec        // Cols elements
	nShapes = iota
)

// size returns the number of elements of a shape.
func (k *Kernel) size(s Shape) int {
	return [nShapes]int{1, k.Rows * k.Cols, k.Rows * k.Cols, k.Rows, k.Cols}[s]
}

// Expr is a value. Op says how it is made of Args, Name and K: see exprText.
type Expr struct {
	Op    string
	Args  []*Expr `json:",omitempty"`
	Name  string  `json:",omitempty"`
	K     int     `json:",omitempty"`
	Shape Shape
	Type  Type
}

// Shift is a sum of terms, each a constant or a multiple of a scalar argument or loop variable; none is
// negative.
type Shift []Term

// Term is K times the variable Name, or K where Name is empty.
type Term struct {
	Name string
	K    int
}

// Index is where the lanes of an access go: Kind says how lane numbers become elements, Shift is added to
// them.
type Index struct {
	Kind  string
	K     int
	Var   *Expr `json:",omitempty"` // for kinds that look at data
	Perm  string
	Shift Shift
	Long  bool // computed in 64 bits
}

// injective holds the kinds of index that take distinct lanes to distinct elements; bounds.go says how far
// each goes.
var injective = map[string]bool{
	"lane": true, "reverse": true, "xor": true, "odd": true, "rotate": true, "stride": true, "perm": true,
	"transposed": true,
	"padded":     true, "half": false, "modulo": false, "data": false, "uniform": false,
}

// Stmt is a statement. Kind says which fields matter:
//
//	assign                 Name = Value
//	load                   Name = tl.load(Tensor or Pointer, Index, Mask, Other)
//	store, atomic          Value goes there; an atomic has an Op and perhaps a Name for the old values
//	barrier                tl.debug_barrier()
//	pointer, advance       Pointer = Tensor + Index, and Pointer += K
//	for, while             Name counts from K or down from Count; Op is the form of the loop; Body
//	count                  Name = K, in the place of a loop that is gone
//	if                     Value is the condition; Body and Else
//	return                 of programs for which Value holds
type Stmt struct {
	Kind    string
	Name    string `json:",omitempty"`
	Op      string `json:",omitempty"`
	Tensor  string `json:",omitempty"`
	Pointer string `json:",omitempty"`
	Index   Index
	Mask    *Expr `json:",omitempty"`
	Value   *Expr `json:",omitempty"`
	Shape   Shape
	Type    Type
	K, Step int
	Count   Shift
	Body    []*Stmt `json:",omitempty"`
	Else    []*Stmt `json:",omitempty"`
}

func (k *Kernel) tensor(name string) *Tensor {
	if i := slices.IndexFunc(k.Tensors, func(t Tensor) bool { return t.Name == name }); i >= 0 {
		return &k.Tensors[i]
	}
	return nil
}

// overlaps reports whether arguments overlap each other.
func (k *Kernel) overlaps() bool {
	return slices.ContainsFunc(k.Tensors, func(t Tensor) bool { return t.Of != "" })
}
