package conform

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// kernelOf is the kernel k whose text is given up to its first lines, with the rest of its body.
func kernelOf(t *testing.T, text, body string, opts ...nereid.LoadOption) *nereid.Kernel {
	t.Helper()
	k, err := moduleOf(t, text, body, opts...).Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// moduleOf parses a kernel whose text ends before its body.
func moduleOf(t *testing.T, text, body string, opts ...nereid.LoadOption) *nereid.Module {
	t.Helper()
	text = header + text
	for line := range strings.SplitSeq(strings.Trim(body, "\n"), "\n") {
		text += "    " + line + "\n"
	}
	m, err := nereid.Parse("k.py", []byte(text), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// numbers returns n small whole numbers of a type.
func numbers(dt *dtype, n int) array {
	data := newArray(dt, n)
	for i := range data.len() {
		data.setFloat(i, float64(i%251))
	}
	return data
}

// lend makes a tensor of an array until the test ends.
func lend(t *testing.T, dev *nereid.Device, a array) *nereid.Tensor {
	t.Helper()
	x, err := upload(dev, a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// leaves launches k(x, y, args...) and returns the bytes of y, which begins as zeros.
func leaves(t *testing.T, k *nereid.Kernel, dev *nereid.Device, grid nereid.Grid, x, y array,
	args ...any) []byte {
	t.Helper()
	out := lend(t, dev, y)
	s := txtest.Open(t, dev.NewStream, t.Context())
	if err := k.Launch(s, grid, append([]any{lend(t, dev, x), out}, args...)...); err != nil {
		t.Fatalf("grid %v, %v: %v", grid, args, err)
	}
	if err := s.Sync(); err != nil {
		t.Fatal(err)
	}
	return bytesOf(t, out)
}

// bytesOf returns what a tensor holds.
func bytesOf(t *testing.T, x *nereid.Tensor) []byte {
	t.Helper()
	raw := make([]byte, x.Len()*x.DType.Size())
	if err := x.CopyBytesTo(raw); err != nil {
		t.Fatal(err)
	}
	return raw
}

// dumpedTTGIR returns the TTGIR of the kernels that Config.Dump wrote to a folder.
func dumpedTTGIR(t *testing.T, dump string) []string {
	t.Helper()
	return dumped(t, dump, "ttgir")
}

// dumped returns a stage of the kernels that Config.Dump wrote to a folder.
func dumped(t *testing.T, dump, stage string) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dump, "*", "*."+stage))
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s was dumped: %v", stage, err)
	}
	for _, f := range files {
		texts = append(texts, txtest.Read(t, f))
	}
	return texts
}

// onlyTTGIR returns the TTGIR of the one kernel that Config.Dump wrote to a folder, as it was compiled last.
func onlyTTGIR(t *testing.T, dump string) string {
	t.Helper()
	texts := dumpedTTGIR(t, dump)
	if len(texts) > 1 {
		t.Fatalf("%d kernels were dumped", len(texts))
	}
	return texts[0]
}
