package gen

import (
	"slices"
	"testing"
)

// TestElements: tensors whose elements a kernel uses as indices, counts, bits or addresses hold integers.
func TestElements(t *testing.T) {
	const src = `import triton
import triton.language as tl


@triton.jit
def move(to_ptr, from_ptr, at):
    tl.store(to_ptr + at, tl.load(from_ptr + at))


@triton.jit
def look(table_ptr, x_ptr, i):
    return tl.load(x_ptr + tl.load(table_ptr + i))


@triton.jit
def gather(x_ptr, index_ptr, out_ptr, n):
    i = tl.arange(0, 64)
    at = tl.load(index_ptr + i, mask=i < n, other=0)
    move(out_ptr, x_ptr, at)


@triton.jit
def count(counts_ptr, sums_ptr, x_ptr, n):
    total = 0
    mean = 0.0
    for i in range(0, n):
        total += tl.sum(tl.load(counts_ptr + i * 64 + tl.arange(0, 64)), 0)
        mean += tl.load(x_ptr + i)
    tl.store(counts_ptr, total // 2)
    tl.store(sums_ptr, mean / 2)


@triton.jit
def bits(flags_ptr, starts_ptr, pointers_ptr, out_ptr):
    flag = tl.where(tl.program_id(0) == 0, tl.load(flags_ptr), 1) >> 3
    x_ptr = tl.load(pointers_ptr).to(tl.pointer_type(tl.float32))
    for i in range(tl.load(starts_ptr), 64):
        tl.store(out_ptr + i, tl.load(x_ptr + i) * flag)


@triton.jit
def through(table_ptr, x_ptr, out_ptr):
    tl.store(out_ptr, look(table_ptr, x_ptr, tl.program_id(0)))


@triton.jit
def floats(x_ptr, out_ptr, STAGE_FACTOR: tl.constexpr):
    i = tl.arange(0, 64 // STAGE_FACTOR)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + (x > 0).to(tl.int32), x / 2)
`
	want := map[string]string{
		"gather":  "*fp32:16, *i32:16, *fp32:16, i32",
		"count":   "*i32:16, *fp32:16, *fp32:16, i32",
		"bits":    "*i32:16, *i32:16, *i64:16, *fp32:16",
		"through": "*i32:16, *fp32:16, *fp32:16",
		"floats":  "*fp32:16, *fp32:16, 2",
	}
	examples, err := Examples("k.py", []byte(src), Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if w, ok := want[e.Kernel]; ok && e.Signature != w {
			t.Errorf("%s: %s, want %s", e.Kernel, e.Signature, w)
		}
		delete(want, e.Kernel)
	}
	if len(want) > 0 {
		t.Errorf("no examples of %v", want)
	}
	known := examples[0]
	known.Signature = "as it was"
	again, err := Examples("k.py", []byte(src), Options{Known: map[string]Example{known.Kernel: known}}, nil)
	if err != nil || again[0].Signature != known.Signature || again[1].Signature != examples[1].Signature {
		t.Errorf("a known example was found again: %+v, %v", again[:2], err)
	}
	others := []string{"*fp32:16, *i32:16, *fp32:16, i32", "*i64:16, *i32:16, *fp32:16, i32",
		"*fp32:16, *i32:16, *i64:16, i32", "*fp32:16, *fp32:16, *fp32:16, i32", "*i64:16, *fp32:16, *fp32:16, i32",
		"*fp32:16, *i64:16, *fp32:16, i32", "*fp32:16, *fp32:16, *i64:16, i32"}
	if got := examples[0].Signatures(); !slices.Equal(got, others) {
		t.Errorf("other signatures: %q", got)
	}
}
