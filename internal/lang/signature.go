package lang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/host"
	"github.com/nereid-lang/nereid/internal/lang/sem"
	"github.com/nereid-lang/nereid/internal/python"
)

// ArgSpec is what is known about one argument of a kernel before it is compiled: a type, or a value.
type ArgSpec struct {
	Type  sem.Type   // of a runtime argument; nil for a constant
	Const host.Value // of a constant
	Div16 bool       // the value, or the address, is divisible by 16
	Items []ArgSpec  // of a tuple
	Tuple bool
	Desc  *DescSpec // of a tensor descriptor
}

// DescSpec is a tensor descriptor made by the host.
type DescSpec struct {
	Elem  *sem.DType
	Block []int64
}

// ParseSignature reads a signature as Triton's ahead-of-time tool writes it: one entry for each parameter, a type (`*fp16`, `i32`)
// with `:16` or `:1`, or a constant as a Python literal; for a constexpr parameter also a dtype.
func ParseSignature(params []Param, text string) ([]ArgSpec, error) {
	entries, err := splitEntries(text)
	if err != nil {
		return nil, err
	}
	if len(entries) != len(params) {
		return nil, fmt.Errorf("the signature has %d entries, the kernel %d parameters", len(entries), len(params))
	}
	out := make([]ArgSpec, len(entries))
	for i, e := range entries {
		out[i], err = parseEntry(params[i].Constexpr, e)
		if err != nil {
			return nil, fmt.Errorf("entry %d of the signature (%s): %w", i+1, params[i].Name, err)
		}
	}
	return out, nil
}

