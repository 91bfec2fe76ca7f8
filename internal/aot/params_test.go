package aot

import (
	"fmt"
	"strings"
	"testing"
)

// TestConstantsOfAll: each parameter of a kernel, the first and the last too, can be a constant of a table,
// by its name and by its position, and both mean the same; what lies outside is refused.
func TestConstantsOfAll(t *testing.T) {
	names := strings.Fields("out x n factor BLOCK NEGATE")
	types := strings.Fields("*fp32 *fp32 i32 fp32 64 False")
	values := strings.Fields("None None 7 2.5 32 True")
	row := func(i int, key string) (string, error) {
		sig := append(append([]string(nil), types[:i]...), types[i+1:]...)
		table, err := read(t, "t.py", fmt.Sprintf("from scale import scale\ndef get_function_table():\n"+
			"  return [{'name': 'a', 'func': scale, 'sig': %q, 'kwargs': {'constants': {%s: %s}}}]\n",
			strings.Join(sig, ", "), key, values[i]))
		if err != nil {
			return "", err
		}
		return table.Variants[0].Signature, nil
	}
	for i, name := range names {
		want := append([]string(nil), types...)
		want[i] = values[i]
		for _, key := range []string{fmt.Sprintf("%q", name), fmt.Sprint(i)} {
			if got, err := row(i, key); err != nil || got != strings.Join(want, ", ") {
				t.Errorf("constant %s: %s, %v, want %s", key, got, err, want)
			}
		}
	}
	for _, key := range []string{"-1", fmt.Sprint(len(names)), `"nothing"`} {
		if got, err := row(0, key); err == nil {
			t.Errorf("constant %s: %s", key, got)
		}
	}
}
