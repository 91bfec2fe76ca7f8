package ptx

import (
	"fmt"
	"strings"
	"testing"
)

// TestReadHeader reads what PTX tells about its entry functions.
func TestReadHeader(t *testing.T) {
	text := `
.version 8.3
.target sm_90a, debug
.address_size 64
.extern .shared .align 16 .b8 global_smem[];
.func helper(.param .b32 x) { ret; }
.visible .entry first(
	.param .u64 .ptr .global .align 1 first_param_0,
	.param .align 64 .b8 first_param_1[128],
	.param .f32 first_param_2
)
.explicitcluster
.reqnctapercluster 2, 1, 1
.reqntid 32, 4
{ ret; }
.entry second() .maxntid 64 { ret; }
`
	for _, c := range []struct{ text, kernel, want string }{
		{text, "first", "first sm_90a [{u64 true 8} {b8 false 128} {f32 false 4}] 128 threads, cluster 2, " +
			"dynamic true"},
		{text, "second", "second sm_90a [] 64 threads, cluster 1, dynamic true"},
		{text, "", "the PTX has 2 entry functions, one of which has to be named: first, second"},
		{text, "third", "the PTX has no entry function third: it has first, second"},
		{".version 8.3\n", "", "the PTX has no entry function"},
		{".entry k(.param .pred x) { ret; }", "", `parameter 0 of k: ".param .pred x" is no parameter`},
		{".entry k(.param .b1 x) { ret; }", "", "parameter 0 of k: unknown type .b1"},
		{".entry k { ret; }", "", "k  [] 0 threads, cluster 1, dynamic false"},
	} {
		h, err := ReadHeader([]byte(c.text), c.kernel)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%s %s %v %d threads, cluster %d, dynamic %v", h.Name, h.Arch, h.Params,
				h.Threads, h.Cluster, h.Dynamic)
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%q: got %s, want %s", c.kernel, got, c.want)
		}
	}
}
