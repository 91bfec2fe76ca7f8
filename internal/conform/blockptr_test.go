package conform

import (
	"fmt"
	"slices"
)

var _ = family(blockPointerCases)
var _ = family(descriptorCases)

// window is a block of a matrix that may reach beyond its ends, where pad stands; checked says in which
// dimensions.
func window(x array, at, shape []int, pad uint64) array {
	src := make([]int, len(shape))
	return build(x.dt, shape, func(i []int) uint64 {
		for d := range i {
			src[d] = at[d] + i[d]
			if src[d] < 0 || src[d] >= x.shape[d] {
				return pad
			}
		}
		return x.bits[x.flat(src...)]
	})
}

// pasted is a matrix after a block has been stored into it, as far as the block lies inside.
func pasted(x array, at []int, block array) array {
	out := build(x.dt, x.shape, func(i []int) uint64 { return x.bits[x.flat(i...)] })
	dst := make([]int, len(at))
	index(block.shape, func(flat int, i []int) {
		for d := range i {
			dst[d] = at[d] + i[d]
			if dst[d] < 0 || dst[d] >= x.shape[d] {
				return
			}
		}
		out.bits[out.flat(dst...)] = block.bits[flat]
	})
	return out
}

func blockPointerCases(s *suite) {
	m := &module{name: "conform_blockptr"}
	for _, dt := range dtypes {
		if dt == i1 {
			continue
		}
		x := newSource("blockptr/"+dt.sig).any(dt, 10, 12)
		for _, c := range []struct {
			name, options string
			at            []int
			pad           uint64
		}{
			{"inside", "", []int{2, 3}, 0},
			{"both", `, boundary_check=(0, 1), padding_option="zero"`, []int{6, 8}, 0},
			{"nan", `, boundary_check=(0, 1), padding_option="nan"`, []int{6, 8}, dt.anyNaN()},
			{"reversed", `, boundary_check=(1, 0), padding_option="zero"`, []int{4, 10}, 0},
			{"columns", `, boundary_check=(1,), padding_option="zero"`, []int{1, 9}, 0},
			{"rows", `, boundary_check=[0], padding_option="zero"`, []int{8, 1}, 0},
			{"negative", `, boundary_check=(0, 1), padding_option="zero"`, []int{-3, -5}, 0},
			{"outside", `, boundary_check=(0, 1), padding_option="zero"`, []int{40, 40}, 0},
		} {
			if dt.bits != 32 && (c.name == "reversed" || c.name == "rows" || c.name == "outside") {
				continue
			}
			m.raw(s, testCase{name: fmt.Sprintf("blockptr/load/%s/%s", c.name, dt),
				refused: c.name == "nan" && dt.isInt(), args: []arg{in(x), scalar(10), scalar(12),
					scalar(c.at[0]), scalar(c.at[1]), result(window(x, c.at, []int{8, 4}, c.pad))}},
				"x_ptr, M, N, i, j, z_ptr", fmt.Sprintf(`
p = tl.make_block_ptr(base=x_ptr, shape=(M, N), strides=(N, 1), offsets=(i, j),
                      block_shape=(8, 4), order=(1, 0))
x = tl.load(p%s)
q = tl.make_block_ptr(z_ptr, (8, 4), (4, 1), (0, 0), (8, 4), (1, 0))
tl.store(q, x)
`, c.options))
		}
		block := newSource("block/"+dt.sig).any(dt, 8, 4)
		for _, at := range [][]int{{1, 2}, {6, 10}, {-2, 5}} {
			m.raw(s, testCase{name: fmt.Sprintf("blockptr/store/%s/%d-%d", dt, at[0], at[1]),
				args: []arg{in(block), scalar(at[0]), scalar(at[1]), inout(x, func() array {
					return pasted(x, at, block)
				})}},
				"x_ptr, i, j, z_ptr", `
p = tl.make_block_ptr(x_ptr, (8, 4), (4, 1), (0, 0), (8, 4), (1, 0))
q = tl.make_block_ptr(z_ptr, (10, 12), (12, 1), (i, j), (8, 4), (1, 0))
tl.store(q, tl.load(p), boundary_check=(0, 1))
`)
		}
	}
	blockPointerForms(s, m)
}

