package bundle_test

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/bundle"
)

// checks holds, by kernel, functions that launch a variant and compare its results with a reference.
var checks = map[string]func(s *nereid.Stream, v *bundle.Variant) error{
	"softmax_kernel": func(s *nereid.Stream, v *bundle.Variant) error {
		block, _ := v.Int("BLOCK_SIZE")
		worst, err := softmax(s, v, 3, block-3)
		return within(worst, v, err)
	},
	"group_norm_kernel": func(s *nereid.Stream, v *bundle.Variant) error {
		worst, err := groupNorm(s, v)
		return within(worst/10, v, err) // its results are not below 1
	},
}

// within returns an error for a difference that is too large for the variant's type.
func within(worst float64, v *bundle.Variant, err error) error {
	if limit := map[bool]float64{true: 1e-3, false: 2e-6}[isHalf(v)]; err == nil && !(worst <= limit) {
		err = fmt.Errorf("an error of %g", worst)
	}
	return err
}

func isHalf(v *bundle.Variant) bool { return strings.HasSuffix(v.Group(), "fp16") }

// room is memory of a device with its content on the host.
type room struct {
	*nereid.Tensor
	dt   nereid.DType
	host []byte
}

// newRoom returns memory with values.
func newRoom(s *nereid.Stream, dt nereid.DType, values []float32) (*room, error) {
	r := &room{dt: dt, host: make([]byte, len(values)*dt.Size())}
	var err error
	if r.Tensor, err = nereid.NewTensor(s.Device(), dt, len(values)); err != nil {
		return nil, err
	}
	return r, errors.Join(nereid.FromFloats(dt, values).CopyBytesTo(r.host), r.CopyBytesFrom(r.host))
}

// values returns the content after everything that was launched.
func (r *room) values(s *nereid.Stream) ([]float64, error) {
	if err := errors.Join(s.Sync(), r.CopyBytesTo(r.host)); err != nil {
		return nil, err
	}
	list := make([]float64, len(r.host)/r.dt.Size())
	t := nereid.FromBytes(r.dt, r.host, len(list))
	for i := range list {
		var err error
		if list[i], err = t.At(i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// groupNorm runs a variant of group norm on two images of two groups and returns the largest error.
func groupNorm(s *nereid.Stream, v *bundle.Variant) (worst float64, err error) {
	const images, pixels, groups, eps = 2, 37, 2, 1e-5
	block, _ := v.Int("BLOCK_SIZE")
	per := block - 3
	c := groups * per
	dt := nereid.Float32
	if isHalf(v) {
		dt = nereid.Float16
	}
	in, gamma, beta := make([]float32, images*pixels*c), make([]float32, c), make([]float32, c)
	for i := range in {
		in[i] = float32(nereid.ToF16(math.Sin(float64(i))).Float()) // a half
	}
	for i := range gamma {
		gamma[i], beta[i] = 1+float32(i%7)/8, float32(i%5)/4
	}
	x, err1 := newRoom(s, dt, in)
	y, err2 := newRoom(s, dt, make([]float32, len(in)))
	g, err3 := newRoom(s, nereid.Float32, gamma)
	b, err4 := newRoom(s, nereid.Float32, beta)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return 0, err
	}
	for _, r := range []*room{x, y, g, b} {
		defer r.Close()
	}
	err = v.Launch(s, nereid.Grid{images, groups}, x.Tensor, y.Tensor, g.Tensor, b.Tensor, pixels,
		c, per, eps)
	if err != nil {
		return 0, err
	}
	got, err := y.values(s)
	if err != nil {
		return 0, err
	}
	silu, _ := v.Constant("SILU")
	for i := range images * groups {
		first := i/groups*pixels*c + i%groups*per
		mean, square := 0.0, 0.0
		for p := range pixels * per {
			e := float64(in[first+p/per*c+p%per]) / float64(pixels*per)
			mean, square = mean+e, square+e*float64(in[first+p/per*c+p%per])
		}
		for p := range pixels * per {
			at, channel := first+p/per*c+p%per, i%groups*per+p%per
			want := (float64(in[at])-mean)/math.Sqrt(square-mean*mean+eps)*float64(gamma[channel]) +
				float64(beta[channel])
			if silu == "True" {
				want /= 1 + math.Exp(-want)
			}
			worst = max(worst, math.Abs(got[at]-want))
		}
	}
	return worst, nil
}
