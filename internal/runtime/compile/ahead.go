package compile

import (
	"context"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/target"
)

// isUnloaded reports whether code is for a target without a device.
func isUnloaded(e target.Executable) bool {
	_, ok := e.(*target.Unloaded)
	return ok
}

// beginner is a former that knows with which code launches of unknown grids may begin.
type beginner interface{ Begins() []device.Way }

// formsAhead makes the forms of code that launches may begin with, or choose, on a device that this machine
// need not have, so that the cache has them. A form that does not compile is left out, as a launch would do
// without it.
func (k *Kernel) formsAhead(ctx context.Context, b *building, f former, r Request) error {
	kept, ok := b.Exec.(target.Kept)
	if !ok {
		return nil
	}
	made, err := kept.Code()
	if err != nil {
		return err
	}
	ways, err := f.FormsOf(made)
	if err != nil {
		return err
	}
	if g, ok := f.(beginner); ok {
		ways = append(ways, g.Begins()...)
	}
	for _, way := range ways {
		if !way.IsGeneral() && !r.Want(way) {
			continue
		}
		r.Way = way
		if _, _, err := k.make(ctx, r); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return nil
}
