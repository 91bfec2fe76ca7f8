package redis

import (
	"bytes"
	"strings"
	"testing"
)

func TestGuard(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{"+OK\r\n:1\r\n-ERR no\r\n$-1\r\n*-1\r\n$0\r\n\r\n$5\r\nhello\r\n", true},
		{"*2\r\n$1\r\na\r\n*1\r\n:1\r\n+OK\r\n", true},
		// 100 bytes of a string, whatever they say
		{"$100\r\n" + strings.Repeat("$9999999999\r\n", 7) + "$9999999", true},
		{strings.Repeat("$90\r\n"+strings.Repeat("x", 90)+"\r\n", 50), true}, // a reply each
		{"$101\r\n", false}, {"*2\r\n$60\r\n" + strings.Repeat("x", 60) + "\r\n$60\r\n", false},
		{"$-2\r\n", false}, {"$\r\n", false}, {"$+\r\n", false}, {"$1e3\r\n", false}, {"*257\r\n", false},
		{"\r\n", false}, {"x\r\n", false},
		{strings.Repeat("*1\r\n", maxLists+1), false}, {strings.Repeat("*0\r\n", 2*maxLists), true},
		{"+" + strings.Repeat("x", maxLine), false},
	} {
		g := guard{max: 100}
		if err := g.feed([]byte(c.text)); (err == nil) != c.ok {
			t.Errorf("%.60q: %v", c.text, err)
		}
	}
}

// However a connection cuts what comes, the verdict is the same.
func FuzzGuard(f *testing.F) {
	f.Add([]byte("*2\r\n$1\r\na\r\n:1\r\n+OK\r\n"), uint8(3))
	f.Add([]byte("$9223372036854775807\r\n"), uint8(1))
	f.Add([]byte("*1\r\n*1\r\n*-1\r\n$-1\r\n"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, size uint8) {
		whole, parts := guard{max: 1000}, guard{max: 1000}
		want := whole.feed(data)
		var got error
		for rest := bytes.Clone(data); len(rest) > 0 && got == nil; {
			n := min(len(rest), int(size%16)+1)
			got, rest = parts.feed(rest[:n]), rest[n:]
		}
		if (want == nil) != (got == nil) {
			t.Errorf("at once: %v, in parts: %v", want, got)
		}
		if whole.skip > 1002 || whole.pending > maxItems*maxLists || len(whole.line) > maxLine {
			t.Errorf("%+v", whole)
		}
	})
}
