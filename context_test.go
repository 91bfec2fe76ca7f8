package nereid_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nereid-lang/nereid"
	devnvidia "github.com/nereid-lang/nereid/internal/device/nvidia"
)

// TestOpenContext launches in a context of the program's own beside the primary one. The stub of the driver
// launches a function in the context alone that it was loaded in.
func TestOpenContext(t *testing.T) {
	onStub(t, func(t *testing.T, own *nereid.Stream, _ func() map[string]int) {
		devnvidia.BeGuest()
		k := stubKernel(t, "plain")
		launch := func(s *nereid.Stream) {
			t.Helper()
			x, err := nereid.NewTensor(s.Device(), nereid.Float32, 16)
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			for range 3 {
				if err := k.Launch(s, nereid.Grid{1}, x, 3); err != nil {
					t.Fatal(err)
				}
			}
		}
		launch(own)
		d, release, err := nereid.OpenContext(0x1234)
		if err != nil {
			t.Fatal(err)
		}
		if d == own.Device() || d.String() != "cuda:0" {
			t.Errorf("%v", d)
		}
		s, err := d.NewStream(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		launch(s)
		launch(own)
		release()
		if _, err := nereid.NewTensor(d, nereid.Float32, 16); err == nil {
			t.Error("memory in a context that was given back")
		}
		launch(own)
		primary := uintptr(0x77) // the stub's
		if d, release, err := nereid.OpenContext(primary); err != nil || d != own.Device() {
			t.Errorf("%v, %v", d, err)
		} else {
			release()
		}
		// The thread's own context is none, or the primary one that a launch has left there.
		d, _, err = nereid.OpenContext(0)
		if err == nil && d != own.Device() || err != nil && !errors.Is(err, nereid.ErrNoDevice) {
			t.Errorf("%v, %v", d, err)
		}
	})
}
