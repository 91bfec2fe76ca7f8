package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/frame"
	"github.com/nereid-lang/nereid/internal/txtest"
)

const walked = `import triton
import triton.language as tl


@triton.jit
def halves(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    live = i < n - 1
    x = tl.load(x_ptr + i, mask=live, other=0.0)
    breakpoint()
    y = x * 0.5
    tl.store(y_ptr + i, y, mask=i < n)


@triton.jit
def normed(x_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    total = tl.sum(x * x)
    breakpoint()  # what follows is looked at

    scale = 1.0 / tl.sqrt(total)
    y = x * scale
    tl.store(y_ptr + i, y)
`

// walk is a session that looks at the variables wherever it stops. Each of steps is a request.
func walk(t *testing.T, kernel string, steps []string, args ...string) (lines []float64,
	vars []map[string]string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "walked.py")
	if err := os.WriteFile(file, []byte(walked), 0o644); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t}
	c.w = frame.NewWriter(&c.in)
	c.ask("initialize", map[string]any{"adapterID": "nereid"})
	c.ask("launch", map[string]any{"stopOnEntry": false})
	for _, step := range append([]string{"configurationDone"}, steps...) {
		c.ask(step, map[string]any{"threadId": 1})
		c.ask("stackTrace", map[string]any{"threadId": 1})
		c.ask("scopes", map[string]any{"frameId": 1})
		c.ask("variables", map[string]any{"variablesReference": 1})
		c.ask("threads", nil)
	}
	c.ask("evaluate", map[string]any{"expression": "x"})
	c.ask("disconnect", nil)
	out := c.run(append([]string{file + ":" + kernel}, args...)...)
	checkSchema(t, out)
	for _, m := range out {
		body, _ := m["body"].(map[string]any)
		switch m["command"] {
		case "stackTrace":
			lines = append(lines, body["stackFrames"].([]any)[0].(map[string]any)["line"].(float64))
		case "variables":
			values := map[string]string{}
			for _, v := range body["variables"].([]any) {
				x := v.(map[string]any)
				values[x["name"].(string)] = x["value"].(string)
			}
			vars = append(vars, values)
		}
	}
	return lines, vars
}

// TestDebugWrongMask: the mask leaves out the last element, which breakpoint() shows at the line after it.
func TestDebugWrongMask(t *testing.T) {
	lines, vars := walk(t, "halves", nil, "x_ptr=fp32[4]:ones", "y_ptr=fp32[4]", "n=4", "BLOCK=4")
	if lines[0] != 11 {
		t.Errorf("it stops at line %v", lines[0])
	}
	if v := vars[0]; v["live"] != "[1, 1, 1, 0]" ||
		!strings.HasPrefix(v["x"], "[1, 1, 1, 0]") {
		t.Errorf("the variables are %v", v)
	}
}

// TestDebugNaN: all is well at breakpoint(), the scale of zeros is infinite, and so their product is NaN.
// Steps back show what was there before, and steps forwards the same again.
func TestDebugNaN(t *testing.T) {
	lines, vars := walk(t, "normed", []string{"next", "next", "stepBack", "stepBack", "next", "next"},
		"x_ptr=fp32[4]:zeros", "y_ptr=fp32[4]", "BLOCK=4")
	if want := []float64{22, 23, 24, 23, 22, 23, 24}; !slices.Equal(lines, want) {
		t.Fatalf("it stops at lines %v, want %v", lines, want)
	}
	if v := vars[0]; v["total"] != "0" || v["scale"] != "" {
		t.Errorf("at the call: %v", v)
	}
	if v := vars[1]; !strings.Contains(strings.ToLower(v["scale"]), "inf") {
		t.Errorf("after one step: %v", v)
	}
	if v := vars[2]; !strings.Contains(v["y"], "4 NaN") {
		t.Errorf("after two steps: %v", v)
	}
	for i, same := range map[int]int{3: 1, 4: 0, 5: 1, 6: 2} {
		if fmt.Sprint(vars[i]) != fmt.Sprint(vars[same]) {
			t.Errorf("stop %d has %v, and stop %d had %v", i, vars[i], same, vars[same])
		}
	}
}

// checkSchema holds messages to the protocol's own schema: VS Code's, which debugpy brings.
func checkSchema(t *testing.T, messages []map[string]any) {
	t.Helper()
	t.Run("schema", func(t *testing.T) { heldToSchema(t, messages) })
}

func heldToSchema(t *testing.T, messages []map[string]any) {
	t.Helper()
	text, err := os.ReadFile(txtest.Installed(t, "debugpy", "lib/python*/site-packages/debugpy/_vendored/"+
		"pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(text, &s.root); err != nil {
		t.Fatal(err)
	}
	for i, m := range messages {
		def := "Event"
		what, _ := m["event"].(string)
		if m["type"] == "response" {
			def, what = "Response", m["command"].(string)
		}
		if m["success"] == false { // the body of an error is free
			what = ""
		}
		def = strings.ToUpper(what[:min(1, len(what))]) + what[min(1, len(what)):] + def
		if err := s.check("#/definitions/"+def, m); err != nil {
			t.Errorf("message %d, %v, is no %s: %v", i, m, def, err)
		}
	}
	t.Logf("%d messages are as the schema has them", len(messages))
}

// schema is a JSON schema of draft 4, as far as the protocol's uses it.
type schema struct{ root map[string]any }

// check returns why a value is not what a definition says.
func (s *schema) check(ref string, v any) error {
	var at any = s.root
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		m, _ := at.(map[string]any)
		at = m[part]
	}
	def, ok := at.(map[string]any)
	if !ok {
		return fmt.Errorf("there is no %s", ref)
	}
	return s.fits(def, v)
}

func (s *schema) fits(def map[string]any, v any) error {
	if ref, ok := def["$ref"].(string); ok {
		return s.check(ref, v)
	}
	for _, part := range list(def["allOf"]) {
		if err := s.fits(part.(map[string]any), v); err != nil {
			return err
		}
	}
	if types := list(def["type"]); len(types) == 0 && def["type"] != nil && !isType(def["type"], v) ||
		len(types) > 0 && !slices.ContainsFunc(types, func(x any) bool { return isType(x, v) }) {
		return fmt.Errorf("%v is no %v", v, def["type"])
	}
	if options := list(def["enum"]); len(options) > 0 && !slices.Contains(options, v) {
		return fmt.Errorf("%v is none of %v", v, options)
	}
	object, _ := v.(map[string]any)
	for _, name := range list(def["required"]) {
		if _, ok := object[name.(string)]; !ok {
			return fmt.Errorf("%v has no %v", v, name)
		}
	}
	properties, _ := def["properties"].(map[string]any)
	for name, x := range object {
		if p, ok := properties[name].(map[string]any); ok {
			if err := s.fits(p, x); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	items, _ := def["items"].(map[string]any)
	for _, x := range list(v) {
		if err := s.fits(items, x); items != nil && err != nil {
			return err
		}
	}
	return nil
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// isType reports whether a value of JSON is of a type of JSON schema.
func isType(name, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	}
	return name == "object"
}
