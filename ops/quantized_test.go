package ops_test

import (
	le "encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/ops"
)

// formats has each format with a function that reads a block in float64, element by element, as the
// description of GGUF has it.
var formats = []struct {
	f       ops.Format
	weights int
	bytes   int
	read    func(b []byte) []float64
}{
	{ops.Q4_0, 32, 18, func(b []byte) []float64 { return nibbles(b[2:18], halfOf(b), -8*halfOf(b)) }},
	{ops.Q4_1, 32, 20, func(b []byte) []float64 { return nibbles(b[4:20], halfOf(b), halfOf(b[2:])) }},
	{ops.Q8_0, 32, 34, func(b []byte) (out []float64) {
		for _, q := range b[2:34] {
			out = append(out, halfOf(b)*float64(int8(q)))
		}
		return out
	}},
	{ops.Q4_K, 256, 144, readQ4K},
	{ops.Q6_K, 256, 210, readQ6K},
}

func halfOf(b []byte) float64 { return nereid.F16{Bits: le.LittleEndian.Uint16(b)}.Float() }

func nibbles(b []byte, scale, least float64) (out []float64) {
	for _, q := range b {
		out = append(out, float64(q&15)*scale+least)
	}
	for _, q := range b {
		out = append(out, float64(q>>4)*scale+least)
	}
	return out
}

func readQ4K(b []byte) (out []float64) {
	d, least, s, q := halfOf(b), halfOf(b[2:]), b[4:16], b[16:144]
	for i := range 8 {
		scale, m := s[i%8]&63, byte(0)
		if i < 4 {
			m = s[i+4] & 63
		} else {
			scale, m = s[i+4]&15|s[i-4]>>6<<4, s[i+4]>>4|s[i]>>6<<4
		}
		for l := range 32 {
			v := q[i/2*32+l] >> (4 * (i % 2)) & 15
			out = append(out, d*float64(scale)*float64(v)-least*float64(m))
		}
	}
	return out
}

func readQ6K(b []byte) []float64 {
	out := make([]float64, 256)
	d := halfOf(b[208:])
	for h := range 2 {
		ql, qh, sc := b[64*h:], b[128+32*h:], b[192+8*h:]
		for l := range 32 {
			for k, q := range [4]byte{ql[l]&15 | qh[l]&3<<4, ql[l+32]&15 | qh[l]>>2&3<<4,
				ql[l]>>4 | qh[l]>>4&3<<4, ql[l+32]>>4 | qh[l]>>6&3<<4} {
				out[128*h+32*k+l] = d * float64(int8(sc[l/16+2*k])) * (float64(q) - 32)
			}
		}
	}
	return out
}

// quantizedMatrix returns random weights of a format and their values.
func quantizedMatrix(t *testing.T, s *ops.Stream, i, rows, cols int) (ops.Quantized, []float64) {
	t.Helper()
	c := formats[i]
	r := rand.New(rand.NewPCG(uint64(i), 3))
	var data []byte
	var want []float64
	for range rows * cols / c.weights {
		block := make([]byte, c.bytes)
		for j := range block {
			block[j] = byte(r.Uint32())
		}
		scale := nereid.ToF16(0.01 + r.Float64()/50).Bits
		at := 0
		if c.f == ops.Q6_K {
			at = 208
		}
		le.LittleEndian.PutUint16(block[at:], scale)
		if c.f == ops.Q4_1 || c.f == ops.Q4_K {
			le.LittleEndian.PutUint16(block[2:], scale)
		}
		data, want = append(data, block...), append(want, c.read(block)...)
	}
	x := s.New(nereid.Uint8, len(data))
	if err := nereid.CopyFrom(x, data); err != nil {
		t.Fatal(err)
	}
	return ops.Quantized{Format: c.f, Rows: rows, Cols: cols, Data: x}, want
}

// TestQuantized: the weights of all formats, and products with few and many rows.
func TestQuantized(t *testing.T) {
	on(t, func(t *testing.T, s *ops.Stream) {
		for i, c := range formats {
			if i > 0 && i < 4 && s.Stream().Device().String() == "sim:90" {
				continue // the first and the last are enough for a slow device
			}
			s.Reset()
			rows := []int{9, 16}[i%2] // parts of tiles, and whole tiles
			w, want := quantizedMatrix(t, s, i, rows, 512)
			near(t, "Dequantize "+c.f.String(), ops.Dequantize(s, w, nereid.Float32), want, 1e-6)
			index := made(t, s, nereid.Int32, func(i int) float64 { return []float64{3, -1, 0}[i] }, 3)
			taken := slices.Concat(want[3*512:4*512], make([]float64, 512), want[:512])
			near(t, "TakeQuantized "+c.f.String(), ops.TakeQuantized(s, w, index, nereid.Float32), taken,
				1e-6)
			column, out := index.Reshape(3, 1), s.New(nereid.Float32, 3, 1, 512)
			near(t, "TakeQuantized into "+c.f.String(), ops.TakeQuantized(s.Into(out), w, column,
				nereid.Float32), taken, 1e-6)
			none := ops.TakeQuantized(s, w, index.Slice(0, 0, 0, 1), nereid.Float32)
			near(t, "TakeQuantized of nothing", none, nil, 0)
			odd := w
			odd.Data = s.New(nereid.Uint8, w.Data.Len()+1).Slice(0, 1, w.Data.Len()+1, 1)
			ops.Copy(s.Into(odd.Data), w.Data)
			near(t, "Dequantize at an odd address", ops.Dequantize(s, odd, nereid.Float32), want, 1e-6)
			for _, m := range []int{1, 9} {
				x := made(t, s, nereid.Float32, wave, m, 512)
				bias := made(t, s, nereid.Float32, wave, rows)
				xs := values(t, x)
				var y []float64
				for row := range m {
					for n := range rows {
						sum := wave(n)
						for k := range 512 {
							sum += xs[row*512+k] * want[n*512+k]
						}
						y = append(y, max(sum, 0))
					}
				}
				near(t, fmt.Sprintf("MatMulQuantized %s, %d rows", c.f, m),
					ops.MatMulQuantized(s, x, w, ops.Bias(bias), ops.ThenReLU), y, 1e-3)
			}
		}
	})
}

