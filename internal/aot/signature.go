package aot

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid/internal/diag"
	"github.com/nereid-lang/nereid/internal/lang"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// entries holds the types of a row's signature: in the order of the parameters, or by name.
type entries struct {
	list []string
	by   map[string]string // by name or position; nil if there is a list
}

// constants holds the values that are compiled in, by the parameter's position.
type constants map[int]object.Value

// entriesOf reads sig: "*fp32, i32" (also with semicolons), a list of types, or a dictionary by name or
// position.
func entriesOf(in *object.Interp, v object.Value) (entries, error) {
	switch v := v.(type) {
	case nil:
		return entries{},
			errors.New(`sig is missing: expected the types of the arguments, as in "*fp32, i32"`)
	case object.Str:
		return entries{list: splitTypes(string(v))}, nil
	case *object.Dict:
		e := entries{by: map[string]string{}}
		for k, t := range v.All() {
			s, ok := t.(object.Str)
			if !ok {
				return e, fmt.Errorf("sig: the type of %s must be a string, not %s", world.Text(k),
					world.Describe(t))
			}
			e.by[world.Text(k)] = string(s)
		}
		return e, nil
	}
	items, err := object.Iterate(in, v)
	if err != nil {
		return entries{}, fmt.Errorf("sig must be a string, a list or a dictionary, not %s",
			world.Describe(v))
	}
	e := entries{list: []string{}}
	for _, item := range items {
		s, ok := item.(object.Str)
		if !ok {
			return e, fmt.Errorf("sig: a type must be a string, not %s", world.Describe(item))
		}
		e.list = append(e.list, string(s))
	}
	return e, nil
}

// splitTypes cuts a signature at commas and semicolons outside of brackets and quotes.
func splitTypes(text string) []string {
	out, depth, quote, from := []string{}, 0, rune(0), 0
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case strings.ContainsRune("([{<", c):
			depth++
		case strings.ContainsRune(")]}>", c):
			depth--
		case (c == ',' || c == ';') && depth == 0:
			out, from = append(out, strings.TrimSpace(text[from:i])), i+1
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

// constantsOf finds the parameters of constants, which are given by name or position.
func constantsOf(params []lang.Param, d *object.Dict) (constants, error) {
	c := constants{}
	if d == nil {
		return c, nil
	}
	for k, v := range d.All() {
		i, err := paramOf(params, k)
		if err != nil {
			return nil, err
		}
		c[i] = world.Unwrap(v)
	}
	return c, nil
}

// takeConstants takes those of kwargs that are no options and name a parameter: tables may write constants
// beside options, as {"BLOCK_SIZE": 64, "num_warps": 4}.
func takeConstants(params []lang.Param, kwargs map[string]object.Value, c constants) error {
	options := optionNames()
	for i, p := range params {
		v, ok := kwargs[p.Name]
		if !ok || slices.Contains(options, p.Name) {
			continue
		}
		if _, twice := c[i]; twice {
			return fmt.Errorf("%s is given twice: in kwargs, and in their constants", p.Name)
		}
		c[i] = v
		delete(kwargs, p.Name)
	}
	return nil
}

// paramOf returns the position of a parameter that a key names.
func paramOf(params []lang.Param, key object.Value) (int, error) {
	if n, ok := object.AsInt64(key); ok && n >= 0 && int(n) < len(params) {
		return int(n), nil
	}
	name := world.Text(key)
	i := slices.IndexFunc(params, func(p lang.Param) bool { return p.Name == name })
	if i < 0 {
		return 0, unknown("parameter", []string{name}, namesOf(params))
	}
	return i, nil
}

func namesOf(params []lang.Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

// compose returns the signature of all parameters. A list of types has an entry for each parameter that is no
// constant; it may leave out constexpr parameters with a default, or name the constants too.
func compose(params []lang.Param, e entries, c constants) (string, error) {
	out := make([]string, len(params))
	for i, v := range c {
		out[i] = lang.FormatSignature([]lang.ArgSpec{{Const: lang.ConstOf(v)}})
	}
	open, err := e.fill(params, c, out)
	if err != nil {
		return "", err
	}
	for _, i := range open {
		if params[i].Default == nil {
			return "", diagError("parameter "+params[i].Name+" has neither a type nor a constant",
				"give sig a type, or constants a value")
		}
		out[i] = lang.FormatSignature([]lang.ArgSpec{{Const: params[i].Default}})
	}
	return strings.Join(out, ", "), nil
}

// fill writes the types to their parameters and returns the positions of parameters that have none.
func (e entries) fill(params []lang.Param, c constants, out []string) (open []int, err error) {
	if e.by != nil {
		return e.fillByName(params, c, out)
	}
	all, free, needed := []int{}, []int{}, []int{}
	for i, p := range params {
		all = append(all, i)
		if _, ok := c[i]; ok {
			continue
		}
		free = append(free, i)
		if !p.Constexpr || p.Default == nil {
			needed = append(needed, i)
		}
	}
	for _, slots := range [][]int{free, needed, all} {
		if len(slots) != len(e.list) {
			continue
		}
		for n, i := range slots {
			if _, ok := c[i]; !ok {
				out[i] = e.list[n]
			}
		}
		return slices.DeleteFunc(free, func(i int) bool { return slices.Contains(slots, i) }), nil
	}
	var names []string
	for _, i := range needed {
		names = append(names, params[i].Name)
	}
	return nil, diagError(fmt.Sprintf("the signature has %d types, and the kernel needs %d", len(e.list),
		len(needed)),
		"one for each of "+strings.Join(names, ", ")+", which are no constants here")
}

func (e entries) fillByName(params []lang.Param, c constants, out []string) (open []int, err error) {
	left := len(e.by)
	for i, p := range params {
		text, ok := e.by[p.Name]
		if !ok {
			text, ok = e.by[fmt.Sprint(i)]
		}
		if ok {
			left--
		}
		if _, constant := c[i]; constant {
			continue
		}
		if !ok || text == "constexpr" { // as Triton 3 writes it
			open = append(open, i)
			continue
		}
		out[i] = text
	}
	if left > 0 {
		for name := range e.by {
			if err := unknown("parameter", []string{name}, namesOf(params)); err != nil {
				return nil, err
			}
		}
	}
	return open, nil
}

// diagError returns a message with a hint as an error.
func diagError(msg, hint string) error {
	return &diag.List{Diags: []diag.Diagnostic{{Msg: msg, Hint: hint}}}
}
