package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/nereid-lang/nereid"
	"github.com/pkg/errors"
)

// RNGBitGenerator implements compute.StandardOps by Philox 4x32 of ten rounds. The state is a key and a
// counter of 128 bits, which goes on by one for every 16 bytes.
func (f *Function) RNGBitGenerator(state compute.Value, shape shapes.Shape) (newState,
	values compute.Value, err error) {
	in, err := f.values("RNGBitGenerator", state)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := stored[shape.DType]; !ok || !in[0].shape.Equal(compute.RNGStateShape) {
		return nil, nil, errors.Errorf("RNGBitGenerator: %s from a state of %s", shape, in[0].shape)
	}
	list := f.parts(&node{op: compute.OpTypeRNGBitGenerator, inputs: in, outs: []shapes.Shape{in[0].shape,
		shape},
		again: func(f *Function, in []compute.Value, at shapes.AxisBindings) ([]compute.Value, error) {
			s, err := resolve(shape, at)
			if err != nil {
				return nil, err
			}
			a, b, err := f.RNGBitGenerator(in[0], s)
			return []compute.Value{a, b}, err
		}})
	return list[0], list[1], nil
}

const randomText = `import triton
import triton.language as tl


@triton.jit
def random_bits(state, after, out, n, C: tl.constexpr):
    """Four words for each count of 128 bits. Blocks have room for the words of the last count."""
    i = tl.program_id(0) * C + tl.arange(0, C)
    key = tl.load(state)
    low = tl.load(state + 1)
    high = tl.load(state + 2)
    count = low + i.to(tl.uint64)
    carry = high + (count < low).to(tl.uint64)
    a, b, c, d = tl.philox(key, (count & 0xFFFFFFFF).to(tl.uint32), (count >> 32).to(tl.uint32),
                           (carry & 0xFFFFFFFF).to(tl.uint32), (carry >> 32).to(tl.uint32))
    tl.store(out + 4 * i, a, mask=i < n)
    tl.store(out + 4 * i + 1, b, mask=i < n)
    tl.store(out + 4 * i + 2, c, mask=i < n)
    tl.store(out + 4 * i + 3, d, mask=i < n)
    last = low + n
    tl.store(after, key)
    tl.store(after + 1, last)
    tl.store(after + 2, high + (last < low).to(tl.uint64))
`

func lowerRandom(l *lowering, n *node) error {
	outs := l.madeSlots(n, tempBlock)
	bytes := bytesOf(n.outs[1].DType, n.outs[1].Size())
	counts := nereid.Cdiv(bytes, 16)
	c := min(l.b.tileElements()/4, max(16, pow2(counts)))
	kernel, err := l.b.kernels.kernel("random_bits", randomText)
	if err != nil {
		return err
	}
	in := l.slotOf[n.inputs[0]]
	l.step(stepFunc(func(p *program) error {
		words := p.vals[outs[1]].Offset(0)
		words.DType, words.Shape, words.Strides = nereid.Uint32, []int{4 * counts}, []int{1}
		return kernel.Launch(p.b.stream, nereid.Grid{max(1, nereid.Cdiv(counts, c))}, p.vals[in],
			p.vals[outs[0]], words, counts, c)
	}), in, outs[0], outs[1])
	return nil
}