// anyNaN is a NaN's bits, or 0 where there is none.
func (d *dtype) anyNaN() uint64 {
	if d.isFloat() {
		return d.nan()
	}
	return 0
}

func blockPointerForms(s *suite, m *module) {
	x := count(f32, 4, 8, 16)
	m.raw(s, testCase{name: "blockptr/3d", args: []arg{in(x),
		result(window(x, []int{3, 6, 4}, []int{2, 4, 8}, 0))}}, "x_ptr, z_ptr", `
p = tl.make_block_ptr(x_ptr, (4, 8, 16), (128, 16, 1), (3, 6, 4), (2, 4, 8), (2, 1, 0))
x = tl.load(p, boundary_check=(0, 1, 2), padding_option="zero")
tl.store(z_ptr + tl.arange(0, 64), x.reshape(64))
`)
	v := count(i32, 50)
	m.raw(s, testCase{name: "blockptr/1d", args: []arg{in(v), result(window(v, []int{40}, []int{16}, 0))}},
		"x_ptr, z_ptr", `
p = tl.make_block_ptr(x_ptr, (50,), (1,), (40,), (16,), (0,))
tl.store(z_ptr + tl.arange(0, 16), tl.load(p, boundary_check=(0,), padding_option="zero"))
`)
	m.raw(s, testCase{name: "blockptr/transposed",
		args: []arg{in(count(f32, 8, 4)), result(count(f32, 8, 4).permute(1, 0))}}, "x_ptr, z_ptr", `
p = tl.make_block_ptr(x_ptr, (4, 8), (1, 4), (0, 0), (4, 8), (0, 1))
tl.store(z_ptr + tl.arange(0, 32), tl.load(p).reshape(32))
`)
	long := count(i32, 3, 20)
	m.raw(s, testCase{name: "blockptr/advance",
		args: []arg{in(long), scalar(3), scalar(20), result(build(i32, []int{4, 8}, func(at []int) uint64 {
			sum := uint64(0)
			for k := 0; k < 20; k += 8 {
				if at[0] < 3 && k+at[1] < 20 {
					sum += long.bits[long.flat(at[0], k+at[1])]
				}
			}
			return sum
		}))}}, "x_ptr, M, K, z_ptr", `
p = tl.make_block_ptr(x_ptr, (M, K), (K, 1), (0, 0), (4, 8), (1, 0))
acc = tl.zeros((4, 8), dtype=tl.int32)
for k in range(0, K, 8):
    acc += tl.load(p, boundary_check=(0, 1), padding_option="zero")
    p = tl.advance(p, (0, 8))
tl.store(z_ptr + tl.arange(0, 32), acc.reshape(32))
`)
	m.raw(s, testCase{name: "blockptr/advance/method",
		args: []arg{in(v), result(window(v, []int{16}, []int{16}, 0))}}, "x_ptr, z_ptr", `
p = tl.make_block_ptr(x_ptr, (50,), (1,), (0,), (16,), (0,))
p = p.advance((16,))
tl.store(z_ptr + tl.arange(0, 16), tl.load(p))
`)
	m.raw(s, testCase{name: "blockptr/int64",
		args: []arg{in(v), scalar(50), result(window(v, []int{8}, []int{16}, 0))}}, "x_ptr, n, z_ptr", `
p = tl.make_block_ptr(x_ptr, (n.to(tl.int64),), (1,), (tl.program_id(0) + 8,), (16,), (0,))
tl.store(z_ptr + tl.arange(0, 16), tl.load(p, boundary_check=(0,)))
`)
	m.raw(s, testCase{name: "blockptr/store/scalar",
		args: []arg{result(build(f32, []int{4, 4}, func([]int) uint64 {
			return f32.bitsOf(2, nearest)
		}))}}, "z_ptr", `
p = tl.make_block_ptr(z_ptr, (4, 4), (4, 1), (0, 0), (4, 4), (1, 0))
tl.store(p, 2.0)
`)
	for _, c := range []struct{ name, body string }{
		{"mask", "tl.load(p, mask=True)"}, {"padding", `tl.load(p, padding_option="one")`},
		{"check", "tl.load(p, boundary_check=(2,))"}, {"twice", "tl.load(p, boundary_check=(0, 0))"},
		{"dtype", "tl.store(p, tl.zeros((4, 4), tl.int32))"},
		{"shape", "tl.store(p, tl.zeros((4, 8), tl.float32))"}, {"offsets", "tl.advance(p, (1,))"},
		{"order", "tl.make_block_ptr(z_ptr, (4, 4), (4, 1), (0, 0), (4, 4), (1, 1))"},
		{"rank", "tl.make_block_ptr(z_ptr, (4, 4), (4,), (0, 0), (4, 4), (1, 0))"},
		{"power", "tl.make_block_ptr(z_ptr, (4, 4), (4, 1), (0, 0), (3, 4), (1, 0))"},
		{"base", "tl.make_block_ptr(p, (4, 4), (4, 1), (0, 0), (4, 4), (1, 0))"},
		{"plain", "tl.advance(z_ptr, (1,))"}, {"wide", "tl.advance(p, (n.to(tl.int64), 0))"},
	} {
		m.raw(s, testCase{name: "blockptr/refused/" + c.name, refused: true,
			args: []arg{scalar(5), result(newArray(f32, 16))}}, "n, z_ptr", `
p = tl.make_block_ptr(z_ptr, (4, 4), (4, 1), (0, 0), (4, 4), (1, 0))
`+c.body)
	}
}

