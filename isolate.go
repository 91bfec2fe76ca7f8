package nereid

import (
	"fmt"

	"github.com/nereid-lang/nereid/internal/target"
	"github.com/nereid-lang/nereid/internal/target/cpu"
)

// Under Config.Isolate launches run in children of the process: the same program, started again. In a child, this takes over before main,
// runs what it is sent, and ends the process. In any other process it does nothing.
func init() { cpu.ServeIsolated() }

// Crash is the error of an isolated launch whose process died: the kernel's name, and the signal.
type Crash = cpu.Crash

// isolate is an executable whose launches run in a child process, where the device has the like.
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
