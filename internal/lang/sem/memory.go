package sem

import (
	"maps"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/dialect/tt"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/triton"
)

// The words of the language for the enums of memory operations; "" is the default.
var (
	loadCaches  = words{"": tt.CacheNone, ".ca": tt.CacheCA, ".cg": tt.CacheCG, ".cv": tt.CacheCV}
	storeCaches = words{"": tt.CacheNone, ".wb": tt.CacheWB, ".cg": tt.CacheCG, ".cs": tt.CacheCS,
		".wt": tt.CacheWT}
	evictions = words{"": tt.EvictNormal, "evict_last": tt.EvictLast, "evict_first": tt.EvictFirst}
	paddings  = words{"": 0, "zero": tt.PadZero, "nan": tt.PadNaN}
	semantics = words{"": tt.SemAcqRel, "acquire": tt.SemAcquire, "release": tt.SemRelease,
		"acq_rel": tt.SemAcqRel,
		"relaxed": tt.SemRelaxed}
	scopes = words{"": tt.ScopeGPU, "gpu": tt.ScopeGPU, "cta": tt.ScopeCTA, "sys": tt.ScopeSys}
)

// loadCaches returns the cache modifiers of loads.
func (b *Builder) loadCaches() words {
	if !b.has(triton.StreamingLoads) {
		return loadCaches
	}
	all := maps.Clone(loadCaches)
	all[".cs"] = tt.CacheCS
	return all
}

type words map[string]int64

// get returns the value of a word; what names the kind of word for the message.
func (w words) get(what, word string) int64 {
	v, ok := w[word]
	if !ok {
		var known []string
		for k := range w {
			if k != "" {
				known = append(known, k)
			}
		}
		slices.Sort(known)
		panic(bad(CodeValue, "there is no %s %q", what, word).at(wordParams[what]).hint("one of %s",
			strings.Join(known, ", ")))
	}
	return v
}

// wordParams has the parameters that take words, by their names in messages.
var wordParams = map[string]string{
	"memory semantic": "sem", "memory scope": "scope", "padding option": "padding_option",
	"cache modifier": "cache_modifier", "eviction policy": "eviction_policy",
}

// cacheWord returns a cache modifier of 3.9 as releases before write it: with its dot, and nothing for none.
func cacheWord(word string) string {
	switch word = strings.TrimPrefix(word, "."); word {
	case "", "none":
		return ""
	}
	return "." + word
}

// memoryAttrs returns the attributes of a load or store that differ from the defaults.
func (c *Call) memoryAttrs(caches words) []ir.NamedAttr {
	modifier, policy := c.str("cache_modifier"), c.str("eviction_policy")
	if c.B.has(triton.CacheWords) {
		modifier = cacheWord(modifier)
		if policy == "evict_normal" {
			policy = ""
		}
	}
	cache := caches.get("cache modifier", modifier)
	evict := evictions.get("eviction policy", policy)
	var attrs []ir.NamedAttr
	if cache != tt.CacheNone {
		attrs = append(attrs, ir.A("cache", ir.I32Attr(cache)))
	}
	if evict != tt.EvictNormal {
		attrs = append(attrs, ir.A("evict", ir.I32Attr(evict)))
	}
	return attrs
}

func load(c *Call) object.Value {
	if p, ok := c.Named("pointer").(*BlockPointer); ok {
		return c.loadByHand(p)
	}
	p := c.pointer("pointer")
	mask, other := c.optTensor("mask"), c.optTensor("other")
	attrs := c.loadAttrs()
	padding := int64(0)
	if c.takes("padding_option") {
		padding = paddings.get("padding option", c.str("padding_option"))
	}
	if IsBlockPtr(p.Type) {
		return c.loadBlock(p, mask, other, padding, attrs)
	}
	checkOther(mask, other)
	if padding != 0 || c.hasBoundaryCheck() {
		panic(bad(CodeArgs,
			"padding_option and boundary_check are for block pointers: plain pointers have no boundary").
			hint("use a mask, or tl.make_block_ptr"))
	}
	return c.B.load(p, mask, other, attrs)
}

// loadAttrs returns the attributes of a load that differ from the defaults.
func (c *Call) loadAttrs() []ir.NamedAttr {
	attrs := c.memoryAttrs(c.B.loadCaches())
	if c.bool("volatile") {
		attrs = append(attrs, ir.A("isVolatile", ir.BoolAttr(true)))
	}
	return attrs
}

func checkOther(mask, other *Tensor) {
	if mask == nil && other != nil {
		panic(bad(CodeArgs,
			"there is `other`, but no `mask`").at("other").hint("`other` stands for what the mask leaves out"))
	}
}

