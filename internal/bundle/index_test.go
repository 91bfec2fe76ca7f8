package bundle

import (
	"bytes"
	"compress/flate"
	"fmt"
	"testing"
)

// TestBlobSizes: an index that claims sizes which no packing gives is refused before memory is taken.
func TestBlobSizes(t *testing.T) {
	for _, c := range []struct {
		b    blob
		want bool
	}{
		{blob{size: 100, packed: 100, method: stored}, true},
		{blob{size: 100, packed: 99, method: stored}, false},
		{blob{size: 0, packed: 0, method: stored}, true},
		{blob{size: 1 << 20, packed: 2000, method: deflated}, true},
		{blob{size: 1 << 20, packed: 100, method: deflated}, false},
		{blob{size: maxPart, packed: 1, method: deflated}, false},
		{blob{size: maxPart + 1, packed: maxPart, method: deflated}, false},
		{blob{size: 10, packed: maxPart + 1, method: deflated}, false},
		{blob{size: -1, packed: 10, method: deflated}, false},
		{blob{size: 10, packed: -1, method: deflated}, false},
		{blob{size: 10, packed: 10, method: 2}, false},
	} {
		if c.b.valid() != c.want {
			t.Errorf("%d bytes in %d by method %d: %v", c.b.size, c.b.packed, c.b.method, c.b.valid())
		}
	}
}

// TestCounts: an index that counts more things than it has room for is refused, not read as an empty one.
func TestCounts(t *testing.T) {
	d := &decoder{in: "\x05abcd"}
	if n := d.count(1); n != 0 || d.err == nil {
		t.Errorf("5 things in 4 bytes: %d, %v", n, d.err)
	}
	d = &decoder{in: "\x02abcd"}
	if n := d.count(2); n != 2 || d.err != nil {
		t.Errorf("2 things of 2 bytes in 4: %d, %v", n, d.err)
	}
	if _, _, err := decodeIndex("\x7f"); err == nil {
		t.Error("an index that ends behind its first count is read")
	}
}

// TestUnpack: a blob unpacks to as many bytes as the index says, no fewer and no more.
func TestUnpack(t *testing.T) {
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]string{99: "it unpacks to more than 99 bytes", 100: "<nil>",
		101: "it does not unpack to 101 bytes", 0: "it unpacks to more than 0 bytes"} {
		b := blob{size: size, method: deflated}
		data, err := b.unpack(packed.Bytes())
		if fmt.Sprint(err) != want || err == nil && len(data) != size {
			t.Errorf("%d: %d bytes, %v", size, len(data), err)
		}
	}
	b := blob{size: 100, method: deflated}
	if _, err := b.unpack(packed.Bytes()[:packed.Len()/2]); err == nil {
		t.Error("half of a blob unpacks")
	}
}
