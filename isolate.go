package nereid

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/cpu"
)

// Under Config.Isolate, launches run in child processes, which start the same program again. In a child,
// ServeIsolated takes over before main, runs the launches it receives, and ends the process. In any other
// process it does nothing.
func init() { cpu.ServeIsolated() }

// isolate returns an executable whose launches run in a child process, or exec itself if the device does not
// isolate.
func isolate(dev *Device, exec target.Executable) (target.Executable, error) {
	d, ok := dev.b.(interface {
		Isolate(target.Executable) (target.Executable, error)
	})
	if !ok {
		return exec, nil
	}
	x, err := d.Isolate(exec)
	if err != nil {
		exec.Close()
		return nil, fmt.Errorf("nereid: %w", err)
	}
	return x, nil
}
