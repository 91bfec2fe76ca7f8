package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/internal/view"
)

// page runs nereid view and returns the data of the page.
func page(t *testing.T, args ...string) *view.Model {
	t.Helper()
	t.Setenv(knob.Lines.Name(), "1") // view sets it: it is put back
	var out, errs bytes.Buffer
	if code := Main(append([]string{"view", "--html", "-"}, args...), nil, &out, &errs); code != 0 {
		t.Fatalf("nereid view %s: %s", strings.Join(args, " "), &errs)
	}
	_, data, _ := strings.Cut(out.String(), `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	m := &view.Model{}
	if err := json.Unmarshal([]byte(data), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestViewMemory compares the shared memory that the page draws with what a launch asks for, on samples with
// products, reductions and conversions of layouts.
func TestViewMemory(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	text, err := os.ReadFile("../kernels/specs.json")
	if err != nil {
		t.Fatal(err)
	}
	var specs []struct {
		Name, File, Kernel, Signature string
		NumWarps                      int `json:"num_warps"`
		NumStages                     int `json:"num_stages"`
	}
	if err := json.Unmarshal(text, &specs); err != nil {
		t.Fatal(err)
	}
	targets := []string{"cuda:90", "cuda:80", "hip:gfx942"}
	dir := t.TempDir()
	for _, s := range specs {
		if !slices.Contains([]string{"softmax_f16_2048", "matmul_bf16_relu", "attention_d64"}, s.Name) {
			continue
		}
		m := page(t, "../kernels/"+s.File+":"+s.Kernel, "--signature", s.Signature, "--target",
			strings.Join(targets, ","), "--num-warps", fmt.Sprint(s.NumWarps), "--num-stages",
			fmt.Sprint(s.NumStages))
		for i, target := range targets {
			var out bytes.Buffer
			if code := Main([]string{"compile", "--specs", "../kernels/specs.json", "--only", s.Name, "--target",
				target, "--emit", "json", "-o", dir}, nil, &out, &out); code != 0 {
				t.Fatalf("%s", &out)
			}
			var want struct{ Shared int }
			text, err := os.ReadFile(filepath.Join(dir, s.Name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			if got := m.Targets[i].Memory.Shared; got != want.Shared || got == 0 {
				t.Errorf("%s, %s: the page draws %d bytes of shared memory, a launch asks for %d", s.Name,
					target, got, want.Shared)
			}
		}
	}
}

// sharing has two buffers that live one after the other, and one that lives beside both.
const sharing = `import triton
import triton.language as tl


@triton.jit
def twice(x_ptr, y_ptr, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(x_ptr + i)
    a = tl.sum(x)
    b = tl.max(x * a)
    tl.store(y_ptr + i, x + b)
`

// TestViewCounts compares what the page says of a small kernel with counts by hand.
func TestViewCounts(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	file := filepath.Join(t.TempDir(), "twice.py")
	if err := os.WriteFile(file, []byte(sharing), 0o644); err != nil {
		t.Fatal(err)
	}
	m := page(t, file, "x_ptr=fp32[256]", "y_ptr=fp32[256]", "B=256", "--target", "cuda:90", "--beside-config",
		"B=128 num_warps=2")
	mem := m.Targets[0].Memory
	lines := m.Targets[0].Stages[slices.IndexFunc(m.Targets[0].Stages, func(s view.Stage) bool {
		return s.Name == "ttgir"
	})].Lines
	// Four warps leave a float each: 16 bytes for the sum, and the same bytes for the maximum after it.
	if len(mem.Buffers) != 2 || mem.Shared != 16 {
		t.Fatalf("%d buffers in %d bytes, want 2 in 16", len(mem.Buffers), mem.Shared)
	}
	for _, b := range mem.Buffers {
		if b.Op != "tt.reduce" || b.Lo != 0 || b.Hi != 16 || !strings.Contains(lines[b.At-1], "tt.reduce") {
			t.Errorf("the buffer is %+v, at line %q", b, lines[b.At-1])
		}
	}
	if a, b := mem.Buffers[0], mem.Buffers[1]; a.To >= b.From {
		t.Errorf("the sum's buffer is in use until line %d, the maximum's from %d on", a.To, b.From)
	}
	// A thread holds two of 256 elements. Where warps exchange the maximum, these and the address of the
	// result live at least; where it stores, nothing is left.
	ptx := m.Targets[0].Stages[len(m.Targets[0].Stages)-1]
	for i, line := range ptx.Lines {
		n := mem.Registers[i]
		switch {
		case strings.Contains(line, "bar.sync") && n < 4:
			t.Errorf("%d registers at %q, want 2 elements and the 2 words of an address", n, line)
		case (strings.Contains(line, "st.global") || strings.Contains(line, "\tret;")) && n != 0:
			t.Errorf("%d registers after %q, want none", n, line)
		}
	}
	o := m.Beside
	if o == nil || o.Label != "B=128, num_warps=2" || o.Own != "B=256, num_warps=4" ||
		o.Targets[0].Memory.Shared != 8 {
		t.Errorf("beside it is %+v", o)
	}
	if o.Cost == nil || o.Cost.Error != "" || len(o.Cost.Lines) == 0 {
		t.Errorf("the other was not simulated: %+v", o.Cost)
	}
}

// TestViewBeside: what cannot be compared is refused by name; another kernel gets the arguments that it has.
func TestViewBeside(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	file := filepath.Join(t.TempDir(), "two.py")
	text := sharing + `

@triton.jit
def once(x_ptr, y_ptr, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{file + ":twice", "x_ptr=fp32[256]", "y_ptr=fp32[256]", "B=256", "--target", "cuda:90"}
	m := page(t, append(slices.Clone(args), "--beside", file+":once", "--beside-config", "n=200",
		"--beside-triton", "3.9")...)
	if m.Beside.Title != "two.py:once" || m.Beside.Label != "Triton 3.9, n=200" {
		t.Errorf("beside it is %s (%s)", m.Beside.Title, m.Beside.Label)
	}
	for flag, want := range map[string]string{
		"--beside-config=C=3":         "twice has no parameter C",
		"--beside-config=num_warps=x": "num_warps wants a number",
		"--beside-config=B":           "is not NAME=VALUE",
		"--beside-triton=2.0":         "there is no Triton",
	} {
		var out, errs bytes.Buffer
		code := Main(append([]string{"view", "--html", "-", flag}, args...), nil, &out, &errs)
		if code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit %d, %s", flag, code, &errs)
		}
	}
	if got := splitWords(`A=1  S='(1, 2)' T=(3, 4) N="x y"`); !slices.Equal(got,
		[]string{"A=1", "S='(1, 2)'", "T=(3, 4)", `N="x y"`}) {
		t.Errorf("the words are %q", got)
	}
}

// TestViewAMD: the page counts what a launch does on AMD's simulated GPUs, and draws the loads of the first
// workgroup up to the waits for them. Four waves of 64 lanes have 1,024 bytes each way, 16 requests of 64.
func TestViewAMD(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	file := filepath.Join(t.TempDir(), "twice.py")
	if err := os.WriteFile(file, []byte(sharing), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, chip := range []string{"gfx942", "gfx1100"} {
		c := page(t, file, "x_ptr=fp32[256]", "y_ptr=fp32[256]", "B=256", "--target", "hip:"+chip).Cost
		if c == nil || c.Error != "" || c.Device != "sim:"+chip || c.Piece != 64 || c.Peak == nil {
			t.Fatalf("%s: %+v", chip, c)
		}
		of := func(line string) view.LineCost {
			return c.Lines[slices.IndexFunc(c.Lines, func(l view.LineCost) bool { return l.Place == line })]
		}
		if l := of("twice.py:8"); l.Loaded != 1024 || l.Sectors != 16 {
			t.Errorf("%s: the load is %+v", chip, l)
		}
		if l := of("twice.py:11"); l.Stored != 1024 || l.Sectors != 16 {
			t.Errorf("%s: the store is %+v", chip, l)
		}
		i := slices.IndexFunc(c.Chart.Marks, func(b view.ChartBar) bool { return b.Kind == "load" })
		if i < 0 || c.Chart.Marks[i].To <= c.Chart.Marks[i].From+1 || c.Chart.Marks[i].Line != 8 {
			t.Errorf("%s: the load is not drawn up to its wait: %+v", chip, c.Chart.Marks)
		}
	}
	c := page(t, file, "x_ptr=fp32[256]", "y_ptr=fp32[256]", "B=256", "--target", "hip:gfx950").Cost
	if c == nil || !strings.Contains(c.Error, "sim:gfx950") {
		t.Errorf("a chip without a simulator: %+v", c)
	}
	c = page(t, file, "x_ptr=fp32[256]", "y_ptr=fp32[256]", "B=256", "--target", "cpu").Cost
	if c == nil || !strings.Contains(c.Error, "--target cuda:90 or hip:gfx942") {
		t.Errorf("without a GPU: %+v", c)
	}
}
