package aot

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/rule"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// section is the name of a manifest's sections for kernels, one for each kernel and signature; operators is
// that of the sections for operators.
const (
	section   = "variants"
	operators = "operators"
)

// manifest is a TOML file that lists variants.
type manifest struct {
	Targets   []string            `toml:"targets"`
	Variants  []variants          `toml:"variants"`
	Operators []rule.OperatorText `toml:"operators"`
}

// variants is a section: every combination of the values in Vars, Constants and Options for which all
// conditions hold. Name, Group and Signature are f-strings of these values.
type variants struct {
	Kernel    string         `toml:"kernel"` // FILE.py:KERNEL, the file relative to the manifest
	Name      string         `toml:"name"`
	Group     string         `toml:"group"`
	Signature any            `toml:"signature"` // a string, or a table by parameter
	Where     any            `toml:"where"`     // a condition, or several
	Targets   []string       `toml:"targets"`   // the only ones for these variants
	When      any            `toml:"when"`      // what launches must fulfil: a rule, or several
	Grid      any            `toml:"grid"`      // rules of a launch's grid
	Sizes     []string       `toml:"sizes"`     // names in When and Grid beside arguments and constants
	Measure   bool           `toml:"measure"`   // launches may be repeated to measure them
	Writes    any            `toml:"writes"`    // what they write, to be compared
	Vars      map[string]any `toml:"vars"`      // values for names, signatures and conditions alone
	Constants map[string]any `toml:"constants"`
	Options   map[string]any `toml:"options"`
}

// readManifest reads the table of a TOML file.
func readManifest(file string, text []byte, o ReadOptions) (*Table, error) {
	files := diag.NewFileSet()
	places := &tomlPlaces{set: files, file: files.AddFile(filepath.ToSlash(file), text), text: text}
	var m manifest
	md, err := toml.Decode(string(text), &m)
	if err != nil {
		return nil, places.syntaxError(err)
	}
	r := newRows(file, places)
	r.t.Targets = m.Targets
	for _, v := range m.Variants {
		places.kind = append(places.kind, v.Kernel)
	}
	for _, key := range md.Undecoded() {
		if len(key) < 3 || key[0] != section { // deeper ones are those of ranges
			r.faults.Add(places.unknownKey(key))
			return r.done()
		}
	}
	b := &sections{rows: r, dir: filepath.Dir(file), opts: o, sources: map[string]*lang.Source{}}
	for i, v := range m.Variants {
		if err := b.read(i, v); errors.Is(err, errTooMany) {
			break
		}
	}
	for i, text := range m.Operators {
		o, key, err := rule.CompileOperator(text)
		if err != nil {
			msg := fmt.Sprintf("operator %s: %v", text.Name, err)
			r.faults.Add(diag.Diagnostic{Code: "table", Span: places.in(operators, i, key), Msg: msg})
		}
		r.t.Operators = append(r.t.Operators, o)
	}
	return r.done()
}

// syntaxError returns the TOML parser's error with its place.
func (p *tomlPlaces) syntaxError(err error) error {
	var bad toml.ParseError
	if !errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", p.file.Name, err)
	}
	from := min(max(bad.Position.Start, 0), len(p.text))
	to := min(from+max(bad.Position.Len, 0), len(p.text))
	span := diag.Span{Start: p.file.Pos(from), End: p.file.Pos(to)}
	return &diag.List{Files: p.set,
		Diags: []diag.Diagnostic{{Code: "table", Span: span, Msg: bad.Message, Hint: firstLine(bad.Usage)}}}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// manifestKeys lists the keys of a manifest and of its sections.
var manifestKeys = append([]string{"targets", section, operators, "kernel", "signature", "where", "vars",
	"constants", "options", "when", "grid", "sizes", "measure", "writes"}, rule.OperatorKeys...)

// unknownKey returns the message for a key that no manifest has.
func (p *tomlPlaces) unknownKey(key toml.Key) diag.Diagnostic {
	last := key[len(key)-1]
	d := diag.Diagnostic{Code: "table", Msg: fmt.Sprintf("unknown key %q", last)}
	if best := diag.Nearest(last, manifestKeys); best != "" {
		d.Hint = "did you mean " + best + "?"
	} else {
		d.Hint = "the keys are " + strings.Join(manifestKeys, ", ")
	}
	kind := section
	if key[0] == operators {
		kind = operators
	}
	for row := -1; row < len(sectionHead.FindAll(p.text, -1)); row++ {
		if s := p.in(kind, row, last); s.Start.IsValid() && p.text[p.file.Offset(s.Start)] != '[' {
			d.Span = s
			return d
		}
	}
	head := regexp.MustCompile(`(?m)^[ \t]*\[+[ \t]*(?:[\w-]+\.)*(` + regexp.QuoteMeta(last) + `)\b`)
	if m := head.FindSubmatchIndex(p.text); m != nil {
		d.Span = diag.Span{Start: p.file.Pos(m[2]), End: p.file.Pos(m[3])}
	}
	return d
}

