package nereid_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
)

const metadataSource = `
import triton
import triton.language as tl

def entry(specialization):
    c, s = specialization.constants, specialization.signature
    return f"scale_{s['x_ptr'][1:]}_{s['BLOCK']}_{c['BLOCK']}"

def metadata(grid, kernel, args):
    x = args["x_ptr"]
    ret = {"name": f"{kernel.name} [n={args['n']}, grid={grid[0]}]"}
    ret["flops32"] = float(args["n"])
    ret["bytes"] = 2 * x.element_size() * x.numel()
    ret["warps"], ret["block"], ret["shared"] = kernel.num_warps, args["BLOCK"], kernel.shared
    return ret

@triton.jit(repr=entry, launch_metadata=metadata)
def scale(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)
`

// TestLaunchMetadata: the function under repr= names the code's entry, and hooks of launches see the stream,
// the arguments, the code and what the function under launch_metadata= says of them; a repeated launch the
// same.
func TestLaunchMetadata(t *testing.T) {
	for _, dev := range []string{"interp", "cpu", "sim:90", "sim:gfx942"} {
		t.Run(dev, func(t *testing.T) {
			var seen []string
			var streams []*nereid.Stream
			hook := func(l nereid.Launching) {
				meta, err := l.Metadata()
				if err != nil {
					t.Error(err)
				}
				var list []string
				for _, a := range l.Args() {
					v := a.Value
					if x, ok := v.(*nereid.Tensor); ok {
						v = fmt.Sprint(x.DType, x.Shape)
					}
					list = append(list, fmt.Sprint(a.Name, "=", v))
				}
				streams = append(streams, l.Stream)
				seen = append(seen, fmt.Sprint(l.Entry, " ", l.Grid, " ", strings.Join(list, " "), " ", meta))
			}
			conf := nereid.Config{Hooks: nereid.Hooks{BeforeLaunch: hook}}
			m, err := nereid.Parse("k.py", []byte(metadataSource), nereid.With(conf))
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("scale")
			if err != nil {
				t.Fatal(err)
			}
			x, s := nereid.FromSlice(make([]float32, 70)), stream(t, dev)
			x.Shape = []int{7, 10}
			for range 3 {
				err := k.Launch(s, nereid.Grid{3}, x, 70, nereid.Arg("BLOCK", 32),
					nereid.Options{NumWarps: 2})
				if err != nil {
					t.Fatal(err)
				}
			}
			want := "scale_fp32_constexpr_32 (3, 1, 1) x_ptr=fp32 [7 10] n=70 BLOCK=32 map[block:32 bytes:560 " +
				"flops32:70 name:scale_fp32_constexpr_32 [n=70, grid=3] shared:0 warps:2]"
			if len(seen) != 3 {
				t.Fatalf("%d launches were seen", len(seen))
			}
			for i, got := range seen {
				if got != want || streams[i] != s {
					t.Errorf("launch %d: got  %s\nwant %s", i, got, want)
				}
			}
		})
	}
}

// TestMetadataValues: a hook gets what the function under launch_metadata= returns as values of Go: nested
// containers, keys of dictionaries that are not strings, and integers too large for int64.
func TestMetadataValues(t *testing.T) {
	const returned = `{"none": None, "yes": True, "text": "a", "int": -7, "large": 2**70, "float": 0.5,
        "tuple": (1, (2.5, "b")), "list": [], "type": tl.float32,
        "inside": {1: "int", 2.5: [None], None: 0, (1, 2): "pair", "key": {True: 1}}}`
	want := map[string]any{
		"none": nil, "yes": true, "text": "a", "int": int64(-7), "large": 0x1p70, "float": 0.5,
		"tuple": []any{int64(1), []any{2.5, "b"}}, "list": []any{}, "type": "triton.language.float32",
		"inside": map[string]any{"1": "int", "2.5": []any{nil}, "None": int64(0), "(1, 2)": "pair",
			"key": map[string]any{"True": int64(1)}},
	}
	at, end := strings.Index(metadataSource, "    x = args"), strings.Index(metadataSource, "@triton.jit(")
	source := metadataSource[:at] + "    return " + returned + "\n\n" + metadataSource[end:]
	var got []map[string]any
	hook := func(l nereid.Launching) {
		meta, err := l.Metadata()
		if err != nil {
			t.Error(err)
		}
		got = append(got, meta)
	}
	conf := nereid.Config{Hooks: nereid.Hooks{BeforeLaunch: hook}}
	k := kernelOf(t, "k.py", source, "scale", nereid.With(conf))
	x := nereid.FromSlice(make([]float32, 32))
	if err := k.Launch(stream(t, "interp"), nereid.Grid{1}, x, 32, nereid.Arg("BLOCK", 32)); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}

// TestReprNames: the name under repr= is that of the function in every stage and in the description of the
// code; the kernel keeps its own. What is no name is refused.
func TestReprNames(t *testing.T) {
	m, err := nereid.Parse("k.py", []byte(metadataSource))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("scale")
	if err != nil {
		t.Fatal(err)
	}
	const name = "scale_fp16_constexpr_64"
	for _, c := range []struct{ target, stage, want string }{
		{"cuda:90", "ttir", "tt.func public @" + name + "("},
		{"cuda:90", "ptx", ".entry " + name + "("},
		{"hip:gfx942", "amdgcn", ".amdhsa_kernel " + name},
	} {
		got, err := k.CompileFor(t.Context(), c.target, "*fp16, i32, 64", nereid.Options{}, c.stage)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(got.Stage(c.stage)), c.want) {
			t.Errorf("%s has no %q", c.stage, c.want)
		}
	}
	bad := strings.Replace(metadataSource, `f"scale_`, `f"scale `, 1)
	if m, err = nereid.Parse("k.py", []byte(bad)); err != nil {
		t.Fatal(err)
	}
	if k, err = m.Kernel("scale"); err != nil {
		t.Fatal(err)
	}
	_, err = k.CompileFor(t.Context(), "cuda:90", "*fp16, i32, 64", nereid.Options{}, "ttir")
	want := "repr= of scale returns 'scale fp16_constexpr_64', which is no name of a function"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}