// descriptorCases: descriptors made in the kernel, and by the host.
func descriptorCases(s *suite) {
	m := &module{name: "conform_descriptor"}
	for _, dt := range dtypes {
		if dt == i1 || dt == f64 {
			continue
		}
		cols := max(16/dt.size(), 8)
		x := newSource("descriptor/"+dt.sig).any(dt, 10, 2*cols)
		for _, at := range [][]int{{1, 0}, {6, cols}, {4, cols + cols/2}, {-2, -cols / 2}, {20, 3 * cols}} {
			for _, nan := range []bool{false, true} {
				if nan && (dt.isInt() || at[0] == 1) || dt.bits != 32 && at[0] == 20 {
					continue
				}
				pad, option := uint64(0), ""
				if nan {
					pad, option = dt.nan(), `, padding_option="nan"`
				}
				want := window(x, at, []int{8, cols}, pad)
				m.raw(s, testCase{name: fmt.Sprintf("descriptor/load/%s/%d-%d-%v", dt, at[0], at[1], nan),
					args: []arg{in(x), scalar(at[0]), scalar(at[1]), result(want)}}, "x_ptr, i, j, z_ptr",
					fmt.Sprintf(`
d = tl.make_tensor_descriptor(x_ptr, shape=[10, %d], strides=[%[1]d, 1], block_shape=[8, %d]%s)
tl.store(z_ptr + tl.arange(0, %d), d.load([i, j]).reshape(%[4]d))
`, 2*cols, cols, option, 8*cols))
				h := descriptor(in(x), 8, cols)
				h.nan = nan
				m.raw(s, testCase{name: fmt.Sprintf("descriptor/host/%s/%d-%d-%v", dt, at[0], at[1], nan),
					args: []arg{h, scalar(at[0]), scalar(at[1]), result(want)}}, "d, i, j, z_ptr",
					fmt.Sprintf(`
tl.store(z_ptr + tl.arange(0, %d), tl.load_tensor_descriptor(d, [i, j]).reshape(%[1]d))
`, 8*cols))
			}
		}
		block := newSource("block/"+dt.sig).any(dt, 8, cols)
		for _, at := range [][]int{{1, 0}, {5, cols + cols/2}} {
			want := func() array { return pasted(x, at, block) }
			m.raw(s, testCase{name: fmt.Sprintf("descriptor/store/%s/%d-%d", dt, at[0], at[1]),
				args: []arg{in(block), scalar(at[0]), scalar(at[1]), inout(x, want)}}, "x_ptr, i, j, z_ptr",
				fmt.Sprintf(`
d = tl.make_tensor_descriptor(z_ptr, [10, %d], [%[1]d, 1], [8, %d])
x = tl.load(x_ptr + tl.arange(0, %d)).reshape(8, %[2]d)
d.store([i, j], x)
`, 2*cols, cols, 8*cols))
			m.raw(s, testCase{name: fmt.Sprintf("descriptor/host-store/%s/%d-%d", dt, at[0], at[1]),
				args: []arg{in(block), scalar(at[0]), scalar(at[1]), descriptor(inout(x, want), 8, cols)}},
				"x_ptr, i, j, d", fmt.Sprintf(`
x = tl.load(x_ptr + tl.arange(0, %d)).reshape(8, %d)
tl.store_tensor_descriptor(d, [i, j], x)
`, 8*cols, cols))
		}
	}
	descriptorForms(s, m)
	descriptorRows(s, m)
	descriptorAtomics(s, m)
}

