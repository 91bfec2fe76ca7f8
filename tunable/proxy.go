package tunable

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid/internal/runtime/core"
	"github.com/nereid-lang/nereid/run"
)

// proxy is the parameters of a tuning, and the tensors among them that candidates may write: copies of those
// that Options.Outputs names, or else every tensor of the parameters itself.
type proxy[P any] struct {
	p       P
	copies  bool // the tensors are copies
	tensors []tensor
	start   [][]byte // contents that each candidate finds
}

// tensor is a tensor whose contents are compared.
type tensor struct {
	*run.Tensor
	name   string // in the parameters
	origin []byte // contents before the tuning
}

// proxy returns parameters for measuring.
func (o *Op[P]) proxy(p P) (*proxy[P], error) {
	x := &proxy[P]{p: p, copies: o.opts.Outputs != nil}
	if !x.copies {
		if o.compares(p) {
			x.addOwn()
		}
		return x, nil
	}
	done := map[*run.Tensor]*run.Tensor{}
	for i, at := range o.opts.Outputs(&x.p) {
		if at == nil || *at == nil {
			continue
		}
		if c := done[*at]; c != nil { // the same tensor twice stays the same tensor
			*at = c
			continue
		}
		c, err := core.Clone(*at)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("tunable: %s: copying an output: %w", o.name, err), x.close())
		}
		t := c
		if err := x.add(t, fmt.Sprintf("output %d", i)); err != nil {
			return nil, errors.Join(err, t.Close(), x.close())
		}
		done[*at] = t
		*at = t
	}
	return x, nil
}

// addOwn adds the tensors of the parameters themselves. One that cannot be read takes no part.
func (x *proxy[P]) addOwn() {
	for _, f := range tensorsOf(x.p) {
		_ = x.add(f.Tensor, f.name)
	}
}

func (x *proxy[P]) add(t *run.Tensor, name string) error {
	data, err := core.Bytes(t)
	if err == nil {
		x.tensors = append(x.tensors, tensor{t, name, data})
		x.start = append(x.start, data)
	}
	return err
}

// restore gives the tensors the contents that each candidate finds. Tensors of the caller are written only if
// they have changed: most are inputs.
func (x *proxy[P]) restore() error { return x.write(x.start) }

func (x *proxy[P]) write(contents [][]byte) error {
	for i, t := range x.tensors {
		if !x.copies {
			now, err := core.Bytes(t.Tensor)
			if err != nil {
				return err
			}
			if bytes.Equal(now, contents[i]) {
				continue
			}
		}
		if err := t.CopyBytesFrom(contents[i]); err != nil {
			return err
		}
	}
	return nil
}

// results returns the contents of the tensors.
func (x *proxy[P]) results() ([][]byte, error) {
	var out [][]byte
	for _, t := range x.tensors {
		data, err := core.Bytes(t.Tensor)
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// close frees the copies, or gives the caller's tensors the contents that they had.
func (x *proxy[P]) close() error {
	if !x.copies {
		for i, t := range x.tensors {
			x.start[i] = t.origin
		}
		return x.restore()
	}
	var errs []error
	for _, t := range x.tensors {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}
