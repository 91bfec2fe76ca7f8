package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/frame"
)

// TestDebugWatch: memory that is watched stops the program at the lines that load or store it, in both
// directions; pointers are elements of tensors; the variables of a calling function, elements and expressions
// can be asked for; what cannot be is told why.
func TestDebugWatch(t *testing.T) {
	file := filepath.Join(t.TempDir(), "total.py")
	if err := os.WriteFile(file, []byte(pointing), 0o644); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t}
	c.w = frame.NewWriter(&c.in)
	watch := func(id, access string) {
		c.ask("setDataBreakpoints", map[string]any{"breakpoints": []any{
			map[string]any{"dataId": id, "accessType": access, "condition": ""}}})
	}
	c.ask("initialize", map[string]any{"adapterID": "nereid"})
	c.ask("launch", map[string]any{"program": 1, "stopOnEntry": false})
	c.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": file},
		"breakpoints": []any{map[string]any{"line": 7}, map[string]any{"line": 2}}})
	c.ask("configurationDone", nil) // stops in scaled
	for _, name := range []string{"x_ptr[17]", "y_ptr[16]", "at[15]", "at", "n", "none", "at[99]",
		"at[1, 2]"} {
		c.ask("dataBreakpointInfo", map[string]any{"name": name, "frameId": 2})
	}
	c.ask("dataBreakpointInfo", map[string]any{"name": "0x28000000044", "asAddress": true, "bytes": 4})
	c.ask("dataBreakpointInfo", map[string]any{"name": "here", "asAddress": true})
	for _, text := range []string{"at", "at[15]", "i[0]", "k + first", "v"} {
		c.ask("evaluate", map[string]any{"expression": text, "frameId": 2})
	}
	c.ask("setBreakpoints", map[string]any{"source": map[string]any{"path": file}, "breakpoints": []any{}})
	watch("0x18000000044:4", "readWrite") // x_ptr[17], which is loaded twice: before, and now at k 1
	c.ask("continue", nil)
	watch("0x28000000044:4", "write") // y_ptr[17]
	c.ask("continue", nil)
	watch("0x18000000044:4", "read")
	c.ask("reverseContinue", nil)
	watch("nothing", "write")
	c.ask("reverseContinue", nil)    // to the beginning
	watch("0x28000000044:4", "read") // which nobody does
	c.ask("continue", nil)
	c.ask("disconnect", nil)
	out := c.run(file+":total", "x_ptr=fp32[64]:arange", "y_ptr=fp32[64]", "n=64", "BLOCK=16", "--grid", "2")
	checkSchema(t, out)
	var got []string
	for _, m := range out {
		body, _ := m["body"].(map[string]any)
		switch {
		case m["event"] == "stopped":
			got = append(got, fmt.Sprint("stopped: ", body["reason"], " ", body["text"]))
		case m["event"] == "terminated":
			got = append(got, "terminated")
		case m["command"] == "dataBreakpointInfo":
			got = append(got, fmt.Sprint(body["dataId"], " ", body["description"]))
		case m["command"] == "evaluate":
			got = append(got, fmt.Sprint(body["result"], m["message"]))
		case m["command"] == "setBreakpoints", m["command"] == "setDataBreakpoints":
			for _, b := range body["breakpoints"].([]any) {
				x := b.(map[string]any)
				got = append(got, fmt.Sprint(x["verified"], " ", x["message"]))
			}
		}
	}
	want := []string{
		"true <nil>", "false program 1 does not come to this line", "stopped: breakpoint <nil>",
		"0x18000000044:4 x_ptr[17]", "0x28000000040:4 y_ptr[16]", "0x1800000007c:4 x_ptr[31]",
		"<nil> at is a block: choose one of its elements", "<nil> n is no pointer: only memory can be watched",
		`<nil> "none" is no variable here`, "<nil> dimension 0 has the indices 0 to 15",
		"<nil> the value has 1 dimensions", "0x28000000044:4 y_ptr[17]", `<nil> "here" is no address`,
		"[x_ptr[16], x_ptr[17], x_ptr[18], x_ptr[19], …]<nil>", "x_ptr[31]<nil>", "16<nil>", "16<nil>",
		`<nil>"v" is no variable here, and no expression of numbers`,
		"true <nil>", "stopped: data breakpoint load of x_ptr[17]",
		"true <nil>", "stopped: data breakpoint store of y_ptr[17]",
		"true <nil>", "stopped: data breakpoint load of x_ptr[17]",
		`false "nothing" names no memory`, "stopped: entry the program begins here",
		"true <nil>", "terminated",
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got\n%s\nwant\n%s", a, b)
	}
}
