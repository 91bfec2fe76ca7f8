package collective

import (
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// kind is a kind of operation. Ranks tell each other the number.
type kind uint8

const (
	allReduce kind = iota + 1
	reduce
	reduceScatter
	allGather
	broadcast
	send
	receive
	leave // no operation: the rank ends its use of the communicator
)

var kindNames = []string{"", "AllReduce", "Reduce", "ReduceScatter", "AllGather",
	"Broadcast", "Send", "Receive"}

func (k kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// reduces reports whether an operation computes.
func (k kind) reduces() bool { return k == allReduce || k == reduce || k == reduceScatter }

// operation is a call of a communicator's method.
type operation struct {
	kind     kind
	op       Op
	dst, src *run.Tensor // nil if this rank has none
	peer     int         // the root, or the other rank

	// Of check:
	dt run.DType
	n  int // elements of the smaller of the tensors: what one rank contributes to AllGather, say
}

// check completes the operation, or returns an error about an argument.
func (o *operation) check(c *Comm) error {
	if o.kind.reduces() && o.op > Avg {
		return fmt.Errorf("unknown reduction %s (have sum, prod, min, max, avg)", o.op)
	}
	if o.peer < 0 || o.peer >= c.size {
		return fmt.Errorf("there is no rank %d: the communicator has %d", o.peer, c.size)
	}
	if (o.kind == send || o.kind == receive) && o.peer == c.rank && c.size > 1 {
		return fmt.Errorf("rank %d is this rank", o.peer)
	}
	if o.kind == reduce && o.peer != c.rank {
		o.dst = nil
	}
	return o.checkTensors(c)
}

func (o *operation) checkTensors(c *Comm) error {
	needs := [2]bool{o.kind != send && (o.kind != reduce || o.peer == c.rank), o.kind != receive}
	for i, t := range []*run.Tensor{o.dst, o.src} {
		if !needs[i] {
			continue
		}
		if err := checkTensor(c.dev, t); err != nil {
			return fmt.Errorf("%s: %w", []string{"dst", "src"}[i], err)
		}
	}
	t := o.src
	if t == nil || o.kind == reduceScatter {
		t = o.dst
	}
	o.dt, o.n = t.DType, t.Len()
	if o.dst == nil || o.src == nil {
		return o.checkType()
	}
	if o.dst.DType != o.src.DType {
		return fmt.Errorf("dst is of %s, src of %s", o.dst.DType, o.src.DType)
	}
	dst, src := o.n, o.n
	switch o.kind {
	case allGather:
		dst *= c.size
	case reduceScatter:
		src *= c.size
	}
	if o.dst.Len() != dst || o.src.Len() != src {
		return fmt.Errorf("dst has %d elements and src %d, for %d ranks", o.dst.Len(), o.src.Len(), c.size)
	}
	return o.checkType()
}

// checkType returns an error for a type that has no such reduction.
func (o *operation) checkType() error {
	if o.kind.reduces() && o.dt == run.Bool && (o.op == Sum || o.op == Avg) {
		return fmt.Errorf("there is no %s of %s: prod and min are and, max is or", o.op, o.dt)
	}
	return nil
}

// checkTensor returns an error for a tensor that no operation takes.
func checkTensor(dev *run.Device, t *run.Tensor) error {
	if err := t.Err(); err != nil {
		return err
	}
	if !t.Contiguous() {
		return fmt.Errorf("the tensor of shape %v has the strides %v: copy it, only contiguous ones are taken",
			t.Shape, t.Strides)
	}
	if size := t.DType.Size(); t.Addr()%uint64(size) != 0 {
		return fmt.Errorf("the tensor of %s is at %#x, which is no multiple of %d", t.DType, t.Addr(), size)
	}
	on := core.On(t)
	if on == dev || on == nil && !core.BackendOf(dev).Traits().CopiesHost {
		return nil
	}
	if on == nil {
		return fmt.Errorf("the tensor is in host memory, and the communicator's device is %s: Tensor.To copies it",
			dev)
	}
	return fmt.Errorf("the tensor is on %s, and the communicator's device is %s", on, dev)
}

// describe returns the operation as errors name it.
func (o *operation) describe() string {
	text := o.kind.String()
	if o.kind.reduces() {
		text += " (" + o.op.String() + ")"
	}
	return fmt.Sprintf("%s of %d %s", text, o.n, o.dt)
}

// RankError is the error of an operation that another rank has ended or has not taken part in.
type RankError struct {
	Rank int
	Err  error
}

// Error returns the rank and the reason.
func (e *RankError) Error() string { return fmt.Sprintf("collective: rank %d: %v", e.Rank, e.Err) }

// Unwrap returns Err.
func (e *RankError) Unwrap() error { return e.Err }

var errGraph = fmt.Errorf("collective: sockets take no part in a graph: %w", run.ErrCapturing)

var errNested = errors.New("collective: a group within a group")
