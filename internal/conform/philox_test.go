package conform

import (
	"fmt"
	"math"
	"math/big"
	"path/filepath"
	"testing"

	"github.com/nereid-lang/nereid/internal/replay"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var _ = family(randomCases)

// Philox4x32 and Philox4x64 as published: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011. One round multiplies two words of the counter by constants, and mixes the halves of
// the products with the other words and the key; the key grows by the Weyl constants (the golden ratio and
// the square root of 3 less 1) before each further round.

type philoxConstants struct {
	bits           uint
	m0, m1, w0, w1 uint64
}

var (
	philox32 = philoxConstants{32, 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85}
	philox64 = philoxConstants{64, 0xD2E7470EE14C6C93, 0xCA5A826395121157, 0x9E3779B97F4A7C15,
		0xBB67AE8584CAA73B}
)

// philox is the counter after the rounds.
func (p philoxConstants) philox(counter [4]uint64, key [2]uint64, rounds int) [4]uint64 {
	mask := ^uint64(0) >> (64 - p.bits)
	product := func(a, b uint64) (hi, lo uint64) {
		n := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
		lo = new(big.Int).And(n, new(big.Int).SetUint64(mask)).Uint64()
		return new(big.Int).Rsh(n, p.bits).Uint64(), lo
	}
	for r := range rounds {
		if r > 0 {
			key[0], key[1] = (key[0]+p.w0)&mask, (key[1]+p.w1)&mask
		}
		hi0, lo0 := product(p.m0, counter[0])
		hi1, lo1 := product(p.m1, counter[2])
		counter = [4]uint64{hi1 ^ counter[1] ^ key[0], lo1, hi0 ^ counter[3] ^ key[1], lo0}
	}
	return counter
}

// randomWords are the four words for an offset: the counter is the offset, the key is the seed.
func randomWords(seed, offset uint64, rounds int) [4]uint64 {
	return philox32.philox([4]uint64{offset & 0xffffffff, offset >> 32, 0, 0},
		[2]uint64{seed & 0xffffffff, seed >> 32}, rounds)
}

// uniform is a word as a float in [0, 1): its magnitude as a signed number, times the greatest number that
// keeps it below 1, in float32.
func uniform(word uint64) float32 {
	x := int32(uint32(word))
	if x < 0 {
		x = -x - 1
	}
	return float32(x) * float32(4.6566127342e-10)
}

// normal is Box and Muller's transform of two uniform numbers. Products are rounded, functions as good as
// the device makes them.
func normal(u1, u2 float32) (float64, float64) {
	u1 = max(u1, 1.0e-7)
	th := float64(float32(6.283185307179586) * u2)
	r := math.Sqrt(float64(float32(-2) * float32(math.Log(float64(u1)))))
	return r * math.Cos(th), r * math.Sin(th)
}

func randomCases(s *suite) {
	m := &module{name: "conform_random"}
	for _, seed := range []uint64{0, 1, 42, 0x123456789, 0xffffffffffffffff} {
		for _, dt := range []*dtype{i32, u32, i64} {
			for _, rounds := range []int{10, 7, 4} {
				if rounds != 10 && (seed != 42 || dt != i32) {
					continue
				}
				s.random(m, seed, dt, rounds)
			}
		}
	}
	philoxCases(s, m)
	x := newSource("uniform").any(u32, 64)
	m.add(s, kernel{name: "random/uint_to_uniform_float/u32", in: []array{x},
		results: []string{"tl.uint_to_uniform_float(x)"}, want: []array{x.each(f32, func(b uint64) uint64 {
			return f32.bitsOf(float64(uniform(b)), nearest)
		})}})
	m.add(s, kernel{name: "random/uint_to_uniform_float/i32", in: []array{x.each(i32, func(b uint64) uint64 {
		return b
	})}, results: []string{"tl.uint_to_uniform_float(x)"}, want: []array{x.each(f32, func(b uint64) uint64 {
		return f32.bitsOf(float64(uniform(b)), nearest)
	})}})
	y := newSource("uniform").any(u64, 64)
	m.add(s, kernel{name: "random/uint_to_uniform_float/u64", in: []array{y},
		results: []string{"tl.uint_to_uniform_float(x)"}, want: []array{y.each(f32, func(b uint64) uint64 {
			n := int64(b)
			if n < 0 {
				n = -n - 1
			}
			return f32.bitsOf(float64(float32(n)*float32(1.0842020432385337e-19)), nearest)
		})}})
	u, v := newSource("normal").uniform(f32, 0, 1, 64), newSource("normal2").uniform(f32, 0, 1, 64)
	a, b := newArray(f32, 64), newArray(f32, 64)
	for i := range a.bits {
		n1, n2 := normal(float32(u.float(i)), float32(v.float(i)))
		a.setFloat(i, n1)
		b.setFloat(i, n2)
	}
	m.add(s, kernel{name: "random/pair_uniform_to_normal", in: []array{u, v},
		pre: "a, b = tl.pair_uniform_to_normal(x, y)", results: []string{"a", "b"}, want: []array{a, b},
		tol: normalTolerance})
	for _, e := range []string{"tl.uint_to_uniform_float(x.to(tl.uint8))", "tl.rand(0)",
		"tl.rand(1.5, tl.arange(0, 64))"} {
		m.add(s, kernel{name: "random/refused/" + identifier(e), in: []array{x}, results: []string{e},
			want: []array{newArray(f32, 64)}, refused: true})
	}
}

// normalTolerance: a logarithm, a root, a sine and two products, each rounded.
var normalTolerance = tolerance{ulps: 4, others: 64, abs: 0x1p-18}

// random adds the functions of a seed and offsets, all of them on the same words.
func (s *suite) random(m *module, seed uint64, dt *dtype, rounds int) {
	const n = 64
	offsets := newSource("offsets").between(dt, 0, 1000, n)
	if dt == i64 {
		for i := range offsets.bits {
			offsets.bits[i] |= uint64(i) << 32
		}
	}
	words, floats, normals := [4]array{}, [4]array{}, [4]array{}
	for j := range 4 {
		words[j], floats[j], normals[j] = newArray(u32, n), newArray(f32, n), newArray(f32, n)
	}
	for i := range n {
		w := randomWords(seed, offsets.bits[i], rounds)
		for j := range 4 {
			words[j].bits[i] = w[j]
			floats[j].setFloat(i, float64(uniform(w[j])))
		}
		for j := 0; j < 4; j += 2 {
			a, b := normal(uniform(w[j]), uniform(w[j+1]))
			normals[j].setFloat(i, a)
			normals[j+1].setFloat(i, b)
		}
	}
	key := scalar(int(seed))
	if seed > math.MaxInt64 {
		key = scalar(seed)
	}
	option := ""
	if rounds != 10 {
		option = fmt.Sprintf(", n_rounds=%d", rounds)
	}
	for _, f := range []struct {
		name string
		want []array
		tol  tolerance
	}{
		{"randint", words[:1], exact}, {"rand", floats[:1], exact}, {"randn", normals[:1], normalTolerance},
		{"randint4x", words[:], exact}, {"rand4x", floats[:], exact},
		{"randn4x", normals[:], normalTolerance},
	} {
		results, body := "a", ""
		args := []arg{in(offsets), key}
		params := "o_ptr, seed, z0_ptr"
		args = append(args, result(f.want[0]).within(f.tol))
		body = "tl.store(z0_ptr + i, a)"
		if len(f.want) == 4 {
			results = "a, b, c, d"
			for j := 1; j < 4; j++ {
				params += fmt.Sprintf(", z%d_ptr", j)
				body += fmt.Sprintf("\ntl.store(z%d_ptr + i, %c)", j, 'a'+j)
				args = append(args, result(f.want[j]).within(f.tol))
			}
		}
		m.raw(s, testCase{name: fmt.Sprintf("random/%s/%d-%s-%d", f.name, seed, dt, rounds), args: args},
			params, fmt.Sprintf(`
i = tl.arange(0, %d)
o = tl.load(o_ptr + i)
%s = tl.%s(seed, o%s)
%s`, n, results, f.name, option, body))
	}
}

// philoxCases: the generator itself, on counters of both widths, with the known answers of its authors
// among them.
func philoxCases(s *suite, m *module) {
	for _, dt := range []*dtype{u32, u64} {
		p := philox32
		if dt == u64 {
			p = philox64
		}
		src := newSource("philox/" + dt.sig)
		var in, want [4]array
		for j := range in {
			in[j], want[j] = src.any(dt, 32), newArray(dt, 32)
		}
		in[0].bits[0], in[1].bits[0], in[2].bits[0], in[3].bits[0] = 0, 0, 0, 0
		for i := range 32 {
			w := p.philox([4]uint64{in[0].bits[i], in[1].bits[i], in[2].bits[i], in[3].bits[i]},
				[2]uint64{77, 0}, 10)
			for j := range want {
				want[j].bits[i] = w[j]
			}
		}
		m.add(s, kernel{name: "random/philox/" + dt.sig, in: in[:], pre: "a, b, c, d = tl.philox(77, x, " +
			"y, w, v)", results: []string{"a", "b", "c", "d"}, want: want[:]})
		one := func(j int) array { return array{dt, []int{1}, in[j].bits[:1]} }
		w := p.philox([4]uint64{}, [2]uint64{3, 5}, 10)
		zero := func(j int) array { return array{dt, []int{1}, []uint64{w[j]}} }
		m.add(s, kernel{name: "random/philox_impl/" + dt.sig, in: []array{one(0), one(1), one(2), one(3)},
			pre: fmt.Sprintf("k0 = tl.full((1,), 3, tl.%s)\nk1 = tl.full((1,), 5, tl.%[1]s)\na, b, c, d = "+
				"tl.philox_impl(x, y, w, v, k0, k1, 10)", dt.name), results: []string{"a", "b", "c", "d"},
			want: []array{zero(0), zero(1), zero(2), zero(3)}})
	}
}

// TestPhiloxKnownAnswers checks the reference itself with the authors' test vectors (kat_vectors of
// Random123).
func TestPhiloxKnownAnswers(t *testing.T) {
	ones := uint64(0xffffffff)
	for _, c := range []struct {
		p       philoxConstants
		counter [4]uint64
		key     [2]uint64
		want    [4]uint64
	}{
		{philox32, [4]uint64{}, [2]uint64{}, [4]uint64{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{philox32, [4]uint64{ones, ones, ones, ones}, [2]uint64{ones, ones},
			[4]uint64{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{philox32, [4]uint64{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
			[2]uint64{0xa4093822, 0x299f31d0}, [4]uint64{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
		{philox64, [4]uint64{}, [2]uint64{}, [4]uint64{0x16554d9eca36314c, 0xdb20fe9d672d0fdc,
			0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
	} {
		if got := c.p.philox(c.counter, c.key, 10); got != c.want {
			t.Errorf("philox(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// TestRecordedDropout: which elements a GPU dropped, in launches recorded there, is what the published
// generator says.
func TestRecordedDropout(t *testing.T) {
	for _, path := range txtest.Glob(t, "testdata/replay/*dropout_kernel.safetensors") {
		c, err := replay.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]any{}
		tensors := map[string]array{}
		for _, a := range c.Args {
			values[a.Name] = a.Value
			if a.Kind != replay.Tensor {
				continue
			}
			data := c.Before[a.Storage]
			if after, ok := c.After[a.Storage]; ok {
				data = after
			}
			tensors[a.Name] = fromBytes(typeNamed(a.Dtype), data[a.Offset:])
		}
		x, out := tensors["x_ptr"], tensors["out_ptr"]
		n, seed, p := values["n_elements"].(int64), values["seed"].(int64), float32(values["p"].(float64))
		dropped := 0
		for i := range int(n) {
			keep := uniform(randomWords(uint64(seed), uint64(i), 10)[0]) > p
			if !keep {
				dropped++
			}
			if got := out.float(i); keep != (got != 0) && x.float(i) != 0 {
				t.Fatalf("%s: element %d of %d is %v, but the generator says that it is kept: %v",
					filepath.Base(path), i, n, got, keep)
			}
		}
		if dropped == 0 || dropped == int(n) {
			t.Errorf("%s: %d of %d elements are dropped", path, dropped, n)
		}
	}
}