// errTooMany ends the reading of a manifest with too many faults.
var errTooMany = errors.New("too many faults")

// sections reads a manifest's sections.
type sections struct {
	rows    *rows
	dir     string // of the manifest
	opts    ReadOptions
	sources map[string]*lang.Source // of the kernels' files
}

// read adds the variants of a section. Its faults go to rows; the error is errTooMany or nil.
func (s *sections) read(row int, v variants) error {
	fault := func(key string, err error) error {
		if !s.rows.fault(row, key, asDiagnostic(err)) {
			return errTooMany
		}
		return nil
	}
	file, params, err := s.kernel(v.Kernel)
	if err != nil {
		return fault("kernel", err)
	}
	_, name, _ := cutKernel(v.Kernel)
	e, key, err := newExprs(&v, params)
	if err != nil {
		return fault(key, err)
	}
	if e.launch, key, err = v.launch(); err != nil {
		return fault(key, err)
	}
	base := Variant{File: file, Kernel: name, Targets: v.Targets}
	for values, err := range e.combinations() {
		if err != nil {
			return fault(e.at, err)
		}
		variant, key, err := e.variant(base, params, values)
		if err != nil {
			if err = fault(key, err); err != nil {
				return err
			}
			continue
		}
		if !s.rows.add(row, variant) {
			return errTooMany
		}
	}
	return nil
}

// kernel finds a kernel that is named as FILE.py:KERNEL.
func (s *sections) kernel(text string) (file string, params []lang.Param, err error) {
	name, kernel, ok := cutKernel(text)
	if !ok {
		return "", nil, fmt.Errorf("kernel is %q: expected FILE.py:KERNEL", text)
	}
	file = name
	if !filepath.IsAbs(file) {
		file = filepath.Join(s.dir, file)
	}
	src := s.sources[file]
	if src == nil {
		text, err := safefile.ReadNamed(file, maxTable)
		if err != nil {
			return "", nil, err
		}
		src, err = lang.Load(filepath.ToSlash(file), text,
			lang.LoadOptions{OnDisk: true, Roots: s.opts.Roots})
		if err != nil {
			return "", nil, err
		}
		s.sources[file] = src
	}
	params, err = src.Params(kernel, lang.DefaultTarget)
	return file, params, err
}

// cutKernel cuts FILE.py:KERNEL.
func cutKernel(text string) (file, kernel string, ok bool) {
	i := strings.LastIndex(text, ".py:")
	if i < 0 || text[i+len(".py:"):] == "" {
		return text, "", false
	}
	return text[:i+len(".py")], text[i+len(".py:"):], true
}

// launch returns the rules of a section as texts. key is the place of an error.
func (v *variants) launch() (t rule.LaunchText, key string, err error) {
	t = rule.LaunchText{Sizes: v.Sizes, Measure: v.Measure}
	if t.When, err = stringsOf(v.When); err != nil {
		return t, "when", err
	}
	if t.Grid, err = stringsOf(v.Grid); err != nil {
		return t, "grid", err
	}
	t.Writes, err = stringsOf(v.Writes)
	return t, "writes", err
}

// stringsOf returns a string, or a list of strings.
func stringsOf(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		return []string{v}, nil
	case []any:
		out := make([]string, len(v))
		for i, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("expected a string, not %v", item)
			}
			out[i] = s
		}
		return out, nil
	}
	return nil, fmt.Errorf("expected a string or a list of strings, not %v", v)
}

// variant makes a variant of a combination of values. key is the place of an error.
func (e *exprs) variant(v Variant, params []lang.Param, values map[string]object.Value) (_ Variant,
	key string,
	err error) {
	for _, f := range []struct {
		key string
		to  *string
	}{{"name", &v.Name}, {"group", &v.Group}} {
		if *f.to, err = e.text(f.key, values); err != nil {
			return v, f.key, err
		}
	}
	c := constants{}
	for _, name := range e.constants {
		i, err := paramOf(params, object.Str(name))
		if err != nil {
			return v, name, err
		}
		c[i] = values[name]
	}
	types, err := e.types(values)
	if err == nil {
		v.Signature, err = compose(params, types, c)
	}
	if err == nil {
		err = checkSignature(params, v.Signature)
	}
	if err != nil {
		return v, "signature", err
	}
	if v.Launch, key, err = launchOf(e.launch, params, c, values); err != nil {
		return v, key, err
	}
	given := map[string]object.Value{}
	for _, name := range e.options {
		given[name] = values[name]
	}
	v.Options, err = optionsOf(given)
	return v, "options", err
}

// types returns the signature's entries for a combination of values.
func (e *exprs) types(values map[string]object.Value) (entries, error) {
	if len(e.byParam) == 0 {
		text, err := e.text("signature", values)
		return entries{list: splitTypes(text)}, err
	}
	out := entries{by: map[string]string{}}
	for _, name := range slices.Sorted(maps.Keys(e.byParam)) {
		text, err := e.text("signature."+name, values)
		if err != nil {
			return out, err
		}
		out.by[name] = text
	}
	return out, nil
}