func descriptorForms(s *suite, m *module) {
	v := count(i32, 50)
	m.raw(s, testCase{name: "descriptor/1d", args: []arg{in(v), result(window(v, []int{40}, []int{16}, 0))}},
		"x_ptr, z_ptr", `
d = tl.make_tensor_descriptor(x_ptr, [50], [1], [16])
tl.store(z_ptr + tl.arange(0, 16), d.load([40]))
`)
	x := count(f32, 4, 6, 8)
	m.raw(s, testCase{name: "descriptor/3d", args: []arg{in(x),
		result(window(x, []int{2, 4, 4}, []int{2, 4, 8}, 0))}}, "x_ptr, z_ptr", `
d = tl.make_tensor_descriptor(x_ptr, [4, 6, 8], [48, 8, 1], [2, 4, 8])
tl.store(z_ptr + tl.arange(0, 64), d.load([2, 4, 4]).reshape(64))
`)
	m.raw(s, testCase{name: "descriptor/loop",
		args: []arg{in(count(i32, 4, 24)), scalar(24), result(build(i32, []int{4, 8}, func(at []int) uint64 {
			return uint64(3*(24*at[0]+at[1]) + 24)
		}))}}, "x_ptr, K, z_ptr", `
d = tl.make_tensor_descriptor(x_ptr, [4, K], [K, 1], [4, 8])
acc = tl.zeros([4, 8], tl.int32)
for k in range(0, K, 8):
    acc += d.load([0, k])
tl.store(z_ptr + tl.arange(0, 32), acc.reshape(32))
`)
	m.raw(s, testCase{name: "descriptor/attributes", args: []arg{descriptor(in(count(f32, 4, 24)), 4, 8),
		result(ofInts(i64, 4, 24, 24, 1, 4, 8))}}, "d, z_ptr", `
tl.static_assert(d.dtype == tl.float32)
tl.store(z_ptr, d.shape[0])
tl.store(z_ptr + 1, d.shape[1])
tl.store(z_ptr + 2, d.strides[0])
tl.store(z_ptr + 3, d.strides[1])
tl.store(z_ptr + 4, d.block_shape[0])
tl.store(z_ptr + 5, d.block_shape[1])
`)
	m.define(`
@triton.jit
def pick(d, i, TWICE: tl.constexpr):
    x = d.load([i, 0])
    if TWICE:
        x = x + x
    return x
`)
	m.raw(s, testCase{name: "descriptor/helper", args: []arg{descriptor(in(count(f32, 8, 8)), 4, 8),
		result(build(f32, []int{4, 8}, func(at []int) uint64 {
			return f32.bitsOf(float64(2*(8*(at[0]+4)+at[1])), nearest)
		}))}}, "d, z_ptr", "tl.store(z_ptr + tl.arange(0, 32), pick(d, 4, True).reshape(32))")
	for _, c := range []struct{ name, body string }{
		{"offsets", "d.load([0])"}, {"narrow", "tl.make_tensor_descriptor(x_ptr, [8, 8], [8, 1], [4, 2])"},
		{"stride", "tl.make_tensor_descriptor(x_ptr, [8, 8], [8, 2], [4, 8])"},
		{"rank", "tl.make_tensor_descriptor(x_ptr, [8, 8], [8], [4, 8])"},
		{"power", "tl.make_tensor_descriptor(x_ptr, [8, 8], [8, 1], [3, 8])"},
		{"store", "d.store([0, 0], tl.zeros([8, 8], tl.float32))"},
		{"gather", "d.gather(tl.arange(0, 8), 0)"}, {"value", "tl.load(d)"},
		{"padding", `tl.make_tensor_descriptor(x_ptr, [8, 8], [8, 1], [4, 8], padding_option="one")`},
	} {
		m.raw(s, testCase{name: "descriptor/refused/" + c.name, refused: true,
			args: []arg{in(count(f32, 8, 8))}}, "x_ptr",
			"d = tl.make_tensor_descriptor(x_ptr, [8, 8], [8, 1], [4, 8])\n"+c.body)
	}
}

