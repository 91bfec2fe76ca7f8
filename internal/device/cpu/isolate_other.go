//go:build !linux || !(amd64 || arm64)

package cpu

import (
	"runtime"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/diag"
)

// ServeIsolated does nothing: this system has no isolation.
func ServeIsolated() {}

var errNoIsolation = diag.Refuse("Config.Isolate", "it needs Linux on amd64 or arm64, and this is %s/%s",
	runtime.GOOS, runtime.GOARCH).
	By("cpu")

type (
	arena struct{}
	block struct{}
	child struct{ has map[uint64]bool }
)

func newArena() (*arena, error)         { return nil, errNoIsolation }
func (*arena) holds(uint64) bool        { return false }
func (*arena) alloc(int) (block, error) { return block{}, errNoIsolation }
func (*arena) free(block)               {}
func (*arena) bytes(block) []byte       { return nil }
func (*arena) start() (*child, error)   { return nil, errNoIsolation }
func (*child) kill()                    {}
func (*child) end() *device.Crash       { return &device.Crash{} }
func (*child) call(*isolationRequest) (*isolationReply, error) {
	return nil, errNoIsolation
}