// pointer returns an argument that must be a pointer or a block of pointers.
func (c *Call) pointer(name string) *Tensor {
	p := c.device(name)
	if !IsPtr(Scalar(p.Type)) {
		panic(bad(CodeType, "tl.%s needs a pointer, not a value of type %s", c.Fn.Name, p.Type).at(name))
	}
	return p
}

// takes reports whether the function has a parameter.
func (c *Call) takes(name string) bool { return c.Fn.ParamIndex(name) >= 0 }

func (c *Call) hasBoundaryCheck() bool {
	if !c.takes("boundary_check") {
		return false
	}
	v := c.Named("boundary_check")
	vs, list := items(v)
	return list && len(vs) > 0 || !list && !isNone(v)
}

// boundaryCheck returns the attribute of a load or store that names the dimensions to check.
func (c *Call) boundaryCheck(rank int) []ir.NamedAttr {
	dims := c.boundaryDims(rank)
	if dims == nil {
		return nil
	}
	return []ir.NamedAttr{ir.A("boundaryCheck", ir.DenseArray(ir.I32, dims...))}
}

// boundaryDims returns the dimensions to check, sorted; nil if there are none.
func (c *Call) boundaryDims(rank int) []int64 {
	if !c.hasBoundaryCheck() {
		return nil
	}
	dims := c.ints("boundary_check", c.list("boundary_check"))
	slices.Sort(dims)
	for i, d := range dims {
		if d < 0 || d >= int64(rank) {
			panic(bad(CodeValue, "dimension %d in `boundary_check` is not one of a block of rank %d", d,
				rank))
		}
		if i > 0 && dims[i-1] == d {
			panic(bad(CodeValue, "duplicate dimension in `boundary_check`"))
		}
	}
	return dims
}

// loadBlock loads through a block pointer.
func (c *Call) loadBlock(p, mask, other *Tensor, padding int64, attrs []ir.NamedAttr) *Tensor {
	if mask != nil || other != nil {
		panic(maskOfBlockLoad())
	}
	block := p.Type.(*PtrType).Elem.(*BlockType)
	if t, ok := block.Elem.(*DType); ok && t.IsInt() && padding == tt.PadNaN {
		panic(noNaN(block.Elem))
	}
	attrs = append(attrs, c.boundaryCheck(len(block.Shape))...)
	if padding != 0 {
		attrs = append(attrs, ir.A("padding", ir.I32Attr(padding)))
	}
	return c.B.loadOp(block, attrs, p, nil, nil)
}

func maskOfBlockLoad() bailout {
	return bad(CodeArgs, "mask and other are for plain pointers, not for block pointers").
		hint("use boundary_check and padding_option")
}

func maskOfBlockStore() bailout {
	return bad(CodeArgs, "a mask is for plain pointers, not for block pointers").hint("use boundary_check")
}

func noNaN(elem Type) bailout {
	return bad(CodeValue, "integers have no NaN to pad with: pad a block of %s with \"zero\"", elem)
}

// loadOp makes a tt.load; mask and other may be nil.
func (b *Builder) loadOp(t Type, attrs []ir.NamedAttr, p, mask, other *Tensor) *Tensor {
	groups := [][]*ir.Value{{p.V}, {valueOf(mask)}, {valueOf(other)}}
	return &Tensor{b.Groups(tt.Load, groups, []ir.Type{b.ir(t)}, attrs...).Result(0), t}
}

// valueOf returns the IR value of a tensor that may be nil.
func valueOf(x *Tensor) *ir.Value {
	if x == nil {
		return nil
	}
	return x.V
}

// load loads from a pointer or a block of pointers.
func (b *Builder) load(p, mask, other *Tensor, attrs []ir.NamedAttr) *Tensor {
	if !IsBlock(p.Type) {
		checkScalar("mask", mask)
		checkScalar("other", other)
	} else {
		p, mask = b.broadcastArg("mask", p, mask)
		p, other = b.broadcastArg("other", p, other)
	}
	if mask != nil {
		checkMask(p, mask)
	}
	asBool := pointee(p) == Int1
	p = b.bytePointer(p)
	elem := pointee(p)
	if other != nil {
		other = b.castTo(other, elem)
	}
	x := b.loadOp(WithElem(p.Type, elem), attrs, p, mask, other)
	if asBool {
		return b.cast(x, Int1, noRounding)
	}
	return x
}

// broadcastArg returns a pointer, and an argument that goes with it and may be nil, in one shape.
func (b *Builder) broadcastArg(name string, p, x *Tensor) (*Tensor, *Tensor) {
	if x == nil {
		return p, nil
	}
	defer inArgument(name)
	return b.broadcastValues(p, x)
}

// castValue gives a value to be stored the type of the memory.
func (b *Builder) castValue(x *Tensor, to Type) *Tensor {
	defer inArgument("value")
	return b.castTo(x, to)
}

