package cache

import (
	"errors"
	"sync/atomic"
)

// Opener opens the shared level at an address.
type Opener func(address string) (Shared, error)

// opener is the Opener of the one package that has a shared level, if the program imports it.
var opener atomic.Pointer[Opener]

// SetOpener says how shared levels are opened. The public package redis calls it, so that only programs that
// import that package link a client.
func SetOpener(open Opener) { opener.Store(&open) }

// OpenShared opens the shared level at an address. A program that does not link one gets an error that says
// what to import.
func OpenShared(address string) (Shared, error) {
	open := opener.Load()
	if open == nil {
		return nil, errors.New(`a Redis address is set, but this program has no Redis client: ` +
			`import _ "github.com/nereid-lang/nereid/redis", or build the command with -tags redis`)
	}
	return (*open)(address)
}