// splitEntries cuts at commas outside of brackets and quotes.
func splitEntries(text string) ([]string, error) {
	var parts []string
	var quote rune
	depth, start := 0, 0
	escaped := false
	for i, c := range text {
		switch {
		case escaped:
			escaped = false
		case quote != 0 && c == '\\':
			escaped = true
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.ContainsRune("([{<", c):
			depth++
		case strings.ContainsRune(")]}>", c):
			if depth--; depth < 0 {
				return nil, fmt.Errorf("unbalanced %q in the signature", c)
			}
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	if quote != 0 || depth != 0 {
		return nil, fmt.Errorf("the signature ends inside a string or bracket")
	}
	last := strings.TrimSpace(text[start:])
	if last == "" && len(parts) == 0 {
		return nil, nil
	}
	return append(parts, last), nil
}

func parseEntry(constexpr bool, text string) (ArgSpec, error) {
	if constexpr {
		if t := scalarType(text); t != nil {
			return ArgSpec{Const: t}, nil
		}
		return parseConst(text)
	}
	if inner, ok := strings.CutPrefix(text, "tensordesc<"); ok {
		return parseDesc(strings.TrimSuffix(inner, ">"))
	}
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return parseTuple(text[1 : len(text)-1])
	}
	base, spec, has := strings.Cut(text, ":")
	t, err := ParseType(base)
	if err != nil {
		if !has {
			if a, cerr := parseConst(text); cerr == nil {
				return a, nil
			}
		}
		return ArgSpec{}, err
	}
	switch strings.TrimSpace(spec) {
	case "":
		return ArgSpec{Type: t}, nil
	case "16", "D":
		return ArgSpec{Type: t, Div16: true}, nil
	case "1":
		if d, ok := t.(*sem.DType); !ok || !d.IsInt() {
			return ArgSpec{}, fmt.Errorf(":1 is for integers, not %s", t)
		}
		return ArgSpec{Const: host.MakeInt(1)}, nil
	}
	return ArgSpec{}, fmt.Errorf("unknown specialisation :%s, expected :16 or :1", spec)
}

func parseTuple(text string) (ArgSpec, error) {
	entries, err := splitEntries(text)
	if err != nil {
		return ArgSpec{}, err
	}
	a := ArgSpec{Tuple: true}
	for _, e := range entries {
		if e == "" {
			continue
		}
		item, err := parseEntry(false, e)
		if err != nil {
			return ArgSpec{}, err
		}
		a.Items = append(a.Items, item)
	}
	return a, nil
}

// parseDesc reads fp16[64, 32].
func parseDesc(text string) (ArgSpec, error) {
	elem, dims, ok := strings.Cut(text, "[")
	t := scalarType(strings.TrimSpace(elem))
	dims, _, closed := strings.Cut(dims, "]")
	if !ok || !closed || t == nil {
		return ArgSpec{}, fmt.Errorf("expected a descriptor such as tensordesc<fp16[64, 32]>")
	}
	d := &DescSpec{Elem: t}
	for _, s := range strings.Split(dims, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil || n <= 0 {
			return ArgSpec{}, fmt.Errorf("a block size of a descriptor must be a positive integer, not %q", strings.TrimSpace(s))
		}
		d.Block = append(d.Block, n)
	}
	return ArgSpec{Desc: d}, nil
}

// parseConst reads a Python literal.
func parseConst(text string) (ArgSpec, error) {
	files := diag.NewFileSet()
	e, err := python.ParseExpr(files, "signature", []byte(text))
	if err != nil {
		return ArgSpec{}, fmt.Errorf("%q is neither a type nor a Python literal", text)
	}
	if !literal(e) {
		return ArgSpec{}, fmt.Errorf("%q is neither a type nor a Python literal", text)
	}
	in := host.NewInterp(host.Options{Files: files, MaxSteps: 10000, MaxBytes: 1 << 20})
	v, err := host.Eval(in, e, nil)
	if err != nil {
		return ArgSpec{}, err
	}
	return ArgSpec{Const: listsToTuples(v)}, nil
}

// literal reports whether an expression is built of literals alone. `float("inf")` is allowed: Python has no literal for it.
func literal(e python.Expr) bool {
	ok := true
	python.Inspect(e, func(n python.Node) bool {
		switch n := n.(type) {
		case *python.Name:
			ok = ok && n.ID == "float"
		case *python.Attribute, *python.Lambda, *python.Subscript, *python.ListComp, *python.GeneratorExp, *python.SetComp, *python.DictComp:
			ok = false
		}
		return ok
	})
	return ok
}

// listsToTuples is a constant as kernels see it.
func listsToTuples(v host.Value) host.Value {
	var items []host.Value
	switch v := v.(type) {
	case *host.List:
		items = v.Items
	case *host.Tuple:
		items = v.Items
	default:
		return v
	}
	out := make([]host.Value, len(items))
	for i, e := range items {
		out[i] = listsToTuples(e)
	}
	return host.NewTuple(out...)
}

// scalarTypes are the scalar types by the names of signatures.
var scalarTypes = map[string]*sem.DType{
	"u1": sem.Int1, "i1": sem.Int1, "B": sem.Int1, "i8": sem.Int8, "i16": sem.Int16, "i32": sem.Int32, "i64": sem.Int64,
	"u8": sem.Uint8, "u16": sem.Uint16, "u32": sem.Uint32, "u64": sem.Uint64,
	"fp16": sem.Float16, "bf16": sem.BFloat16, "fp32": sem.Float32, "fp64": sem.Float64,
	"fp8e4nv": sem.Float8E4NV, "fp8e5": sem.Float8E5, "fp8e4b8": sem.Float8E4B8, "fp8e5b16": sem.Float8E5B16, "fp8e4b15": sem.Float8E4B15,
}

func scalarType(name string) *sem.DType {
	if t := scalarTypes[name]; t != nil {
		return t
	}
	return scalarTypes[typeNames[name]]
}

// ParseType reads a type as signatures write it: i32, *fp16, *ki8 for a pointer that is only read, **fp32.
func ParseType(text string) (sem.Type, error) {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "*"); ok {
		rest, isConst := strings.CutPrefix(rest, "k")
		elem, err := ParseType(rest)
		if err != nil {
			return nil, err
		}
		return sem.PtrIn(elem, 1, isConst), nil
	}
	if t := scalarType(text); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("unknown type %q", text)
}
