package autotune

import (
	"context"
	"sync"
)

// turn is full while something is measured: concurrent measurements in a process would disturb each other.
var turn = make(chan struct{}, 1)

// holder is the stream of the measurement whose turn it is, or nil.
var holder struct {
	sync.Mutex
	stream any
}

// Begin waits until nothing else is measured in this process. The measurement begins on a stream, and its
// runs go to another one, own, which nobody else has; own may be nil. A measurement that begins on the own
// stream of the one whose turn it is, is part of it: it is nested, and does not wait.
func Begin(ctx context.Context, stream, own any) (end func(), nested bool, err error) {
	holder.Lock()
	nested = stream != nil && holder.stream == stream
	holder.Unlock()
	if nested {
		return func() {}, true, nil
	}
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	set := func(own any) {
		holder.Lock()
		holder.stream = own
		holder.Unlock()
	}
	set(own)
	return func() { set(nil); <-turn }, false, nil
}
