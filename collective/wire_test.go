package collective

import (
	"bytes"
	"testing"

	"github.com/nereid-lang/nereid/run"
)

// TestHeader: ranks of different builds read each other's headers, whose bytes therefore stay as they are.
// The fourth is 0 until it means something.
func TestHeader(t *testing.T) {
	h := header{kind: reduce, op: Max, dt: run.Float32, peer: -2, call: 0x0102, count: 0x03040506}
	got := make([]byte, headerSize)
	h.encode(got)
	want := []byte{byte(reduce), byte(Max), byte(run.Float32), 0, 0xfe, 0xff, 0xff, 0xff,
		2, 1, 0, 0, 0, 0, 0, 0, 6, 5, 4, 3, 0, 0, 0, 0}
	if !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
	var back header
	if back.decode(got); back != h {
		t.Errorf("%+v, want %+v", back, h)
	}
}
