package test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/replay"
)

// recorded is a launch recorded from Triton, written for the test program: a text that describes it, and the
// memory before it.
type recorded struct {
	c     *replay.Case
	file  string
	names []string // of the storages, in order
}

// writeCase writes a recorded launch to a folder.
func writeCase(t *testing.T, dir, path string) *recorded {
	t.Helper()
	c, err := replay.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".safetensors")
	r := &recorded{c: c, file: filepath.Join(dir, name), names: slices.Sorted(maps.Keys(c.Before))}
	var text strings.Builder
	fmt.Fprintln(&text, filepath.ToSlash(c.Source(".")), c.Kernel)
	fmt.Fprintln(&text, c.Grid[0], c.Grid[1], c.Grid[2])
	number := func(name string) int64 {
		n, _ := c.Options[name].(int64)
		return n
	}
	fmt.Fprintln(&text, number("num_warps"), number("num_stages"), number("num_ctas"), number("maxnreg"), 0)
	fmt.Fprintln(&text, len(r.names))
	var before []byte
	for _, s := range r.names {
		fmt.Fprintln(&text, len(c.Before[s]))
		before = append(before, c.Before[s]...)
	}
	fmt.Fprintln(&text, len(c.Args))
	for i := range c.Args {
		r.writeArg(t, &text, &c.Args[i], true)
	}
	for file, data := range map[string][]byte{r.file: []byte(text.String()), r.file + ".before": before} {
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// writeArg writes an argument, or an item of a tuple.
func (r *recorded) writeArg(t *testing.T, b *strings.Builder, a *replay.Arg, whole bool) {
	t.Helper()
	name, constant := a.Name, 0
	if name == "" {
		name = "-"
	}
	if a.Constexpr && !whole {
		constant = 1
	}
	kind := a.Kind
	if _, ok := a.Value.(uint64); ok {
		kind = "uint"
	}
	fmt.Fprint(b, kind, " ", name, " ", constant, " ")
	switch a.Kind {
	case replay.Tensor:
		r.writePlace(t, b, a)
	case replay.Descriptor:
		r.writePlace(t, b, a)
		fmt.Fprint(b, " ", len(a.Shape))
		for _, n := range slices.Concat(a.Shape, a.Strides, a.BlockShape) {
			fmt.Fprint(b, " ", n)
		}
		fmt.Fprint(b, " ", bit(a.NaN))
	case replay.Int:
		fmt.Fprintf(b, "%d", a.Value)
	case replay.Float:
		fmt.Fprintf(b, "%d", int64(math.Float64bits(a.Value.(float64))))
	case replay.Bool:
		fmt.Fprint(b, bit(a.Value.(bool)))
	case replay.String:
		fmt.Fprint(b, "x", hex.EncodeToString([]byte(a.Value.(string))))
	case replay.Function:
		file := filepath.ToSlash(r.c.Resolve(".", a.File))
		fmt.Fprint(b, "x", hex.EncodeToString([]byte(file+":"+a.Value.(string))))
	case replay.Dtype:
		fmt.Fprint(b, dtypeOf(t, fmt.Sprint(a.Value)))
	case replay.Tuple:
		fmt.Fprintln(b, len(a.Items))
		for i := range a.Items {
			r.writeArg(t, b, &a.Items[i], false)
		}
	}
	fmt.Fprintln(b)
}

func (r *recorded) writePlace(t *testing.T, b *strings.Builder, a *replay.Arg) {
	t.Helper()
	fmt.Fprint(b, dtypeOf(t, a.Dtype), " ", slices.Index(r.names, a.Storage), " ", a.Offset)
}

func dtypeOf(t *testing.T, name string) int {
	t.Helper()
	dt, err := nereid.DTypeOf(name)
	if err != nil {
		t.Fatal(err)
	}
	return int(dt)
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compare holds the memory after the program's launch to what was recorded.
func (r *recorded) compare(t *testing.T) {
	t.Helper()
	after, err := os.ReadFile(r.file + ".after")
	if err != nil {
		t.Error(err)
		return
	}
	got := map[string][]byte{}
	for _, s := range r.names {
		n := len(r.c.Before[s])
		if n > len(after) {
			t.Errorf("%s: the memory after the launch ends too early", r.file)
			return
		}
		got[s], after = after[:n], after[n:]
	}
	_, err = r.c.Compare(got)
	if err == nil {
		return
	}
	// It may have been computed with less precision than its types say, which only the kernel's IR tells.
	if ir, e := os.ReadFile(r.file + ".ir"); e == nil && r.c.LessPrecise(ir) {
		_, err = r.c.Compare(got)
	}
	if err != nil {
		t.Errorf("%s: %v", filepath.Base(r.file), err)
	}
}