// descriptorRows: gather and scatter of single rows.
func descriptorRows(s *suite, m *module) {
	for _, dt := range []*dtype{f32, f16, bf16, i8, e5m2, i32} {
		cols := max(8*32/dt.bits, 8)
		x := newSource("rows/"+dt.sig).any(dt, 20, cols)
		rows := ofInts(i32, 3, 19, 0, 7, 7, 12, 5, 1)
		m.raw(s, testCase{name: "descriptor/gather/" + dt.sig,
			args: []arg{in(x), in(rows), result(build(dt, []int{8, cols}, func(at []int) uint64 {
				return x.bits[x.flat(int(rows.int(at[0])), at[1])]
			}))}}, "x_ptr, r_ptr, z_ptr", fmt.Sprintf(`
d = tl.make_tensor_descriptor(x_ptr, [20, %d], [%[1]d, 1], [1, %[1]d])
rows = tl.load(r_ptr + tl.arange(0, 8))
tl.store(z_ptr + tl.arange(0, %d), d.gather(rows, 0).reshape(%[2]d))
`, cols, 8*cols))
		to := ofInts(i32, 3, 19, 0, 8, 7, 12, 5, 1)
		block := newSource("scatter/"+dt.sig).any(dt, 8, cols)
		m.raw(s, testCase{name: "descriptor/scatter/" + dt.sig,
			args: []arg{in(block), in(to), inout(x, func() array {
				out := x
				for i := range 8 {
					out = pasted(out, []int{int(to.int(i)), 0},
						array{dt, []int{1, cols}, block.bits[i*cols : (i+1)*cols]})
				}
				return out
			})}}, "x_ptr, r_ptr, z_ptr", fmt.Sprintf(`
d = tl.make_tensor_descriptor(z_ptr, [20, %d], [%[1]d, 1], [1, %[1]d])
x = tl.load(x_ptr + tl.arange(0, %d)).reshape(8, %[1]d)
d.scatter(x, tl.load(r_ptr + tl.arange(0, 8)), 0)
`, cols, 8*cols))
	}
}

func descriptorAtomics(s *suite, m *module) {
	types := map[string][]*dtype{
		"add": {u32, i32, u64, f32, f16, bf16}, "min": {u32, i32, u64, i64, f16, bf16},
		"max": {u32, i32, u64, i64, f16, bf16}, "and": {u32, i32, u64, i64}, "or": {u32, i32, u64, i64},
		"xor": {u32, i32, u64, i64},
	}
	for _, a := range atomics {
		for _, dt := range standard {
			if a.name == "xchg" || dt == i1 {
				continue
			}
			allowed := slices.Contains(types[a.name], dt)
			name := fmt.Sprintf("descriptor/atomic_%s/%s", a.name, dt)
			cols := max(16/dt.size(), 8)
			src := newSource(name)
			x, y := src.small(dt, 8, 2*cols), src.small(dt, 4, cols)
			at := []int{6, cols / 2}
			m.raw(s, testCase{name: name, refused: !allowed, args: []arg{in(y), inout(x, func() array {
				now := window(x, at, []int{4, cols}, 0)
				for i := range now.bits {
					now.bits[i] = a.fn(dt, now.bits[i], y.bits[i])
				}
				return pasted(x, at, now)
			})}}, "x_ptr, z_ptr", fmt.Sprintf(`
d = tl.make_tensor_descriptor(z_ptr, [8, %d], [%[1]d, 1], [4, %d])
x = tl.load(x_ptr + tl.arange(0, %d)).reshape(4, %[2]d)
d.atomic_%[4]s([6, %[5]d], x)
`, 2*cols, cols, 4*cols, a.name, cols/2))
		}
	}
}
