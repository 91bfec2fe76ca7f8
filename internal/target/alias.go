package target

import "github.com/nereid-lang/nereid/internal/device"

// What back ends name of package device.
type (
	Options    = device.Options
	Param      = device.Param
	Describer  = device.Describer
	Descriptor = device.Descriptor
	Modelled   = device.Modelled
	Keeper     = device.Keeper
	Generated  = device.Generated
	Adopter    = device.Adopter
	Kept       = device.Kept
	Code       = device.Code
	Timer      = device.Timer
	GraphTimer = device.GraphTimer
	Queue      = device.Queue
	Buffer     = device.Buffer
	Executable = device.Executable
	Apart      = device.Apart
	Assuming   = device.Assuming
	Memory     = device.Memory
	Bounded    = device.Bounded
	Narrower   = device.Narrower
	Partial    = device.Partial
	Portable   = device.Portable
	Discarder  = device.Discarder
	Stream     = device.Stream
	Observed   = device.Observed
	Guarded    = device.Guarded
	Recording  = device.Recording
	Graph      = device.Graph
	Facts      = device.Facts
	Launched   = device.Launched
	Restorer   = device.Restorer
	Native     = device.Native
	Unloaded   = device.Unloaded
	HostBuffer = device.HostBuffer
	HostStream = device.HostStream
	Isolator   = device.Isolator
)
