package amd_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/amd/hip/stub"
	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/amd"
)

// TestDevice launches saved code on a stub of AMD's runtime: devices, memory, the argument buffer.
func TestDevice(t *testing.T) {
	_, log := stub.Build(t)
	list, err := amd.Devices()
	if err != nil || len(list) != 2 {
		t.Fatalf("%d devices, %v", len(list), err)
	}
	d := list[1].(*amd.Device)
	const about = "hip:1 hip:gfx90a Stub Instinct, gfx90a, 304 CUs, 196608 MiB"
	if got := d.Name() + " " + d.Traits().Kind + " " + d.Info(); got != about {
		t.Error(got)
	}
	k, err := d.Restore(t.Context(), "add", target.Code{
		Stage: "hsaco", Data: []byte("\x7fELF"),
		Meta: []byte(`{"Name":"add","Chip":"gfx90a","NumWarps":4,"Shared":64,"Params":[8,4]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	host := []byte{1, 2, 3, 4}
	b, err := d.Wrap(host)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Launch(t.Context(), s, [3]int{5, 1, 1}, []uint64{0x10, 7}); err != nil {
		t.Error(err)
	}
	if err := k.Launch(t.Context(), s, [3]int{1 << 30, 1, 1}, []uint64{0x10, 7}); err == nil {
		t.Error("a grid of 2^38 threads was launched")
	}
	err = k.Launch(t.Context(), s, [3]int{1, 1, 1}, []uint64{1})
	if err == nil || !strings.Contains(err.Error(), "add: 1 arguments") {
		t.Errorf("an argument too few: %v", err)
	}
	if err := b.Write(1, []byte{9}); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil || host[1] != 9 {
		t.Errorf("copied back: %v, %v", host, err)
	}
	queued(t, d, s)
	calls, err := os.ReadFile(log)
	const want = "launch add on 1: 5,1,1 x 256,1,1 shared 64: 1000000000000000 07000000\n"
	if err != nil || !strings.Contains(string(calls), want) {
		t.Errorf("%v\n%s\nwant %s", err, calls, want)
	}
}

// queued changes memory in the order of a stream.
func queued(t *testing.T, d *amd.Device, s target.Stream) {
	t.Helper()
	q, ok := s.(target.Queue)
	if !ok {
		t.Fatal("the stream changes no memory")
	}
	b, err := d.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	got := make([]byte, 8)
	for _, err := range []error{
		b.Write(0, []byte{1, 2, 3, 4, 5, 6, 7, 8}), q.Copy(b, 4, b, 1, 3), q.Zero(b, 0, 2), b.Read(0, got),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if string(got) != "\x00\x00\x03\x04\x02\x03\x04\x08" {
		t.Errorf("%v", got)
	}
	if q.Zero(b, 6, 3) == nil || q.Copy(b, 0, b, 7, 2) == nil {
		t.Error("bytes behind a buffer were changed")
	}
}
