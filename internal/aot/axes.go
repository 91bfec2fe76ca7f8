package aot

import (
	"fmt"
	"maps"
	"slices"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// axis is a name with the values that it takes, in order.
type axis struct {
	name   string
	values []object.Value
}

// maxRange bounds the values of a range.
const maxRange = 4096

// axisOf reads a value of a manifest: one, a list of them, a range {from, to, step} or {from, to, times}, or
// a table of texts.
func axisOf(name string, v any) (axis, error) {
	a := axis{name: name}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			x, err := valueOf(item)
			if err != nil {
				return a, fmt.Errorf("%s: %w", name, err)
			}
			a.values = append(a.values, x)
		}
	case map[string]any:
		if d := texts(v); d != nil {
			a.values = []object.Value{d}
			break
		}
		list, err := rangeOf(v)
		if err != nil {
			return a, fmt.Errorf("%s: %w", name, err)
		}
		for _, n := range list {
			a.values = append(a.values, object.MakeInt(n))
		}
	default:
		x, err := valueOf(v)
		if err != nil {
			return a, fmt.Errorf("%s: %w", name, err)
		}
		a.values = []object.Value{x}
	}
	if len(a.values) == 0 {
		return a, fmt.Errorf("%s has no values", name)
	}
	return a, nil
}

// texts returns a table of TOML that has texts alone, extern_libs say, as a dictionary, and nil for any other
// table.
func texts(m map[string]any) *object.Dict {
	d := object.NewDict()
	for _, name := range slices.Sorted(maps.Keys(m)) {
		text, ok := m[name].(string)
		if !ok {
			return nil
		}
		d.SetStr(name, object.Str(text))
	}
	if len(m) == 0 {
		return nil
	}
	return d
}

// valueOf returns a value of TOML as Python's; a list within a list is a tuple.
func valueOf(v any) (object.Value, error) {
	switch v := v.(type) {
	case int64:
		return object.MakeInt(v), nil
	case float64:
		return object.Float(v), nil
	case bool:
		return object.Bool(v), nil
	case string:
		return object.Str(v), nil
	case []any:
		t := object.NewTuple()
		for _, item := range v {
			x, err := valueOf(item)
			if err != nil {
				return nil, err
			}
			t.Items = append(t.Items, x)
		}
		return t, nil
	}
	return nil, fmt.Errorf("%v is no value: expected a number, a string, true, false or a list", v)
}

// rangeOf returns the numbers from "from" to "to", both included: "step" is added or "times" multiplies.
func rangeOf(m map[string]any) ([]int64, error) {
	n := map[string]int64{"step": 0, "times": 0}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		v, ok := m[k].(int64)
		if err := unknown("key", []string{k}, []string{"from", "step", "times", "to"}); err != nil {
			return nil, fmt.Errorf("a range is {from, to, step} or {from, to, times}: %w", err)
		}
		if !ok {
			return nil, fmt.Errorf("a range has integers, not %s = %v", k, m[k])
		}
		n[k] = v
	}
	from, hasFrom := n["from"]
	to, hasTo := n["to"]
	step, times := n["step"], n["times"]
	switch {
	case !hasFrom || !hasTo || (step == 0) == (times == 0):
		return nil, fmt.Errorf("a range is {from, to, step} or {from, to, times}")
	case step < 0 || times < 0 || times == 1 || times > 0 && from <= 0:
		return nil, fmt.Errorf("a range must grow: from=%d step=%d times=%d", from, step, times)
	}
	var out []int64
	for at := from; at <= to; {
		if out = append(out, at); len(out) > maxRange {
			return nil, fmt.Errorf("a range of more than %d values", maxRange)
		}
		next := at + step
		if times > 0 {
			next = at * times
		}
		if next <= at { // beyond 64 bits
			break
		}
		at = next
	}
	return out, nil
}
