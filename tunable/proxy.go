package tunable

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/runtime/inside"
)

// proxy is parameters with copies in place of the tensors that the op writes.
type proxy[P any] struct {
	p      P
	copies []*nereid.Tensor
	data   [][]byte // contents before the op
}

// proxy returns parameters for measuring.
func (o *Op[P]) proxy(p P) (*proxy[P], error) {
	x := &proxy[P]{p: p}
	if o.opts.Outputs == nil {
		return x, nil
	}
	done := map[*nereid.Tensor]*nereid.Tensor{}
	for _, at := range o.opts.Outputs(&x.p) {
		if at == nil || *at == nil {
			continue
		}
		if c := done[*at]; c != nil { // the same tensor twice stays the same tensor
			*at = c
			continue
		}
		c, err := inside.Root.Clone(*at)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("tunable: %s: copying an output: %w", o.name, err), x.close())
		}
		t := c.(*nereid.Tensor)
		x.copies = append(x.copies, t)
		data, err := inside.Root.Bytes(t)
		if err != nil {
			return nil, errors.Join(err, x.close())
		}
		x.data = append(x.data, data)
		done[*at] = t
		*at = t
	}
	return x, nil
}

// restore gives the copies their first contents.
func (x *proxy[P]) restore() error {
	for i, t := range x.copies {
		if err := t.Write(x.data[i]); err != nil {
			return err
		}
	}
	return nil
}

// results returns the contents of the copies.
func (x *proxy[P]) results() ([][]byte, error) {
	var out [][]byte
	for _, t := range x.copies {
		data, err := inside.Root.Bytes(t)
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// differ returns an error if results are not bit for bit those of the first candidate.
func differ(got, want [][]byte, first string) error {
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			return fmt.Errorf("the results differ in bits from those of %s", first)
		}
	}
	return nil
}

func (x *proxy[P]) close() error {
	var errs []error
	for _, t := range x.copies {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}
