package conform

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/certify"
	idtype "github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// onceFaulty are cases for which the ring or its simulators were wrong once: integers that AMD's code divides
// in floats, doubles whose lower bits are 0, a bool of which LLVM computes a quotient, fdim of fp64. They run
// always.
var onceFaulty = []string{"binary/mod/u64-u32", "binary/mod/u64-u16", "binary/truediv/fp64-u64",
	"binary/truediv/i64-fp64", "binary/truediv/i1-2.5", "binary/truediv/u32-fp32",
	"libdevice/fdim/fp64,fp64-to-fp64"}

// TestCertified compares the code of a part of the cases with their source, floats being elements of a ring.
func TestCertified(t *testing.T) {
	for _, device := range []string{"sim:90", "sim:gfx942"} {
		t.Run(device, func(t *testing.T) {
			dev := txtest.Device(t, device, nereid.OpenDevice)
			chosen := txtest.Sample(t, 96)
			var some []*testCase
			known := 0
			for i, c := range all() {
				always := slices.Contains(onceFaulty, c.name)
				if always {
					known++
				}
				if !c.refused && !c.compile && c.gpuless == "" && !strings.HasPrefix(c.name, "target/") &&
					(always || chosen(i)) {
					some = append(some, c)
				}
			}
			if known != len(onceFaulty) {
				t.Errorf("%d of %d cases are there: %v", known, len(onceFaulty), onceFaulty)
			}
			certifyAll(t, dev, some)
		})
	}
}

// certifyAll certifies cases, and logs how many there were of each outcome.
func certifyAll(t *testing.T, dev *nereid.Device, some []*testCase) {
	var mu sync.Mutex
	counts := map[string]int{}
	t.Cleanup(func() {
		for _, outcome := range slices.Sorted(maps.Keys(counts)) {
			t.Logf("%5d %s", counts[outcome], outcome)
		}
	})
	parallel(t, some, func(t *testing.T, c *testCase) {
		outcome, err := "equal", c.certify(dev)
		switch {
		case certify.Refused(err) || err != nil && strings.Contains(err.Error(), "but this target has"):
			outcome = "refused: " + reason(err)
		case err != nil:
			outcome = "differs or fails"
			t.Errorf("%v\n%s", err, c.show())
		}
		mu.Lock()
		defer mu.Unlock()
		counts[outcome]++
	})
}

// errorPlace is where an error is.
var errorPlace = regexp.MustCompile(`^.*?:\d+:\d+: (error: )?`)

// reason returns a refusal without its place.
func reason(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errorPlace.ReplaceAllString(line, "")
}

// certify compares a launch on a device with one of the source.
func (c *testCase) certify(dev *nereid.Device) error {
	source, err := nereid.OpenDevice("interp")
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
		if err := t.CopyBytesTo(out[i]); err != nil {
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
		if err := tensors[i].CopyBytesTo(data); err != nil {
			return nil, nil, err
		}
		certify.Prepare(idtype.Type(a.data.dt.nd), data)
		if err := tensors[i].CopyBytesFrom(data); err != nil {
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
