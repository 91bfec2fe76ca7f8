package conform

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/certify"
	idtype "github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestCertified compares the code of a part of the cases with their source, floats being elements of a ring.
// All of them: NEREID_TEST_CERTIFY=all.
func TestCertified(t *testing.T) {
	part := 48
	if os.Getenv("NEREID_TEST_CERTIFY") == "all" {
		part = 1
	}
	for _, device := range []string{"sim:90", "sim:gfx942"} {
		t.Run(device, func(t *testing.T) {
			dev := txtest.Device(t, device, nereid.Open)
			var some []*testCase
			for i, c := range all() {
				if !c.refused && !c.compile && c.gpuless == "" && i%part == 0 &&
					!strings.HasPrefix(c.name, "target/") {
					some = append(some, c)
				}
			}
			parallel(t, some, func(t *testing.T, c *testCase) {
				err := c.certify(dev)
				if err != nil && !cannotCertify(err) {
					t.Errorf("%v\n%s", err, c.show())
				}
				t.Log("certified:", err == nil)
			})
		})
	}
}

// cannotCertify reports whether a device does not have what a kernel uses, or the ring has no meaning for it.
func cannotCertify(err error) bool {
	return strings.Contains(err.Error(), "[unsupported-on-target]") ||
		strings.Contains(err.Error(), "but this target has") ||
		strings.Contains(err.Error(), "has no meaning in the ring")
}

// certify compares a launch on a device with one of the source.
func (c *testCase) certify(dev *nereid.Device) error {
	source, err := nereid.Open("interp")
	if err != nil {
		return err
	}
	want, err := c.memory(source)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	got, err := c.memory(dev)
	if err != nil {
		return err
	}
	for i, a := range c.args {
		if a.data.dt == nil {
			continue
		}
		t := idtype.Type(a.data.dt.nd)
		if o := certify.Compare(t, want[i], want[i], got[i]); o.Different > 0 {
			return fmt.Errorf("argument %d differs in %d of %d elements, first at %d: %s", i, o.Different,
				o.Elements, o.First, certify.Describe(t, want[i], got[i], o.First))
		}
	}
	return nil
}

// memory returns the tensors after a launch in the ring.
func (c *testCase) memory(dev *nereid.Device) ([][]byte, error) {
	m, err := c.module.load()
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(c.kernel)
	if err != nil {
		return nil, err
	}
	values, tensors, err := c.inRing(dev)
	if err != nil {
		return nil, err
	}
	s, err := dev.NewStream(context.Background())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	values = append(values, nereid.Options{Certify: true})
	if err := k.Launch(s, nereid.Grid(c.grid), values...); err != nil {
		return nil, err
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	out := make([][]byte, len(tensors))
	for i, t := range tensors {
		if t == nil {
			continue
		}
		defer t.Close()
		out[i] = make([]byte, t.Len()*t.DType.Size())
		if err := t.Read(out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inRing returns the arguments of a launch, with floats of the ring.
func (c *testCase) inRing(dev *nereid.Device) (values []any, tensors []*nereid.Tensor, err error) {
	tensors = make([]*nereid.Tensor, len(c.args))
	for i, a := range c.args {
		switch {
		case a.data.dt == nil && a.omit:
			continue
		case a.data.dt == nil:
			values = append(values, a.value)
			continue
		}
		if tensors[i], err = upload(dev, a.data); err != nil {
			return nil, nil, err
		}
		data := make([]byte, tensors[i].Len()*a.data.dt.size())
		if err := tensors[i].Read(data); err != nil {
			return nil, nil, err
		}
		certify.Prepare(idtype.Type(a.data.dt.nd), data)
		if err := tensors[i].Write(data); err != nil {
			return nil, nil, err
		}
		if a.desc != nil {
			values = append(values, describe(tensors[i], a))
		} else {
			values = append(values, tensors[i])
		}
	}
	return values, tensors, nil
}
