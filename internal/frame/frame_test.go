package frame

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for _, v := range []any{map[string]int{"a": 1}, "é"} {
		if err := w.Send(v); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString("content-type: x\r\ncontent-length:2\r\n\r\n[]")
	r := NewReader(&b)
	for _, want := range []string{`{"a":1}`, `"é"`, "[]"} {
		if got, err := r.Next(); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last message: %v", err)
	}
	for _, bad := range []string{"X: 1\r\n\r\n{}", "Content-Length: -1\r\n\r\n", "Content-Length: 9\r\n\r\n{}",
		"Content-Length: 99999999999\r\n\r\n", "Content-Le"} {
		if got, err := NewReader(strings.NewReader(bad)).Next(); err == nil || err == io.EOF {
			t.Errorf("%q is the message %q, %v", bad, got, err)
		}
	}
}
