package jit

import "github.com/nereid-lang/nereid/internal/device/cpu"

// Under Config.Isolate, launches run in child processes, which start the same program again. In a child,
// ServeIsolated takes over before main, runs the launches it receives, and ends the process. In any other
// process it does nothing.
func init() { cpu.ServeIsolated() }