// bytePointer converts a pointer to bools to one to int8, since memory holds bools as bytes; others stay as
// they are.
func (b *Builder) bytePointer(p *Tensor) *Tensor {
	if pointee(p) != Int1 {
		return p
	}
	return b.cast(p, PtrIn(Int8, Scalar(p.Type).(*PtrType).Space, false), noRounding)
}

// pointee returns the type that a pointer, or each of a block of pointers, points to.
func pointee(p *Tensor) Type { return Scalar(p.Type).(*PtrType).Elem }

func checkScalar(what string, x *Tensor) {
	if x != nil && IsBlock(x.Type) {
		panic(bad(CodeShape, "the %s is a block (%s), but the pointer is a single one", what,
			x.Type).at(what).hint("add a block of offsets to the pointer"))
	}
}

func checkMask(p, mask *Tensor) {
	if Scalar(mask.Type) != Int1 {
		panic(bad(CodeType, "a mask is made of bools, not of %s",
			Scalar(mask.Type)).at("mask").hint("compare: offsets < n"))
	}
	if !slices.Equal(ShapeOf(p.Type), ShapeOf(mask.Type)) {
		panic(bad(CodeShape, "mask of shape %s does not fit a pointer of shape %s",
			plainShape(ShapeOf(mask.Type)), plainShape(ShapeOf(p.Type))).at("mask"))
	}
}

func store(c *Call) object.Value {
	if p, ok := c.Named("pointer").(*BlockPointer); ok {
		c.storeByHand(p)
		return object.None
	}
	p := c.pointer("pointer")
	x := c.tensor("value")
	mask := c.optTensor("mask")
	attrs := c.memoryAttrs(storeCaches)
	if Scalar(p.Type).(*PtrType).Const {
		panic(bad(CodeType, "cannot store through %s",
			p.Type).at("pointer").hint("its parameter is annotated as tl.const, or its type in the " +
			"signature begins with *k"))
	}
	if IsBlockPtr(p.Type) {
		c.storeBlock(p, x, mask, attrs)
		return object.None
	}
	if c.hasBoundaryCheck() {
		panic(bad(CodeArgs,
			"boundary_check is for block pointers: plain pointers have no boundary").hint("use a mask, or " +
			"tl.make_block_ptr"))
	}
	c.B.store(p, x, mask, attrs)
	return object.None
}

// storeBlock stores through a block pointer.
func (c *Call) storeBlock(p, x, mask *Tensor, attrs []ir.NamedAttr) {
	if mask != nil {
		panic(maskOfBlockStore())
	}
	block := p.Type.(*PtrType).Elem.(*BlockType)
	if !IsBlock(x.Type) {
		x = c.B.broadcastTo(x, block.Shape)
	}
	if x.Type != block {
		code := CodeType
		if !slices.Equal(ShapeOf(x.Type), block.Shape) {
			code = CodeShape
		}
		e := bad(code, "a block pointer to %s cannot store a value of type %s", block, x.Type).at("value")
		if code == CodeType {
			e = e.hint("cast the value to %s", TypeText(block.Elem))
		}
		panic(e)
	}
	attrs = append(attrs, c.boundaryCheck(len(block.Shape))...)
	c.B.Op(tt.Store, []*ir.Value{p.V, x.V}, nil, attrs...)
}

// store stores to a pointer or a block of pointers.
func (b *Builder) store(p, x, mask *Tensor, attrs []ir.NamedAttr) {
	if !IsBlock(p.Type) {
		checkScalar("value", x)
		checkScalar("mask", mask)
	} else {
		p, x, mask = b.storeShapes(p, x, mask)
	}
	if pointee(p) == Int1 && b.has(triton.StoreTwice) {
		x = b.cast(x, Int1, noRounding)
	}
	p = b.bytePointer(p)
	x = b.castValue(x, pointee(p))
	operands := []*ir.Value{p.V, x.V}
	if mask != nil {
		checkMask(p, mask)
		operands = append(operands, mask.V)
	}
	b.Op(tt.Store, operands, nil, attrs...)
}

// storeShapes gives value and mask the shape of the pointer.
func (b *Builder) storeShapes(p, x, mask *Tensor) (*Tensor, *Tensor, *Tensor) {
	want := ShapeOf(p.Type)
	list := []*Tensor{p, x}
	if mask != nil {
		list = append(list, mask)
	}
	list = b.broadcastAll(list...)
	if got := ShapeOf(list[0].Type); !slices.Equal(want, got) {
		panic(bad(CodeShape, "a pointer of shape %s cannot store a value of shape %s", plainShape(want),
			plainShape(got)).at("value"))
	}
	if mask != nil {
		mask = list[2]
	}
	return list[0], list[1], mask
}
