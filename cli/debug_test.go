package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/frame"
)

const debugged = `import triton
import triton.language as tl


@triton.jit
def scaled(v, by):
    w = v * by
    return w


@triton.jit
def total(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    acc = tl.zeros([BLOCK], tl.float32)
    for k in range(3):
        i = first + k + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + i)
        acc += scaled(x, 2.0)
    tl.store(y_ptr + first + tl.arange(0, BLOCK), acc)
`

// client is a debugger's other end: all its requests are written before the session begins.
type client struct {
	t     *testing.T
	in    bytes.Buffer
	w     *frame.Writer
	seq   int
	names []string
}

func (c *client) ask(command string, args map[string]any) {
	c.t.Helper()
	c.seq++
	c.names = append(c.names, command)
	m := map[string]any{"seq": c.seq, "type": "request", "command": command}
	if args != nil {
		m["arguments"] = args
	}
	if err := c.w.Send(m); err != nil {
		c.t.Fatal(err)
	}
}

// run runs the command and returns its messages.
func (c *client) run(args ...string) (out []map[string]any) {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	if code := execute(newRootCmd(), append([]string{"debug"}, args...), &c.in, &stdout, &stderr); code != 0 {
		c.t.Fatalf("exit code %d: %s", code, &stderr)
	}
	r := frame.NewReader(&stdout)
	for {
		data, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			c.t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			c.t.Fatal(err)
		}
		out = append(out, m)
	}
}

// TestDebug is a session from initialize to disconnect: conditions, steps into and out of a call, steps back
// to the same values, and the access that ends the program.
func TestDebug(t *testing.T) {
	file := filepath.Join(t.TempDir(), "total.py")
	if err := os.WriteFile(file, []byte(debugged), 0o644); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t}
	c.w = frame.NewWriter(&c.in)
	look := func() {
		c.ask("stackTrace", map[string]any{"threadId": 1})
		c.ask("variables", map[string]any{"variablesReference": 1})
	}
	c.ask("initialize", map[string]any{"adapterID": "nereid"})
	c.ask("launch", map[string]any{"program": 1, "stopOnEntry": false})
	c.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": file},
		"breakpoints": []any{map[string]any{"line": 17, "condition": "k == 1"}}})
	c.ask("configurationDone", nil)
	look() // 0: line 17, k is 1
	c.ask("stepIn", nil)
	look() // 1: line 18
	c.ask("stepIn", nil)
	look() // 2: line 7, in the function that is called
	c.ask("stepOut", nil)
	look() // 3: after the call
	c.ask("stepBack", nil)
	look() // 4
	c.ask("reverseContinue", nil)
	look() // 5: line 17 again
	c.ask("continue", nil)
	look() // 6: where the program fails
	c.ask("nothing", nil)
	c.ask("disconnect", nil)
	out := c.run(file+":total", "x_ptr=fp32[17]:ones", "y_ptr=fp32[16]", "n=16", "BLOCK=8", "--grid", "2")

	checkSchema(t, out)
	var stops, stacks, vars []map[string]any
	answers := 0
	for i, m := range out {
		if m["seq"] != float64(i+1) {
			t.Errorf("message %d has the number %v", i+1, m["seq"])
		}
		body, _ := m["body"].(map[string]any)
		switch m["type"] {
		case "event":
			if m["event"] == "stopped" {
				stops = append(stops, body)
			}
		case "response":
			answers++
			if m["request_seq"] != float64(answers) || m["command"] != c.names[answers-1] {
				t.Errorf("answer %d is %v", answers, m)
			}
			if ok := m["command"] != "nothing"; m["success"] != ok {
				t.Errorf("%v", m)
			}
			switch m["command"] {
			case "stackTrace":
				stacks = append(stacks, body)
			case "variables":
				vars = append(vars, body)
			}
		default:
			t.Errorf("a message is %v", m)
		}
	}
	if answers != c.seq || len(stops) != 7 || len(stacks) != 7 {
		t.Fatalf("%d answers of %d, %d stops, %d stacks", answers, c.seq, len(stops), len(stacks))
	}
	stack := func(i int) string {
		var parts []string
		for _, f := range stacks[i]["stackFrames"].([]any) {
			x := f.(map[string]any)
			parts = append(parts, fmt.Sprintf("%v:%v", x["name"], x["line"]))
		}
		return strings.Join(parts, " < ")
	}
	values := func(i int) map[string]string {
		out := map[string]string{}
		for _, v := range vars[i]["variables"].([]any) {
			x := v.(map[string]any)
			out[x["name"].(string)] = x["value"].(string)
		}
		return out
	}
	for i, want := range []string{"total:17", "total:18", "", "total:18", "", "total:17", "total:17"} {
		if got := stack(i); want != "" && got != want {
			t.Errorf("stop %d is at %s, want %s", i, got, want)
		}
	}
	if got := stack(2); !strings.HasSuffix(got, ":7 < total:18") {
		t.Errorf("the call is at %s", got)
	}
	if v := values(0); v["k"] != "1" || v["first"] != "8" || v["i"] != "[9, 10, 11, 12, …]" ||
		v["acc"] != "[2, 2, 2, 2, …] from 2 to 2" {
		t.Errorf("before the second load: %v", v)
	}
	if v := values(2); v["v"] != "[1, 1, 1, 1, …] from 1 to 1" || v["k"] != "" {
		t.Errorf("in the function: %v", v)
	}
	if fmt.Sprint(values(5)) != fmt.Sprint(values(0)) {
		t.Errorf("going back shows %v, before it was %v", values(5), values(0))
	}
	if s := stops[6]; s["reason"] != "exception" ||
		!strings.Contains(fmt.Sprint(s["text"]), "out of bounds load") {
		t.Errorf("the last stop is %v", s)
	}
	if v := values(6); v["k"] != "2" || v["i"] != "[10, 11, 12, 13, …]" {
		t.Errorf("where it fails: %v", v)
	}
}

// TestDebugFault: steps that come to the last line show the fault of that line, and then the end.
func TestDebugFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "total.py")
	if err := os.WriteFile(file, []byte(debugged), 0o644); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t}
	c.w = frame.NewWriter(&c.in)
	c.ask("initialize", nil)
	c.ask("launch", map[string]any{"program": 1, "stopOnEntry": false})
	c.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": file},
		"breakpoints": []any{map[string]any{"line": 17, "condition": "k == 2"}}})
	c.ask("configurationDone", nil)
	c.ask("next", nil)
	c.ask("next", nil)
	c.ask("stepBack", nil)
	c.ask("continue", nil)
	c.ask("continue", nil)
	c.ask("disconnect", nil)
	var events []string
	for _, m := range c.run(file+":total", "x_ptr=fp32[17]:ones", "y_ptr=fp32[16]", "n=16", "BLOCK=8", "--grid",
		"2") {
		body, _ := m["body"].(map[string]any)
		if m["type"] == "event" && m["event"] != "initialized" {
			events = append(events, fmt.Sprint(m["event"], " ", body["reason"]))
		}
	}
	want := []string{"stopped breakpoint", "stopped exception", "terminated <nil>", "stopped step",
		"stopped breakpoint", "stopped exception"}
	if !slices.Equal(events, want) {
		t.Errorf("the events are %q, not %q", events, want)
	}
}
