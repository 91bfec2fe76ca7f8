package selftest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/nereid-lang/nereid"
)

// judge sets outputs before a run and compares them behind it: on a GPU by kernels, elsewhere on the host.
type judge struct {
	place                  *place
	fill, restore, compare *nereid.Kernel
	target                 string // target of code for the device
}

// newJudge compiles the kernels and sees to it that they find a difference.
func newJudge(ctx context.Context, dev *nereid.Device, conf nereid.Config) (*judge, error) {
	j := &judge{}
	for name, k := range map[string]**nereid.Kernel{"fill": &j.fill, "restore": &j.restore,
		"compare": &j.compare} {
		var err error
		if *k, err = open(conf, "tools.py", name); err != nil {
			return nil, err
		}
	}
	code, err := j.fill.Compile(ctx, dev, "*i32:16, i32, i32, 1024", nereid.Options{})
	if err != nil {
		return nil, err
	}
	j.target = code.Info().Target
	code.Close()
	j.place = placeOf(dev, j.target)
	if !j.place.judges {
		return j, nil
	}
	return j, j.probe(ctx)
}

// lanes is the number of words of a program of the judge's kernels.
const lanes = 1024

// reset sets an output to what it holds before a run.
func (j *judge) reset(s *nereid.Stream, o *output) error {
	n := o.words.Len()
	if !j.place.judges {
		before := poisoned(n * 4)
		if o.before != nil {
			before = o.before.bytes
		}
		return o.words.CopyBytesFrom(before)
	}
	grid := nereid.Grid{nereid.Cdiv(n, lanes)}
	if o.before != nil {
		return j.restore.Launch(s, grid, o.words, o.before.tensor, n, lanes)
	}
	return j.fill.Launch(s, grid, o.words, poison, n, lanes)
}

// differs reports whether an output is not what it must be.
func (j *judge) differs(s *nereid.Stream, o *output, result *nereid.Tensor) (bool, error) {
	if !j.place.judges {
		got, err := o.read()
		return !bytes.Equal(got, o.want.bytes), err
	}
	if err := result.CopyBytesFrom(noDifference); err != nil {
		return false, err
	}
	n := o.words.Len()
	err := j.compare.Launch(s, nereid.Grid{nereid.Cdiv(n, lanes)}, o.words, o.want.tensor, result, n, lanes)
	if err != nil {
		return false, err
	}
	got := make([]byte, len(noDifference))
	if err := result.CopyBytesTo(got); err != nil {
		return false, err
	}
	return !bytes.Equal(got, noDifference), nil
}

// noDifference is the result of a comparison that finds none.
var noDifference = binary.LittleEndian.AppendUint32(make([]byte, 4), math.MaxInt32)

// read returns the content of an output and its guards.
func (o *output) read() ([]byte, error) {
	got := make([]byte, o.words.Len()*4)
	return got, o.words.CopyBytesTo(got)
}

// difference is how an output differs from what it must be.
type difference struct {
	output string
	count  int // elements
	first  int // its index; negative or behind the last in a guard
	got    string
	want   string
}

func (d difference) String() string {
	return fmt.Sprintf("%s of %s, first element %d: got %s, want %s", counted(d.count, "element"), d.output,
		d.first, d.got, d.want)
}

// diff compares the elements of an output, and those of its guards.
func (o *output) diff(got, want []byte, guard int) (d difference) {
	d.output = o.name
	width := o.dt.Size()
	for at := 0; at+width <= len(want); at += width {
		g, w := got[at:at+width], want[at:at+width]
		if bytes.Equal(g, w) {
			continue
		}
		if d.count++; d.count == 1 {
			d.first = (at - guard) / width
			d.got, d.want = o.show(g), o.show(w)
		}
	}
	return d
}

// show writes an element, or that nothing wrote it.
func (o *output) show(b []byte) string {
	width := o.dt.Size()
	if width > 1 && bytes.Contains(poisoned(12), b) {
		return "nothing"
	}
	return fmt.Sprint(o.dt.Decode(take(b, width)))
}

// probe has the kernels find planted differences, so that a device that cannot compare is not trusted.
func (j *judge) probe(ctx context.Context) error {
	s, end, err := streamOf(ctx, j.place.dev)
	if err != nil {
		return err
	}
	defer end()
	const n = 5000
	st := newStore(j.place)
	e := &env{place: j.place, store: st, spare: newSpare()}
	defer e.spare.close()
	defer e.close()
	data := poisoned(n * 4)
	for _, at := range []int{-1, 0, n - 1} {
		want := bytes.Clone(data)
		if at >= 0 {
			want[4*at+1] ^= 1
		}
		img, err := st.image(want)
		if err != nil {
			return err
		}
		defer img.Close()
		if err := j.finds(s, e, img, n, at >= 0); err != nil {
			return err
		}
	}
	return nil
}

// finds returns an error unless poison differs from an image as it must.
func (j *judge) finds(s *nereid.Stream, e *env, want *image, n int, must bool) error {
	o, err := e.output("probe", nereid.Int32, n, want)
	if err != nil {
		return err
	}
	result, err := nereid.NewTensor(j.place.dev, nereid.Int32, 2)
	if err != nil {
		return err
	}
	defer result.Close()
	if err := j.reset(s, o); err != nil {
		return err
	}
	got, err := j.differs(s, o, result)
	if err == nil && got != must {
		err = fmt.Errorf("%s cannot compare memory: a planted difference is not found, or one is found "+
			"where there is none", j.place.dev)
	}
	return err
}
