package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/knob"
)

// i32s and f32s are the bytes of elements.
func i32s(vs ...int32) []byte { return elements(vs) }

func f32s(vs ...float32) []byte { return elements(vs) }

func elements(vs any) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, vs)
	return b.Bytes()
}

// writeCase writes a recorded launch of the kernel k.
func writeCase(t *testing.T, dir, file string, grid int, args []map[string]any,
	sections map[string][]byte) string {
	t.Helper()
	var list []string
	for _, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.ReplaceAll(string(text), `"-inf"`, "-Infinity"))
	}
	launch := fmt.Sprintf(`{"file":%q,"kernel":"k","grid":[%d,1,1],"options":{"num_warps":4},"args":[%s]}`,
		file, grid, strings.Join(list, ","))
	header := map[string]any{"__metadata__": map[string]string{"launch": launch}}
	var body []byte
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		at := len(body)
		body = append(body, sections[name]...)
		header[name] = map[string]any{"dtype": "U8", "shape": []int{len(sections[name])},
			"data_offsets": []int{at, len(body)}}
	}
	h, _ := json.Marshal(header)
	path := filepath.Join(dir, "0000-k.safetensors")
	if err := os.WriteFile(path, append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))),
		append(h, body...)...), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func recordedTensor(name, storage, dtype string, n int) map[string]any {
	return map[string]any{"name": name, "kind": "tensor", "storage": storage, "dtype": dtype, "offset": 0,
		"shape": []int{n}, "strides": []int{1}}
}

func recordedTuple(name string, items ...any) map[string]any {
	list := make([]map[string]any, len(items))
	for i, item := range items {
		if m, ok := item.(map[string]any); ok {
			list[i] = m
			continue
		}
		list[i] = map[string]any{"kind": "int", "value": item}
	}
	return map[string]any{"name": name, "kind": "tuple", "items": list}
}

