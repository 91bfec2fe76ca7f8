package device

import "context"

// ScopeMark is a moment of a launch: a warp of a block enters a scope of the kernel or leaves it.
type ScopeMark struct {
	Name            string // "" for all of the kernel
	Start           bool
	Block, Warp, SM int
	Clock           uint64 // in the unit of ScopeRun
	Time            uint64 // nanoseconds by a clock that all blocks share; 0 if there is none
}

// ScopeRun is what the scopes of a launch recorded.
type ScopeRun struct {
	Marks []ScopeMark
	Unit  string // of ScopeMark.Clock: "cycles", or "steps" of a simulator
	Lost  int    // marks that had no room
}

type scopesKey struct{}

// ReadScopes waits for the end of a launch and returns what its scopes recorded.
type ReadScopes func() (ScopeRun, error)

// WithScopes returns a context with which launches of code with scopes tell f how to read what they record. f
// does not read at once, so that a mark of the launch's end can come before.
func WithScopes(ctx context.Context, f func(ReadScopes)) context.Context {
	return context.WithValue(ctx, scopesKey{}, f)
}

// ScopesOf returns whom a launch tells about its scopes, nil if nobody asks.
func ScopesOf(ctx context.Context) func(ReadScopes) {
	f, _ := ctx.Value(scopesKey{}).(func(ReadScopes))
	return f
}
