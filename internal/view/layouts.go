package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/dialect/ttg"
	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/layout"
	"github.com/nereid-lang/nereid/internal/layout/ttglayout"
)

// Layout is a layout with a shape of a module: which register of which thread holds which element, or where
// in shared memory it lies.
type Layout struct {
	Alias  string   `json:"alias"` // the encoding with the aliases of the module: "#blocked"
	Text   string   `json:"text"`  // the encoding
	Shape  []int64  `json:"shape"`
	Elems  []string `json:"elems"` // element types of the values that have it: "f16", "!tt.ptr<f16>"
	Elem   string   `json:"elem"`  // the first of them that is a number
	Bits   int      `json:"bits"`  // of Elem; 0 if there is none
	Shared bool     `json:"shared"`
	Uses   int      `json:"uses"` // values that have it
	// Bases has, for each input ("register", "lane", "warp", "block" or "offset"), what each of its bits adds
	// to the coordinates.
	Bases []Bases `json:"bases"`

	Linear layout.Layout `json:"-"`
	Attr   ir.Attr       `json:"-"`
}

// Bases are the basis vectors of an input of a linear layout.
type Bases struct {
	Name    string  `json:"name"`
	Vectors [][]int `json:"v"`
}

// Layouts returns the layouts of a module in TritonGPU form, each with the shapes that values of it have; the
// most used come first.
func Layouts(text []byte) ([]Layout, error) {
	m, err := ir.Parse(diag.NewFileSet(), "ttgir", text)
	if err != nil {
		return nil, err
	}
	names := aliasesOf(string(text))
	var out []Layout
	at := map[string]int{}
	for op := range m.Ops() {
		for _, v := range op.Results() {
			l, elem, ok := layoutOf(v.Type)
			if !ok {
				continue
			}
			key := fmt.Sprint(l.Text, l.Shape)
			if i, ok := at[key]; ok {
				out[i].use(elem)
				continue
			}
			if l.Linear, err = ttglayout.For(l.Attr, l.Shape); err != nil {
				continue // tensor memory; the buffers of a pipeline, whose number is no power of two
			}
			for _, b := range l.Linear.AllBases() {
				l.Bases = append(l.Bases, Bases(b))
			}
			l.Alias = shorten(l.Text, names)
			l.use(elem)
			at[key] = len(out)
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b Layout) int { return b.Uses - a.Uses })
	return out, nil
}

// layoutOf returns shape, encoding and element type of a type.
func layoutOf(t ir.Type) (l Layout, elem ir.Type, ok bool) {
	if x, isTensor := t.(*ir.TensorType); isTensor && x.Encoding != nil {
		l, elem = Layout{Shape: x.Shape, Attr: x.Encoding}, x.Elem
	} else if d, isMem := ttg.MemDescOf(t); isMem && d.Encoding != nil {
		l, elem = Layout{Shape: d.Shape, Attr: d.Encoding}, d.Elem
	} else {
		return l, nil, false
	}
	l.Shared = ttg.IsShared(l.Attr)
	l.Text = fmt.Sprint(l.Attr)
	return l, elem, true
}

// use counts a value of the layout.
func (l *Layout) use(elem ir.Type) {
	l.Uses++
	name := fmt.Sprint(elem)
	if slices.Contains(l.Elems, name) {
		return
	}
	l.Elems = append(l.Elems, name)
	if bits := ir.BitWidth(elem); bits > 1 && l.Bits == 0 {
		l.Bits, l.Elem = bits, name
	}
}

// shorten returns the text of an encoding with the aliases that a module has for it and its parts.
func shorten(text string, names []alias) string {
	for _, n := range names {
		text = strings.ReplaceAll(text, n.text, n.name)
	}
	return text
}

// alias is a name that a module gives to an attribute.
type alias struct{ name, text string }

var aliasName = regexp.MustCompile(`#[A-Za-z_]\w*\b[^.\w]`)

// aliasesOf returns the aliases that a text defines, those with the longest text first.
func aliasesOf(text string) (out []alias) {
	defs := map[string]string{}
	for line := range strings.Lines(text) {
		name, def, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || !strings.HasPrefix(name, "#") {
			break
		}
		if strings.HasPrefix(name, "#loc") {
			continue
		}
		def = aliasName.ReplaceAllStringFunc(def, func(s string) string { // an alias in an alias
			if d := defs[s[:len(s)-1]]; d != "" {
				return d + s[len(s)-1:]
			}
			return s
		})
		defs[name] = def
		out = append(out, alias{name, def})
	}
	slices.SortStableFunc(out, func(a, b alias) int { return len(b.text) - len(a.text) })
	return out
}
