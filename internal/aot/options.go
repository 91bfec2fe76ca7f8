package aot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/lang/world"
	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// splitKwargs divides kwargs into options, the dictionary under "options" among them, and constants.
func splitKwargs(in *object.Interp, v object.Value) (map[string]object.Value, *object.Dict, error) {
	opts := map[string]object.Value{}
	if v == nil || v == object.None {
		return opts, nil, nil
	}
	d, ok := v.(*object.Dict)
	if !ok {
		return nil, nil, fmt.Errorf("kwargs must be a dictionary, not %s", world.Describe(v))
	}
	var consts *object.Dict
	for k, v := range d.All() {
		name := world.Text(k)
		switch name {
		case "constants", "constexprs":
			if consts, ok = v.(*object.Dict); !ok {
				return nil, nil, fmt.Errorf("%s must be a dictionary of parameters, not %s", name,
					world.Describe(v))
			}
		case "options":
			inner, none, err := splitKwargs(in, v)
			if err != nil || none != nil {
				return nil, nil, errors.Join(errors.New("options must be a dictionary of options"), err)
			}
			maps.Copy(opts, inner)
		default:
			opts[name] = world.Unwrap(v)
		}
	}
	return opts, consts, nil
}

// negated has the options that a field of nereid.Options turns off; the zero value leaves them on.
var negated = map[string]string{"sanitize_overflow": "no_sanitize_overflow",
	"enable_fp_fusion": "no_fp_fusion"}

// optionsOf reads options under Triton's names.
func optionsOf(given map[string]object.Value) (o nereid.Options, err error) {
	fields := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		v, err := plainValue(given[name])
		if err != nil {
			return o, fmt.Errorf("option %s: %w", name, err)
		}
		if no, ok := negated[name]; ok {
			on, isBool := v.(bool)
			if !isBool {
				return o, fmt.Errorf("option %s must be True or False, not %v", name, v)
			}
			name, v = no, !on
		}
		if v == nil { // None: the default
			continue
		}
		if libs, ok := v.(map[string]any); ok && name == "extern_libs" {
			v = libList(libs)
		}
		if err := unknown("option", []string{name}, optionNames()); err != nil {
			return o, err
		}
		fields[name] = v
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return o, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&o); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return o, fmt.Errorf("option %s must be of type %s, not %s", wrong.Field, wrong.Type, wrong.Value)
		}
		return o, err
	}
	return o, nil
}

// optionNames returns the names of the options that a table can set.
func optionNames() []string {
	var out []string
	for f := range reflect.TypeFor[nereid.Options]().Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			out = append(out, name)
		}
	}
	for name, no := range negated {
		if i := slices.Index(out, no); i >= 0 {
			out[i] = name
		}
	}
	return append(out, slices.Collect(maps.Values(negated))...)
}

// plainValue returns a value of Python as JSON has it.
func plainValue(v object.Value) (any, error) {
	switch v := v.(type) {
	case object.NoneType:
		return nil, nil
	case object.Bool:
		return bool(v), nil
	case object.Int:
		if n, ok := v.Int64(); ok {
			return n, nil
		}
	case object.Float:
		return float64(v), nil
	case object.Str:
		return string(v), nil
	case *object.Dict:
		out := map[string]any{}
		for k, item := range v.All() {
			x, err := plainValue(item)
			if err != nil {
				return nil, err
			}
			out[world.Text(k)] = x
		}
		return out, nil
	}
	return nil, fmt.Errorf("%s is no value of an option", world.Describe(v))
}

// libList returns extern_libs, a dictionary of names and files, as nereid.Options has it.
func libList(libs map[string]any) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(libs)) {
		list = append(list, fmt.Sprintf("%s=%v", name, libs[name]))
	}
	return strings.Join(list, ",")
}
