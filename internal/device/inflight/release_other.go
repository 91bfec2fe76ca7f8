//go:build !amd64 || race

package inflight

import "sync/atomic"

// release sets n to 0, after all that its call has done.
func release(n *int32) { atomic.StoreInt32(n, 0) }
