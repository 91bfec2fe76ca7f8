package run_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/backend"
	"github.com/nereid-lang/nereid/run"
)

// still is a back end that a program without a compiler has.
type still struct{}

func init() { backend.Register(still{}) }

func (still) Name() string          { return "still" }
func (still) Info() (string, error) { return "nothing moves", nil }
func (still) Input() backend.Stage  { return backend.TTIR }
func (still) Stages() []string      { return []string{"stillcode"} }
func (still) Version() string       { return "1" }
func (still) Compile(context.Context, *backend.Kernel) (*backend.Code, error) {
	panic("nothing is compiled here")
}

func (still) Load(_ context.Context, k *backend.Kernel, c *backend.Code) (backend.Executable, error) {
	return still{}, nil
}

func (still) Launch(context.Context, [3]int, []uint64) error { return nil }
func (still) Close() error                                   { return nil }

// A program that runs compiled code alone has the devices of the back ends that it imports.
func TestOutside(t *testing.T) {
	d, err := run.OpenDevice("still")
	if err != nil || d.String() != "still" || d.Info() != "nothing moves" {
		t.Fatalf("%v, %v", d, err)
	}
	if _, err := run.OpenDevice("still:1"); err == nil || !strings.Contains(err.Error(), `"still:1"`) {
		t.Error(err)
	}
}
