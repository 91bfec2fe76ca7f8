package cli

import (
	"context"
	"fmt"

	"github.com/nereid-lang/nereid/backend"
)

// toy is the back end of another program, nereid-toy: it compiles and runs nothing.
type toy struct{}

func (toy) Name() string          { return "toy" }
func (toy) Info() (string, error) { return "a back end from outside", nil }
func (toy) Input() backend.Stage  { return backend.TTIR }
func (toy) Stages() []string      { return []string{"toycode"} }
func (toy) Version() string       { return "1" }

func (toy) Options() []backend.Option {
	return []backend.Option{{Name: "a", Help: "a letter"}, {Name: "b", Values: []string{"1", "2"}}}
}

func (toy) Compile(_ context.Context, k *backend.Kernel) (*backend.Code, error) {
	text := fmt.Sprintf("code of %s, options %v\n", k.Name, k.Options.Extra)
	return &backend.Code{Stages: map[string][]byte{"toycode": []byte(text)}}, nil
}

func (toy) Load(context.Context, *backend.Kernel, *backend.Code) (backend.Executable, error) {
	return nil, fmt.Errorf("toy runs nothing")
}