// TestReplayRenamed: a kernel that was written out under the name of the function that it was made from.
func TestReplayRenamed(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	src := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef one(p):\n    return 1\n\n\n" +
		"@triton.jit\ndef template(p):\n    tl.store(p, one(p))\n"
	if err := os.WriteFile(filepath.Join(dir, "src", "k.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	path := writeCase(t, dir, "@/k.py", 1, []map[string]any{recordedTensor("p", "s0", "i32", 1)},
		map[string][]byte{"in/s0": i32s(0), "out/s0": i32s(1)})
	cmd, out := newReplayCmd(), &bytes.Buffer{}
	cmd.SetOut(out)
	cmd.SetArgs([]string{"--device", "interp", "--root", dir, path})
	if err := cmd.Execute(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReplayGuesses: launches of which the file does not say everything, or which rely on what a GPU does.
func TestReplayGuesses(t *testing.T) {
	nan := float32(math.NaN())
	desc := map[string]any{"name": "d", "kind": "descriptor", "storage": "s0", "dtype": "fp32", "offset": 0,
		"shape": []int{2, 4}, "strides": []int{4, 1}, "block_shape": []int{4, 4}}
	for name, c := range map[string]struct {
		body     string
		params   string
		grid     int
		args     []map[string]any
		sections map[string][]byte
		flags    []string
		fails    string
	}{
		"the last of the programs that store to one address": {
			params: "p", body: "tl.store(p, tl.program_id(0))", grid: 200,
			args:     []map[string]any{recordedTensor("p", "s0", "i32", 1)},
			sections: map[string][]byte{"in/s0": i32s(0), "out/s0": i32s(199)},
		},
		"none of them": {
			params: "p", body: "tl.store(p, tl.program_id(0))", grid: 200,
			args:     []map[string]any{recordedTensor("p", "s0", "i32", 1)},
			sections: map[string][]byte{"in/s0": i32s(0), "out/s0": i32s(200)},
			fails:    "p: 1 of 1 elements differ",
		},
		"reads before and behind a tensor": {
			params: "p", body: "i = tl.arange(0, 8)\n    x = tl.load(p + i * 1000 - 4000)\n    tl.store(p " +
				"+ i, x, mask=i < 1)", grid: 1,
			args:     []map[string]any{recordedTensor("p", "s0", "i32", 4)},
			sections: map[string][]byte{"in/s0": i32s(7, 8, 9, 10), "out/s0": i32s(0, 8, 9, 10)},
		},
		"such reads when they are looked for": {
			params: "p", body: "i = tl.arange(0, 8)\n    x = tl.load(p + i)\n    tl.store(p + i, x, " +
				"mask=i < 1)", grid: 1,
			args:     []map[string]any{recordedTensor("p", "s0", "i32", 4)},
			sections: map[string][]byte{"in/s0": i32s(7, 8, 9, 10)}, flags: []string{"--check"},
			fails: "out of bounds load",
		},
		"an infinite argument": {
			params: "p, x", body: "tl.store(p, x)", grid: 1,
			args: []map[string]any{recordedTensor("p", "s0", "fp32", 1),
				{"name": "x", "kind": "float", "value": "-inf"}},
			sections: map[string][]byte{"in/s0": f32s(0), "out/s0": f32s(float32(math.Inf(-1)))},
		},
		"a tuple with a constant": {
			params: "p, t", body: "tl.static_assert(t[1][0] == 5)\n    tl.store(p, t[0] + t[1][0])", grid: 1,
			args: []map[string]any{recordedTensor("p", "s0", "i32", 1),
				recordedTuple("t", 2, recordedTuple("", 5))},
			sections: map[string][]byte{"in/s0": i32s(0), "out/s0": i32s(7)},
		},
		"named tuples": {
			params: "p, t", grid: 1, args: []map[string]any{recordedTensor("p", "s0", "i32", 1),
				recordedTuple("t", 2, recordedTuple("", 5, 6, 7))},
			body: `tl.store(p, t.first + t.rest.c)


class Two(NamedTuple):
    first: tl.tensor
    rest: tuple

Three = namedtuple("Three", ["a", "b", "c"])`,
			sections: map[string][]byte{"in/s0": i32s(0), "out/s0": i32s(9)},
		},
		"a descriptor that pads with NaN": {
			params: "d, p", body: "x = d.load([0, 0])\n    i = tl.arange(0, 4)\n    tl.store(p + i[:, " +
				"None] * 4 + i[None, :], x)", grid: 1,
			args: []map[string]any{desc, recordedTensor("p", "s1", "fp32", 16)},
			sections: map[string][]byte{"in/s0": f32s(1, 2, 3, 4, 5, 6, 7, 8), "in/s1": make([]byte, 64),
				"out/s1": f32s(1, 2, 3, 4, 5, 6, 7, 8, nan, nan, nan, nan, nan, nan, nan, nan)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			// --check sets it for the process: the next case is not to see it
			t.Setenv(knob.Checked.Name(), "")
			dir := t.TempDir()
			src := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(" + c.params +
				"):\n    " + c.body + "\n"
			if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(src), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd, out := newReplayCmd(), &bytes.Buffer{}
			cmd.SetOut(out)
			cmd.SetArgs(append(c.flags, "--device", "interp", "--root", dir,
				writeCase(t, dir, "k.py", c.grid, c.args, c.sections)))
			err := cmd.Execute()
			if (err == nil) != (c.fails == "") || !strings.Contains(out.String(), c.fails) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestReplayEmpty: a launch without programs leaves memory as it is, whichever dimension is zero.
func TestReplayEmpty(t *testing.T) {
	dir := t.TempDir()
	src := "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(p):\n    tl.store(p, 1)\n"
	if err := os.WriteFile(filepath.Join(dir, "k.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	path := writeCase(t, dir, "k.py", 1, []map[string]any{recordedTensor("p", "s0", "i32", 1)},
		map[string][]byte{"in/s0": i32s(5)})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, grid := range []string{"[0,1,1]", "[1,0,1]", "[1,1,0]"} {
		empty := bytes.Replace(whole, []byte("[1,1,1]"), []byte(grid), 1)
		if err := os.WriteFile(path, empty, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd, out := newReplayCmd(), &bytes.Buffer{}
		cmd.SetOut(out)
		cmd.SetArgs([]string{"--device", "interp", "--root", dir, path})
		if err := cmd.Execute(); err != nil {
			t.Errorf("%s: %v\n%s", grid, err, out)
		}
	}
}

// TestReplayWritten: a kernel below the root takes a function that was written out.
func TestReplayWritten(t *testing.T) {
	dir, head := t.TempDir(), "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"
	for name, text := range map[string]string{
		"root/k.py":    "def k(p, fs):\n    tl.store(p, fs[0](tl.load(p)))\n",
		"src/twice.py": "def twice(x):\n    return x * 2\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(head+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	twice := map[string]any{"kind": "function", "value": "twice", "file": "@/twice.py", "constexpr": true}
	args := []map[string]any{recordedTensor("p", "s0", "i32", 1),
		{"name": "fs", "kind": "tuple", "constexpr": false, "items": []map[string]any{twice}}}
	path := writeCase(t, dir, "k.py", 1, args, map[string][]byte{"in/s0": i32s(4), "out/s0": i32s(8)})
	cmd, out := newReplayCmd(), &bytes.Buffer{}
	cmd.SetOut(out)
	cmd.SetArgs([]string{"--device", "interp", "--root", filepath.Join(dir, "root"), path})
	if err := cmd.Execute(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestReplayLost: a kernel that was written out without the helpers of its helpers.
func TestReplayLost(t *testing.T) {
	dir := t.TempDir()
	head := "import triton\nimport triton.language as tl\n\n\n"
	one := "@triton.jit\ndef one(x):\n    return two(x) + ONE\n\n\n"
	for name, text := range map[string]string{
		"src/k.py": head + one +
			"@triton.jit\ndef k(p):\n    tl.store(p, one(tl.load(p)))\n", "root/tests/other.py": head +
			"@triton.jit\ndef two(x):\n    return x * 7\n",
		"root/lib/pkg/__init__.py":     "",
		"root/lib/pkg/ops/__init__.py": "",
		"root/lib/pkg/ops/helpers.py": head +
			"from .more import three\n\nONE: tl.constexpr = tl.constexpr(100)\n\n\n" + one +
			"@triton.jit\ndef two(x):\n    return three(x) * 2\n", "root/lib/pkg/ops/more.py": head +
			"@triton.jit\ndef three(x):\n    return x + 3\n",
		"root/.hidden/pkg/ops/more2.py": head + one + "ONE = 5\n\n\n@triton.jit\ndef k():\n    pass\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []map[string]any{recordedTensor("p", "s0", "i32", 1)}
	path := writeCase(t, dir, "@/k.py", 1, args, map[string][]byte{"in/s0": i32s(4), "out/s0": i32s(114)})
	for root, want := range map[string]string{"root": "1 passed, 0 failed", "src": "two is not defined"} {
		cmd, out := newReplayCmd(), &bytes.Buffer{}
		cmd.SetOut(out)
		cmd.SetArgs([]string{"--device", "interp", "--root", filepath.Join(dir, root), path})
		if err := cmd.Execute(); (err == nil) != (root == "root") || !strings.Contains(out.String(), want) {
			t.Errorf("root %s: %v\n%s", root, err, out)
		}
	}
}

// TestReplayLostOfTriton: a kernel that was written out with a function of triton.tools that calls another.
func TestReplayLostOfTriton(t *testing.T) {
	dir := t.TempDir()
	src := "import triton\nimport triton.language as tl\n\n\n" +
		"@triton.jit\ndef end(start, size):\n    _, y, _ = to_ragged_indices(start, size, 0)\n    return y\n\n\n" +
		"@triton.jit\ndef k(p):\n    tl.store(p, end(tl.load(p), 5))\n"
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "src", "k.py"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []map[string]any{recordedTensor("p", "s0", "i32", 1)}
	path := writeCase(t, dir, "@/k.py", 1, args, map[string][]byte{"in/s0": i32s(4), "out/s0": i32s(9)})
	cmd, out := newReplayCmd(), &bytes.Buffer{}
	cmd.SetOut(out)
	cmd.SetArgs([]string{"--device", "interp", "--root", filepath.Join(dir, "src"), path})
	if err := cmd.Execute(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
