package cli

import (
	"strings"
	"testing"
)

// TestPainter writes lines in pieces: each is coloured as a whole, and lines of progress pass at once.
func TestPainter(t *testing.T) {
	var b strings.Builder
	p := &painter{w: &b}
	for _, s := range []string{"ok a", ".json\nFA", "IL b\n", "\r\x1b[K3 of 4", "x  1.25  0.80  ok\nend"} {
		if n, err := p.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	p.flush()
	want := green + "ok" + plain + " a.json\n" + red + "FAIL" + plain + " b\n\r\x1b[K3 of 4x  1.25  0.80  " +
		green + "ok" + plain + "\nend"
	if b.String() != want {
		t.Errorf("%q\nwant\n%q", b.String(), want)
	}
}

// TestLongProgress shows nothing before a second, and nothing where no terminal is.
func TestLongProgress(t *testing.T) {
	var b strings.Builder
	p := &progress{out: &b, total: 3}
	p.step("first") // which began long ago
	p.step("second")
	p.done()
	if text := b.String(); !strings.Contains(text, "1 of 3: first") || !strings.Contains(text, "2 of 3, ") ||
		!strings.HasSuffix(text, "\r\x1b[K") {
		t.Errorf("%q", text)
	}
	b.Reset()
	for _, p := range []*progress{newProgress(&b, 3), {out: &b, total: 3, begun: newProgress(&b, 1).begun}} {
		p.step("first")
		p.done()
	}
	if b.Len() > 0 {
		t.Errorf("%q", b.String())
	}
}
