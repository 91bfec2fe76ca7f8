package aot

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
	"github.com/nereid-lang/nereid/internal/rule"
)

// tableFunc is the function of a Python file that returns its table, by ONNX Runtime's convention: a list of
// dictionaries with name, group, func, sig and kwargs.
const tableFunc = "get_function_table"

// readPython reads the table of a Python file.
func readPython(file string, text []byte, o ReadOptions) (*Table, error) {
	src, err := lang.Load(filepath.ToSlash(file), text, lang.LoadOptions{OnDisk: true, Roots: o.Roots})
	if err != nil {
		return nil, err
	}
	if !src.Definition(tableFunc).Start.IsValid() {
		return nil, fmt.Errorf("%s has no %s(): it returns a list of {name, group, func, sig, kwargs}", file,
			tableFunc)
	}
	places := &pythonPlaces{src: src}
	r := newRows(file, places)
	err = src.Host().Call(tableFunc, nil, func(in *object.Interp, v object.Value) error {
		items, err := object.Iterate(in, v)
		if err != nil {
			return object.Errorf(object.TypeError, "%s() must return a list of dictionaries, not %s",
				tableFunc, world.Describe(v))
		}
		for i, item := range items {
			p := pyRow{in: in, src: src, rows: r, row: i}
			if !p.read(places, item) {
				break
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return r.done()
}

// pyRow reads a dictionary of a table.
type pyRow struct {
	in   *object.Interp
	src  *lang.Source
	rows *rows
	row  int
	dict *object.Dict
}

// rowKeys lists the keys of a row. Only name, func and sig are needed; those from when on are ours.
var rowKeys = []string{"name", "group", "func", "sig", "kwargs", "when", "grid", "sizes", "measure",
	"writes"}

// read adds the variant of a row. It reports whether reading goes on.
func (p *pyRow) read(places *pythonPlaces, item object.Value) bool {
	d, ok := world.Unwrap(item).(*object.Dict)
	if !ok {
		return p.fault("name", fmt.Sprintf("expected a dictionary with %s, not %s",
			strings.Join(rowKeys, ", "), world.Describe(item)), "")
	}
	p.dict = d
	name, ok := p.text("name", true)
	places.names = append(places.names, name)
	group, ok2 := p.text("group", false)
	if !ok || !ok2 {
		return p.goesOn()
	}
	if bad := p.unknownKey(); bad != "" {
		return p.fault(bad, fmt.Sprintf("unknown key %q: a row has %s", bad, strings.Join(rowKeys, ", ")), "")
	}
	if p.value("func") == nil {
		return p.fault("func", "func is missing: the function under @triton.jit", "")
	}
	fn, ok := world.Unwrap(p.value("func")).(*world.JITFunction)
	if !ok {
		return p.fault("func", fmt.Sprintf("func must be a function under @triton.jit, not %s",
			describe(p.value("func"))), "")
	}
	v := Variant{Name: name, Group: group}
	v.File, v.Kernel = p.home(fn)
	return p.finish(v, fn)
}

// finish composes the signature and the options.
func (p *pyRow) finish(v Variant, fn *world.JITFunction) bool {
	kwargs, consts, err := splitKwargs(p.in, p.value("kwargs"))
	if err != nil {
		return p.fault("kwargs", err.Error(), "")
	}
	params := lang.ParamsOf(fn.Params)
	c, err := constantsOf(params, consts)
	if err == nil {
		err = takeConstants(params, kwargs, c)
	}
	if err != nil {
		return p.fault("constants", err.Error(), "")
	}
	given, err := entriesOf(p.in, p.value("sig"))
	if err != nil {
		return p.fault("sig", err.Error(), "")
	}
	if v.Signature, err = compose(params, given, c); err == nil {
		err = checkSignature(params, v.Signature)
	}
	if err != nil {
		d := asDiagnostic(err)
		return p.fault("sig", d.Msg, d.Hint)
	}
	if v.Options, err = optionsOf(kwargs); err != nil {
		return p.fault("kwargs", err.Error(), "")
	}
	var key string
	if v.Launch, key, err = p.launch(params, c); err != nil {
		return p.fault(key, err.Error(), "")
	}
	return p.rows.add(p.row, v)
}

// launch compiles the rules of a row. key is the place of an error.
func (p *pyRow) launch(params []lang.Param, c constants) (_ rule.Launch, key string, err error) {
	var t rule.LaunchText
	for _, f := range []struct {
		key string
		to  *[]string
	}{{"when", &t.When}, {"grid", &t.Grid}, {"sizes", &t.Sizes}, {"writes", &t.Writes}} {
		if *f.to, err = p.texts(f.key); err != nil {
			return rule.Launch{}, f.key, err
		}
	}
	if v := p.value("measure"); v != nil {
		if t.Measure, err = object.Truth(p.in, v); err != nil {
			return rule.Launch{}, "measure", err
		}
	}
	return launchOf(t, params, c, nil)
}

// texts returns a key's string, or its strings.
func (p *pyRow) texts(key string) (out []string, err error) {
	v := p.value(key)
	if s, ok := v.(object.Str); ok || v == nil {
		if ok {
			out = []string{string(s)}
		}
		return out, nil
	}
	items, err := object.Iterate(p.in, v)
	for _, item := range items {
		s, ok := item.(object.Str)
		if !ok {
			return nil, fmt.Errorf("%s must be a string or a list of strings, not %s", key, world.Describe(v))
		}
		out = append(out, string(s))
	}
	return out, err
}

// home returns the file of a kernel, and its name there.
func (p *pyRow) home(fn *world.JITFunction) (file, name string) {
	name = strings.ReplaceAll(fn.Func.QualName, ".<locals>", "")
	return filepath.FromSlash(fn.Func.Module.File), name
}

// value returns the value of a key, or nil.
func (p *pyRow) value(key string) object.Value {
	v, _ := p.dict.GetStr(key)
	return v
}

// text returns a key's string. It reports false for anything else; a key that is not needed may be missing.
func (p *pyRow) text(key string, needed bool) (string, bool) {
	v := p.value(key)
	if v == nil && !needed || v == object.None && !needed {
		return "", true
	}
	s, ok := v.(object.Str)
	if !ok {
		p.fault(key, fmt.Sprintf("%s must be a string, not %s", key, describe(v)), "")
	}
	return string(s), ok
}

// unknownKey returns a key that no row has, or "".
func (p *pyRow) unknownKey() string {
	for k := range p.dict.All() {
		s, ok := k.(object.Str)
		if !ok || unknown("key", []string{string(s)}, rowKeys) != nil {
			return strings.Trim(world.Repr(k), "'")
		}
	}
	return ""
}

func (p *pyRow) fault(key, msg, hint string) bool {
	return p.rows.fault(p.row, key, diag.Diagnostic{Msg: msg, Hint: hint})
}

func (p *pyRow) goesOn() bool { return len(p.rows.faults.Diags) < maxFaults }

// describe names a value for messages; nil is a key that is not there.
func describe(v object.Value) string {
	if v == nil {
		return "missing"
	}
	return world.Describe(v)
}