// TestInterleave: interleaved weights give what the same weights as files have them give. Of each format one
// device has its turn at each commit.
func TestInterleave(t *testing.T) {
	chosen := txtest.Sample(t, 2)
	for turn, device := range []string{"cpu", "interp"} {
		s := streamOn(t, device)
		for i, c := range formats {
			if !chosen(turn + i) {
				continue
			}
			s.Reset()
			w, want := quantizedMatrix(t, s, i, 64, 512)
			x := ops.Interleave(s, w)
			if same := x.Format == w.Format; same != (c.weights != 32) {
				t.Fatalf("%s: %s is interleaved as %s", device, w.Format, x.Format)
			}
			what := device + ", " + x.Format.String()
			if again := ops.Interleave(s, x); again.Data != x.Data {
				t.Errorf("%s: interleaved twice", what)
			}
			near(t, "Dequantize "+what, ops.Dequantize(s, x, nereid.Float32), want, 1e-6)
			rows := []float64{63, -1, 0, 64, 17}
			index := made(t, s, nereid.Int32, func(i int) float64 { return rows[i] }, len(rows))
			near(t, "TakeQuantized "+what, ops.TakeQuantized(s, x, index, nereid.Float32),
				values(t, ops.TakeQuantized(s, w, index, nereid.Float32)), 1e-6)
			interleavedProducts(t, s, what, w, x)
		}
	}
}

// interleavedProducts compares products of two forms of one matrix, with few and many rows and all options.
func interleavedProducts(t *testing.T, s *ops.Stream, what string, w, interleaved ops.Quantized) {
	t.Helper()
	norm, bias := made(t, s, nereid.Float32, wave, 512), made(t, s, nereid.Float32, wave, 64)
	for _, m := range []int{1, 3, 9, 65} {
		if m == 65 && s.Stream().Device().String() == "interp" {
			continue // many rows are multiplied by the matrix in fp32, as those of other weights
		}
		x := made(t, s, nereid.Float32, wave, 512, m).Transpose(0, 1)
		plus := made(t, s, nereid.Float32, wave, m, 64)
		for name, options := range map[string][]ops.MatMulOption{
			"plain":      nil,
			"bias, plus": {ops.Bias(bias), ops.ThenReLU, ops.Plus(plus)},
			"norm":       {ops.Norm(norm, 1e-3), ops.As(nereid.Float16)},
			"gated":      {ops.Norm(norm, 1e-3), ops.ThenSiLU, ops.Gated},
		} {
			near(t, fmt.Sprintf("%s, %d rows, %s", what, m, name),
				ops.MatMulQuantized(s, x, interleaved, options...),
				values(t, ops.MatMulQuantized(s, x, w, options...)), 1e-3)
		}
	}
}

// TestInterleavedRows: a row has the same product, to the bit, whatever rows are multiplied with it.
func TestInterleavedRows(t *testing.T) {
	s := streamOn(t, "cpu")
	for i, c := range formats[:3] {
		w, _ := quantizedMatrix(t, s, i, 64, 512)
		w = ops.Interleave(s, w)
		x := made(t, s, nereid.Float32, wave, 64, 512)
		for name, options := range map[string][]ops.MatMulOption{
			"plain": nil, "gated": {ops.ThenSiLU, ops.Gated},
		} {
			for _, m := range []int{2, 4, 7, 64} {
				together := values(t, ops.MatMulQuantized(s, x.Slice(0, 0, m, 1), w, options...))
				var alone []float64
				for row := range m {
					y := ops.MatMulQuantized(s, x.Slice(0, row, row+1, 1), w, options...)
					alone = append(alone, values(t, y)...)
				}
				if !slices.Equal(together, alone) {
					t.Errorf("%s, %s: %d rows are not what they are alone", c.f, name, m)
				}
			}
		}
	}
}

// TestQuantizedErrors: data that is no matrix of the format.
func TestQuantizedErrors(t *testing.T) {
	s := streamOn(t, "interp")
	w, _ := quantizedMatrix(t, s, 0, 4, 64)
	short, odd := w, w
	short.Rows, odd.Cols = 5, 63
	for _, c := range []struct {
		got  *nereid.Tensor
		want string
	}{
		{ops.Dequantize(s, short, nereid.Float32), "ops: Dequantize: w: a 5x64 matrix of Q4_0 has 180 contiguous " +
			"bytes of u8; this is u8[144]"},
		{ops.Dequantize(s, odd, nereid.Float32), "ops: Dequantize: w: there is no 4x63 matrix of " +
			"the format \"Q4_0\": rows are whole blocks of 32 weights"},
		{ops.MatMulQuantized(s, made(t, s, nereid.Float32, wave, 3, 65), w),
			"ops: MatMulQuantized: x: it is fp32[3 65], and w has 64 columns"},
	} {
		if err := c.got.Err(); err == nil || err.Error() != c.want {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
	}
}
