package world

import (
	"errors"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/pyrun/object"
)

// TestHostCalls: a function of a file is called for a program: its result, its exceptions and what goes wrong
// here come back, each as what it is.
func TestHostCalls(t *testing.T) {
	const file = "def twice(x):\n    return 2 * x\n\ndef fail():\n    raise ValueError('no')\n"
	s, err := Load("host.py", []byte(file), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	none := func(*object.Interp, object.Value) error { return nil }
	h := s.Host()
	got := ""
	shown := func(in *object.Interp, v object.Value) (err error) {
		got, err = object.Repr(in, v)
		return err
	}
	err = h.Call("twice", []object.Value{object.MakeInt(21)}, shown)
	if err != nil || got != "42" {
		t.Errorf("twice: %s, %v", got, err)
	}
	if err := h.Call("fail", nil, none); err == nil || !strings.Contains(err.Error(), "host.py:5") {
		t.Errorf("an exception became %v", err)
	}
	if err := h.Call("nothing", nil, none); err == nil ||
		!strings.Contains(err.Error(), "host.py has no function nothing") {
		t.Errorf("a function that is not there: %v", err)
	}
	err = h.Call("twice", []object.Value{object.MakeInt(1)}, func(*object.Interp, object.Value) error {
		panic("a bug")
	})
	if bug := (*InternalError)(nil); !errors.As(err, &bug) || bug.Kernel != "twice" || bug.Panic != "a bug" {
		t.Errorf("a panic became %v", err)
	}
	if err := h.Call("twice", []object.Value{object.MakeInt(1)}, none); err != nil {
		t.Errorf("after a panic: %v", err)
	}
}
