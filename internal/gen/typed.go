package gen

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	elements "github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/lang"
)

// Example is a kernel with a signature that it may be compiled for, or the reason why none is known.
type Example struct {
	Kernel    string
	Signature string
	Guessed   []string // compile-time arguments whose values were made up, "BLOCK=64"
	Untyped   string   // the parameter of which nothing is known; "" if there is a signature
	Params    []string // names of the kernel's parameters
}

// Examples returns the kernels of a file, each with the signature that its text suggests: types as inferred
// for generated code or as given (by PARAMETER or KERNEL.PARAMETER), compile-time arguments as given,
// by default.
func Examples(name string, src []byte, o Options, given map[string]string) ([]Example, error) {
	g, err := newGenerator(name, src, o)
	if err != nil {
		return nil, err
	}
	kernels, err := g.kernels()
	if err != nil {
		return nil, err
	}
	var out []Example
	for _, k := range kernels {
		if e, ok := o.Known[k.name]; ok {
			out = append(out, e)
			continue
		}
		out = append(out, g.example(k, given))
	}
	return out, nil
}

func (g *generator) example(k kernel, given map[string]string) Example {
	e := Example{Kernel: k.name}
	set, ints := g.configured(k.name), g.file.integers(k.name)
	var entries []string
	for _, p := range k.params {
		e.Params = append(e.Params, p.Name)
	}
	for _, p := range k.params {
		entry := scalarTypes[p.kind]
		said := cmp.Or(given[k.name+"."+p.Name], given[p.Name])
		switch {
		case said != "" && p.kind == tensor && !p.Constexpr && isElement(said):
			entry = "*" + said
		case p.Constexpr && isBareText(said):
			entry = `"` + said + `"`
		case said != "":
			entry = said
		case p.Constexpr && set[p.Name] != "":
			entry = set[p.Name]
		case p.Default != nil:
			entry = lang.Repr(lang.ValueOf(p.Default))
		case p.Constexpr && p.kind == boolean:
			entry = "False"
			e.Guessed = append(e.Guessed, p.Name+"=False")
		case p.Constexpr && (p.kind == integer || p.kind == number):
			entry = guessed(p.Name)
			e.Guessed = append(e.Guessed, p.Name+"="+entry)
		case p.Constexpr:
			entry = ""
		case p.kind == tensor && p.Type == "" && ints[p.Name] != "":
			entry = ints[p.Name]
		case entry == "" && !g.file.uses(k.name).named[p.Name]:
			entry = "i32" // nothing depends on it
		}
		if entry == "" {
			e.Untyped = p.Name
			return e
		}
		entries = append(entries, entry)
	}
	e.Signature = strings.Join(entries, ", ")
	return e
}

// guessed returns a value for an integer of which nothing is known: a size, or by its name the number of
// parts that sizes are divided into.
func guessed(name string) string {
	if strings.HasSuffix(strings.ToUpper(name), "FACTOR") {
		return "2"
	}
	return "64"
}

// bareWord matches a name; constants are those that are no text.
var (
	bareWord  = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	constants = []string{"None", "True", "False", "nullopt", "true", "false", "inf", "nan"}
)

// isBareText reports whether a value is a text without quotes, as nereid run takes it too: MODE=sum.
func isBareText(said string) bool {
	return bareWord.MatchString(said) && !isElement(said) && !slices.Contains(constants, said)
}

// isElement reports whether a text is the name of an element's type.
func isElement(text string) bool {
	_, ok := elements.Parse(text)
	return ok
}

// Signatures returns the signature, then those with one more tensor of integers each, then the same with
// tensors of fp32 in the place of all that were found to hold integers: a kernel need not show what its
// tensors hold.
func (e Example) Signatures() []string {
	out := withIntegers(e.Signature)
	if floats := asFloats.Replace(e.Signature); floats != e.Signature {
		out = append(out, withIntegers(floats)...)
	}
	return out
}

// withIntegers returns a signature, and those with one more tensor of integers each.
func withIntegers(signature string) []string {
	out := []string{signature}
	for at := 0; ; at++ {
		i := strings.Index(signature[at:], Pointer)
		if i < 0 {
			return out
		}
		at += i
		out = append(out, signature[:at]+addressPointer+signature[at+len(Pointer):])
	}
}

// Pointer is the entry of a tensor in the signature of an Example, indexPointer that of a tensor of integers,
// and addressPointer that of a tensor of addresses. Python's literals in a kernel are of 32 bits, and a loop
// that adds to one must leave its type.
const (
	Pointer        = "*fp32:16"
	indexPointer   = "*i32:16"
	addressPointer = "*i64:16"
)

// asFloats gives all tensors of a signature elements of fp32.
var asFloats = strings.NewReplacer(indexPointer, Pointer, addressPointer, Pointer)

// scalarTypes has what a signature says of a run-time argument.
var scalarTypes = map[kind]string{tensor: Pointer, integer: "i32", float: "fp32", number: "fp32",
	boolean: "i1"}

// configured returns what the first config of @triton.autotune sets, as signatures write it.
func (g *generator) configured(kernel string) map[string]string {
	set := map[string]string{}
	t, err := g.source.Tuning(kernel, lang.DefaultTarget)
	if t == nil || err != nil {
		return set
	}
	for _, s := range slices.Backward(t.Steps) {
		if s.Autotune != nil && len(s.Autotune.Configs) > 0 {
			for _, kw := range s.Autotune.Configs[0].Kwargs {
				set[kw.Name] = lang.Repr(kw.Value)
			}
		}
	}
	return set
}
