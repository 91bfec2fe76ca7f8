package rewrite

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/nereid-lang/nereid/internal/dtype"
	"github.com/nereid-lang/nereid/internal/onnx"
	"github.com/nereid-lang/nereid/internal/onnx/ort"
)

// Inputs says which random inputs a model gets.
type Inputs struct {
	Runs   int                   // how many; 0 is 3
	Sizes  map[string][]int64    // of free dimensions, by name or as INPUT.PLACE: one for each run, in turn
	Ranges map[string][2]float64 // of inputs: smallest and largest element
	Seed   uint64
}

// defaultSizes are those of dimensions that nobody gave a size, in turn by run and by dimension: an
// operator that confuses dimensions meets different sizes.
var defaultSizes = []int64{2, 5, 16}

func (in *Inputs) runs() int {
	if in.Runs > 0 {
		return in.Runs
	}
	return 3
}

// size returns the size of a free dimension of an input in a run. free lists those before it.
func (in *Inputs) size(v onnx.Value, place, run int, free *[]string) int64 {
	own := fmt.Sprintf("%s.%d", v.Name, place)
	name := cmp.Or(v.Dims[place].Name, own)
	for _, key := range []string{own, name} {
		if given := in.Sizes[key]; len(given) > 0 {
			return given[run%len(given)]
		}
	}
	at := slices.Index(*free, name)
	if at < 0 {
		at = len(*free)
		*free = append(*free, name)
	}
	return defaultSizes[(run+at)%len(defaultSizes)]
}

// make makes the inputs of a run, and returns their shapes as text.
func (in *Inputs) make(values []onnx.Value, run int) (out []*ort.Tensor, shapes string, err error) {
	var free []string
	for i, v := range values {
		element, ok := dtype.OfONNX(v.Element)
		if !ok {
			return nil, "", fmt.Errorf("input %s is no tensor of numbers: the check knows no others", v.Name)
		}
		t := &ort.Tensor{Element: element}
		n := int64(1)
		for place, d := range v.Dims {
			size := d.Size
			if size < 0 {
				size = in.size(v, place, run, &free)
			}
			t.Dims = append(t.Dims, size)
			n *= size
		}
		if n > 1<<31 {
			return nil, "", fmt.Errorf("input %s has %d elements", v.Name, n)
		}
		in.fill(t, v.Name, n, rand.New(rand.NewPCG(in.Seed, uint64(run*1000+i))))
		out = append(out, t)
		if shapes != "" {
			shapes += ", "
		}
		shapes += fmt.Sprint(v.Name, t.Dims)
	}
	return out, shapes, nil
}

// fill makes the elements of a tensor: floats of a normal distribution, integers 0 or 1, or numbers of a
// range.
func (in *Inputs) fill(t *ort.Tensor, name string, n int64, random *rand.Rand) {
	limits, ranged := in.Ranges[name]
	size := t.Element.Size()
	t.Data = make([]byte, int(n)*size)
	for i := range int(n) {
		v := random.NormFloat64()
		switch {
		case ranged && t.Element.IsFloat():
			v = limits[0] + random.Float64()*(limits[1]-limits[0])
		case ranged:
			v = limits[0] + float64(random.Int64N(int64(limits[1]-limits[0])+1))
		case !t.Element.IsFloat():
			v = float64(random.IntN(2))
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], t.Element.Encode(v))
		copy(t.Data[i*size:], word[:size])
	}
}
