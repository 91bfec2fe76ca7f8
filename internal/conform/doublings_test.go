package conform

import (
	_ "embed"
	"strings"
	"testing"
	"time"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

//go:embed testdata/doublings.py
var doublings string

// doubled lists kernels of testdata/doublings.py, which use a number or a mask after 64 doublings wherever a
// pass looks back at operands: as data, offset, bound, coordinate, divisor, mask and operand of a product.
var doubled = []struct {
	kernel, signature string
	opts              nereid.Options
	only              string // device; "" for all
}{
	{kernel: "values", signature: "*fp32:16, *fp32:16, i32, 128"},
	{kernel: "values", signature: "*i32:16, *i32:16, i32, 128"},
	{kernel: "rows", signature: "*fp32:16, *fp32:16, i32:16, 64"},
	{"rows", "*fp32:16, *fp32:16, i32:16, 128", nereid.Options{NumCTAs: 2}, "sim:90"},
	{kernel: "offsets", signature: "*fp32:16, *fp32:16, i32, 128"},
	{kernel: "scalars", signature: "*i32:16, *i32:16, i32, 128"},
	{kernel: "masks", signature: "*i32:16, *i32:16, i32, 128"},
	{kernel: "spreads", signature: "*i32:16, *i32:16, i32, 128"},
	{kernel: "loads", signature: "*i32:16, *i32:16, i32, 128"},
	{kernel: "transposes", signature: "*i32:16, *i32:16, i32, 32"},
	{kernel: "mm", signature: "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 32, 32, 32"},
	{"mm", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 64, 32",
		nereid.Options{NumWarps: 8}, "sim:90"},
	{"mm", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 64, 32",
		nereid.Options{NumWarps: 8, NumCTAs: 2}, "sim:90"},
	{"desc", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 128, 64, 64",
		nereid.Options{NumWarps: 8}, "sim:90"},
	{"desc", "*fp16:16, *fp16:16, *fp16:16, i32:16, i32:16, i32:16, 16, 16, 16", nereid.Options{}, "sim:90"},
	{"causal", "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32:16, 64, 16", nereid.Options{}, "sim:90"},
}

// TestDoublings: a chain of 64 values, each computed from the one before twice, has 2^64 paths. No walk over
// operands may follow them all, on any device. At each commit it is two of four chains.
func TestDoublings(t *testing.T) {
	chosen := txtest.Sample(t, 2)
	for i, by := range []struct{ device, number, mask string }{
		{"sim:90", "add", "both"}, {"sim:90", "least", "either"}, {"sim:gfx942", "mixed", "both"},
		{"cpu", "add", "either"},
	} {
		if !chosen(i) {
			continue
		}
		dev := txtest.Device(t, by.device, nereid.OpenDevice)
		src := strings.NewReplacer("number(", by.number+"(", "mask(", by.mask+"(").Replace(doublings)
		m, err := nereid.Parse("doublings.py", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range doubled {
			if test.only != "" && test.only != by.device {
				continue
			}
			t.Run(strings.Join([]string{by.device, by.number, test.kernel}, "/"), func(t *testing.T) {
				k, err := m.Kernel(test.kernel)
				if err != nil {
					t.Fatal(err)
				}
				until := "" // most of the time of a product is LLVM's, which has walks of its own
				if strings.Contains("mm desc causal", test.kernel) {
					until = "llir"
				}
				compileSoon(t, k, dev, test.signature, test.opts, until)
			})
		}
	}
}

// compileSoon fails the test if a compilation, up to a stage, fails, or if it takes minutes. No limit of a
// compilation ends a walk that does not ask for it.
func compileSoon(t *testing.T, k *nereid.Kernel, dev *nereid.Device, signature string, opts nereid.Options,
	until string) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := k.CompileFor(t.Context(), dev.Target(), signature, opts, until)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("not compiled after 2 minutes")
	}
}
