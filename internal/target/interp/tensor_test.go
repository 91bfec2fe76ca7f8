package interp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// shapeText is "4x8".
func shapeText(shape []int) string {
	s := make([]string, len(shape))
	for i, n := range shape {
		s[i] = fmt.Sprint(n)
	}
	return strings.Join(s, "x")
}

func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// tensorKernel is a kernel that loads tensors of the given shapes from memory (names %v0, %v1 …), runs a
// body, and stores results (names given), all flattened in memory.
type tensor struct {
	ty    string
	shape []int // nil: a scalar
}

func (x tensor) text() string {
	if x.shape == nil {
		return x.ty
	}
	return "tensor<" + shapeText(x.shape) + "x" + x.ty + ">"
}

func tensorKernel(ins []tensor, body string, outs []tensor, names ...string) string {
	var b strings.Builder
	b.WriteString("tt.func public @k(")
	for i, x := range append(slices.Clone(ins), outs...) {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%%p%d: !tt.ptr<%s>", i, x.ty)
	}
	b.WriteString(") {\n")
	pointers := func(i int, x tensor) string {
		n := size(x.shape)
		if x.shape == nil {
			return fmt.Sprintf("%%p%d", i)
		}
		fmt.Fprintf(&b, "%%pr%d = tt.make_range {start = 0 : i32, end = %d : i32} : tensor<%dxi32>\n",
			i, n, n)
		fmt.Fprintf(&b, "%%pq%d = tt.reshape %%pr%d : tensor<%dxi32> -> tensor<%sxi32>\n", i, i, n,
			shapeText(x.shape))
		fmt.Fprintf(&b, "%%ps%d = tt.splat %%p%d : !tt.ptr<%s> -> tensor<%sx!tt.ptr<%s>>\n", i, i, x.ty,
			shapeText(x.shape), x.ty)
		fmt.Fprintf(&b, "%%pa%d = tt.addptr %%ps%d, %%pq%d : tensor<%sx!tt.ptr<%s>>, tensor<%sxi32>\n", i, i,
			i, shapeText(x.shape), x.ty, shapeText(x.shape))
		return fmt.Sprintf("%%pa%d", i)
	}
	ptrType := func(x tensor) string {
		if x.shape == nil {
			return "!tt.ptr<" + x.ty + ">"
		}
		return fmt.Sprintf("tensor<%sx!tt.ptr<%s>>", shapeText(x.shape), x.ty)
	}
	for i, x := range ins {
		p := pointers(i, x)
		fmt.Fprintf(&b, "%%v%d = tt.load %s : %s\n", i, p, ptrType(x))
	}
	b.WriteString(body + "\n")
	for i, x := range outs {
		p := pointers(len(ins)+i, x)
		fmt.Fprintf(&b, "tt.store %s, %s : %s\n", p, names[i], ptrType(x))
	}
	b.WriteString("tt.return\n}\n")
	return b.String()
}

// runTensors runs such a kernel.
func runTensors(t *testing.T, ins []tensor, data [][]uint64, body string, outs []tensor,
	names ...string) [][]uint64 {
	t.Helper()
	return runTensorsIn(t, "", ins, data, body, outs, names...)
}

func runTensorsIn(t *testing.T, functions string, ins []tensor, data [][]uint64, body string, outs []tensor,
	names ...string) [][]uint64 {
	t.Helper()
	mem := NewMemory()
	var args []any
	for i, d := range data {
		args = append(args, mem.Alloc(pack(ins[i].ty, d), fmt.Sprintf("in%d", i)))
	}
	bufs := make([][]byte, len(outs))
	for i, o := range outs {
		bufs[i] = make([]byte, size(o.shape)*sizeOf(o.ty))
		args = append(args, mem.Alloc(bufs[i], fmt.Sprintf("out%d", i)))
	}
	src := tensorKernel(ins, body, outs, names...)
	if functions != "" {
		src = "module {\n" + functions + src + "}\n"
	}
	mustLaunch(t, src, one, mem, args...)
	res := make([][]uint64, len(outs))
	for i, o := range outs {
		res[i] = unpack(o.ty, bufs[i])
	}
	return res
}

func counting(n int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = uint64(i)
	}
	return s
}

func equalRows(t *testing.T, what string, got, want []uint64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestShapes(t *testing.T) {
	// small numbers are numbers of f16 too, in bits
	for _, ty := range []string{"i8", "i16", "i32", "i64", "f16"} {
		x := tensor{ty, []int{4, 8}}
		in := [][]uint64{counting(32)}
		T := func(shape ...int) tensor { return tensor{ty, shape} }

		got := runTensors(t, []tensor{x}, in, "%y = tt.trans %v0 {order = array<i32: 1, 0>} : tensor<4x8x"+ty+
			"> -> tensor<8x4x"+ty+">", []tensor{T(8, 4)}, "%y")
		want := make([]uint64, 32)
		for i := range 8 {
			for j := range 4 {
				want[i*4+j] = uint64(j*8 + i)
			}
		}
		equalRows(t, "trans "+ty, got[0], want)

		x3 := tensor{ty, []int{2, 4, 4}}
		got = runTensors(t, []tensor{x3}, in, "%y = tt.trans %v0 {order = array<i32: 2, 0, 1>} : "+
			"tensor<2x4x4x"+ty+"> -> tensor<4x2x4x"+ty+">", []tensor{T(4, 2, 4)}, "%y")
		for i := range 4 {
			for j := range 2 {
				for k := range 4 {
					want[(i*2+j)*4+k] = uint64((j*4+k)*4 + i)
				}
			}
		}
		equalRows(t, "trans 3d "+ty, got[0], want)

		for _, c := range []struct{ from, to []int }{{[]int{1, 8}, []int{4, 8}}, {[]int{8, 1}, []int{8, 4}},
			{[]int{2, 1, 4}, []int{2, 8, 4}}, {[]int{1, 1, 8}, []int{2, 4, 8}},
			{[]int{1, 4, 1}, []int{2, 4, 4}}, {[]int{1, 1}, []int{4, 4}}} {
			from, to := tensor{ty, c.from}, tensor{ty, c.to}
			got := runTensors(t, []tensor{from}, [][]uint64{counting(size(c.from))},
				"%y = tt.broadcast %v0 : "+from.text()+" -> "+to.text(), []tensor{to}, "%y")
			for i, g := range got[0] {
				at, off := unravelInts(i, c.to), 0
				for d, n := range c.from {
					off = off*n + at[d]%n
				}
				if g != uint64(off) {
					t.Fatalf("broadcast %s %v to %v: element %d is %d, want %d", ty, c.from, c.to, i, g, off)
				}
			}
		}

		y := tensor{ty, []int{4, 2}}
		more := []uint64{10, 11, 12, 13, 14, 15, 16, 17}
		got = runTensors(t, []tensor{y, y}, [][]uint64{counting(8), more},
			"%j = tt.join %v0, %v1 : tensor<4x2x"+ty+"> -> tensor<4x2x2x"+ty+">", []tensor{T(4, 2, 2)}, "%j")
		equalRows(t, "join "+ty, got[0], []uint64{0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16, 7, 17})
		got = runTensors(t, []tensor{y}, [][]uint64{counting(8)}, "%a, %b = tt.split %v0 : tensor<4x2x"+ty+
			"> -> tensor<4x"+ty+">", []tensor{T(4), T(4)}, "%a", "%b")
		equalRows(t, "split "+ty, slices.Concat(got...), []uint64{0, 2, 4, 6, 1, 3, 5, 7})
		v := tensor{ty, []int{8}}
		got = runTensors(t, []tensor{v, v}, [][]uint64{counting(8), more}, "%c = tt.cat %v0, %v1 : tensor<8x"+
			ty+"> -> tensor<16x"+ty+">", []tensor{T(16)}, "%c")
		equalRows(t, "cat "+ty, got[0], slices.Concat(counting(8), more))
		got = runTensors(t, []tensor{v}, [][]uint64{counting(8)},
			"%e = tt.expand_dims %v0 {axis = 1 : i32} : tensor<8x"+ty+"> -> tensor<8x1x"+ty+">\n"+
				"%f = tt.reshape %e : tensor<8x1x"+ty+"> -> tensor<2x4x"+ty+">", []tensor{T(2, 4)}, "%f")
		equalRows(t, "reshape "+ty, got[0], counting(8))
		got = runTensors(t, []tensor{{ty, []int{1}}}, [][]uint64{{9}}, "%u = tt.unsplat %v0 : tensor<1x"+ty+
			">\n%s = tt.splat %u : "+ty+" -> tensor<4x"+ty+">", []tensor{T(4)}, "%s")
		equalRows(t, "splat "+ty, got[0], []uint64{9, 9, 9, 9})
	}
}

func unravelInts(i int, shape []int) []int {
	at := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		at[d] = i % shape[d]
		i /= shape[d]
	}
	return at
}

func TestGatherAndHistogram(t *testing.T) {
	x, i := tensor{"f32", []int{2, 4}}, tensor{"i32", []int{2, 4}}
	data := counting(8)
	got := runTensors(t, []tensor{x, i}, [][]uint64{data, {3, 3, 0, 1, 2, 0, 1, 1}},
		"%y = tt.gather %v0[%v1] {axis = 1 : i32} : (tensor<2x4xf32>, tensor<2x4xi32>) -> tensor<2x4xf32>",
		[]tensor{x}, "%y")
	equalRows(t, "gather 1", got[0], []uint64{3, 3, 0, 1, 6, 4, 5, 5})
	got = runTensors(t, []tensor{x, i}, [][]uint64{data, {1, 0, 1, 0, 0, 0, 1, 1}},
		"%y = tt.gather %v0[%v1] {axis = 0 : i32} : (tensor<2x4xf32>, tensor<2x4xi32>) -> tensor<2x4xf32>",
		[]tensor{x}, "%y")
	equalRows(t, "gather 0", got[0], []uint64{4, 1, 6, 3, 0, 1, 6, 7})

	h, m := tensor{"i32", []int{8}}, tensor{"i1", []int{8}}
	vals, mask := []uint64{0, 1, 1, 3, 3, 3, 0, 2}, []uint64{1, 1, 1, 1, 0, 1, 1, 0}
	got = runTensors(t, []tensor{h, m}, [][]uint64{vals, mask}, "%y = tt.histogram %v0 : tensor<8xi32> -> "+
		"tensor<4xi32>\n%z = tt.histogram %v0, %v1 : tensor<8xi32> -> tensor<4xi32>",
		[]tensor{{"i32", []int{4}}, {"i32", []int{4}}}, "%y", "%z")
	equalRows(t, "histogram", slices.Concat(got...), []uint64{2, 2, 1, 3, 2, 2, 0, 2})

	mem := NewMemory()
	src := tensorKernel([]tensor{x, i}, "%y = tt.gather %v0[%v1] {axis = 1 : i32} : (tensor<2x4xf32>, "+
		"tensor<2x4xi32>) -> tensor<2x4xf32>", []tensor{x}, "%y")
	err := launch(t, src, one, Options{}, mem, mem.Alloc(pack("f32", data), "x"),
		mem.Alloc(pack("i32", []uint64{0, 0, 0, 0, 0, 4, 0, 0}), "i"), mem.Alloc(make([]byte, 32), "o"))
	wantFault(t, err, "index 4 is out of bounds for axis 1 of size 4, element (1, 1)\n    tt.gather in k, "+
		"program (0, 0, 0)")
}

// pairwise is the order in which reductions are defined: neighbours first.
func pairwise[T any](xs []T, f func(a, b T) T) T {
	for len(xs) > 1 {
		next := make([]T, len(xs)/2)
		for i := range next {
			next[i] = f(xs[2*i], xs[2*i+1])
		}
		xs = next
	}
	return xs[0]
}

// axisRow is the elements along an axis through element i of the reduced shape, by their places.
func axisRow(shape []int, axis, i int) []int {
	rest := slices.Delete(slices.Clone(shape), axis, axis+1)
	at := slices.Insert(unravelInts(i, rest), axis, 0)
	out := make([]int, shape[axis])
	for k := range out {
		at[axis] = k
		off := 0
		for d, n := range shape {
			off = off*n + at[d]
		}
		out[k] = off
	}
	return out
}

func reduceText(op string, ops []string, ins []tensor, axis int, combine, ret string,
	results []tensor) string {
	var types, args, outs []string
	for _, x := range ins {
		types = append(types, x.text())
	}
	for k := range 2 {
		for i, x := range ins {
			args = append(args, fmt.Sprintf("%%%c%d: %s", "lr"[k], i, x.ty))
		}
	}
	for _, x := range results {
		outs = append(outs, x.text())
	}
	attrs := fmt.Sprintf("axis = %d : i32", axis)
	if op == "scan" {
		attrs += ", reverse = false"
	}
	return fmt.Sprintf("%%y:%d = \"tt.%s\"(%s) <{%s}> ({\n^bb0(%s):\n%s\n%s\n}) : (%s) -> (%s)", len(results),
		op, strings.Join(ops, ", "), attrs, strings.Join(args, ", "), combine, ret, strings.Join(types, ", "),
		strings.Join(outs, ", "))
}

func TestReduce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct {
		ty, op string
		f      func(a, b float64) float64
	}{
		{"f32", "arith.addf", func(a, b float64) float64 {
			return a + b
		}}, {"f16", "arith.addf", func(a, b float64) float64 { return a + b }},
		{"bf16", "arith.mulf", func(a, b float64) float64 {
			return a * b
		}}, {"f64", "arith.maximumf", refMax}, {"f32", "arith.minnumf", dropNaN(math.Min)},
		{"i32", "arith.addi", func(a, b float64) float64 {
			return a + b
		}}, {"i8", "arith.maxsi", math.Max}, {"i64", "arith.minui", math.Min},
		{"i1", "arith.ori", math.Max}, {"i16", "arith.andi", func(a, b float64) float64 {
			return float64(int64(a) & int64(b))
		}},
	} {
		for _, shape := range [][]int{{1}, {2}, {64}, {4, 8}, {2048}, {2, 4, 8}, {64, 64}, {1, 4096}} {
			for axis := range shape {
				data := make([]uint64, size(shape))
				f := floatFormats[c.ty]
				for i := range data {
					switch {
					case c.ty == "i1":
						data[i] = uint64(r.IntN(2))
					case f != nil:
						data[i] = f.Encode(r.NormFloat64())
					default:
						data[i] = uint64(r.IntN(100))
					}
				}
				value := func(b uint64) float64 {
					if f != nil {
						return f.Decode(b)
					}
					return float64(b)
				}
				in := tensor{c.ty, shape}
				out := tensor{c.ty, slices.Delete(slices.Clone(shape), axis, axis+1)}
				if len(out.shape) == 0 {
					out.shape = nil
				}
				body := reduceText("reduce", []string{"%v0"}, []tensor{in}, axis,
					fmt.Sprintf("%%s = %s %%l0, %%r0 : %s", c.op, c.ty), "tt.reduce.return %s : "+c.ty,
					[]tensor{out})
				got := runTensors(t, []tensor{in}, [][]uint64{data}, body, []tensor{out}, "%y#0")[0]
				for i, g := range got {
					var xs []float64
					for _, at := range axisRow(shape, axis, i) {
						xs = append(xs, value(data[at]))
					}
					want := pairwise(xs, func(a, b float64) float64 {
						if f != nil {
							return f.Round(c.f(a, b))
						}
						return c.f(a, b)
					})
					if value(g) != want {
						t.Fatalf("%s %s %v axis %d element %d: got %v, want %v", c.op, c.ty, shape, axis, i,
							value(g), want)
					}
				}
			}
		}
	}
}

const argmaxFn = `
tt.func private @pick(%a: f32, %i: i32, %b: f32, %j: i32) -> (f32, i32) attributes {noinline = true} {
  %gt = arith.cmpf ogt, %a, %b : f32
  %eq = arith.cmpf oeq, %a, %b : f32
  %lt = arith.cmpi slt, %i, %j : i32
  %tie = arith.andi %eq, %lt : i1
  %k = arith.ori %gt, %tie : i1
  %v = arith.select %k, %a, %b : f32
  %w = arith.select %k, %i, %j : i32
  tt.return %v, %w : f32, i32
}
`

// argmax by a call, by the same inline, with a branch (which runs for each element), and with a constant
// from outside.
var argmaxRegions = map[string]string{
	"call": `%v, %w = tt.call @pick(%l0, %l1, %r0, %r1) : (f32, i32, f32, i32) -> (f32, i32)`,
	"inline": `%gt = arith.cmpf ogt, %l0, %r0 : f32
%eq = arith.cmpf oeq, %l0, %r0 : f32
%lt = arith.cmpi slt, %l1, %r1 : i32
%tie = arith.andi %eq, %lt : i1
%k = arith.ori %gt, %tie : i1
%v = arith.select %k, %l0, %r0 : f32
%w = arith.select %k, %l1, %r1 : i32`,
	"branch": `%lt = arith.cmpf ult, %l0, %r0 : f32
%v, %w = scf.if %lt -> (f32, i32) {
  scf.yield %r0, %r1 : f32, i32
} else {
  scf.yield %l0, %l1 : f32, i32
}`,
	"captured": `%z = arith.addi %l1, %c0 : i32
%ge = arith.cmpf oge, %l0, %r0 : f32
%v = arith.select %ge, %l0, %r0 : f32
%w = arith.select %ge, %z, %r1 : i32`,
}

func TestArgmax(t *testing.T) {
	for name, region := range argmaxRegions {
		for _, shape := range [][]int{{256}, {8, 16}, {4096}} {
			for axis := range shape {
				r := rand.New(rand.NewPCG(5, 6))
				vals, idx := make([]uint64, size(shape)), make([]uint64, size(shape))
				for i := range vals {
					vals[i] = enc("f32", float64(r.IntN(20)))
					idx[i] = uint64(unravelInts(i, shape)[axis])
				}
				ins := []tensor{{"f32", shape}, {"i32", shape}}
				rest := slices.Delete(slices.Clone(shape), axis, axis+1)
				if len(rest) == 0 {
					rest = nil
				}
				outs := []tensor{{"f32", rest}, {"i32", rest}}
				body := "%c0 = arith.constant 0 : i32\n" + reduceText("reduce", []string{"%v0", "%v1"}, ins,
					axis, region, "tt.reduce.return %v, %w : f32, i32", outs)
				got := runTensorsIn(t, argmaxFn, ins, [][]uint64{vals, idx}, body, outs, "%y#0", "%y#1")
				for i := range got[0] {
					best, at := math.Inf(-1), 0
					for k, off := range axisRow(shape, axis, i) {
						if v := dec("f32", vals[off]); v > best {
							best, at = v, k
						}
					}
					if dec("f32", got[0][i]) != best || got[1][i] != uint64(at) {
						t.Fatalf("%s %v axis %d element %d: got %v at %d, want %v at %d", name, shape, axis,
							i, dec("f32", got[0][i]), got[1][i], best, at)
					}
				}
			}
		}
	}
}

func TestScan(t *testing.T) {
	for _, reverse := range []bool{false, true} {
		for _, shape := range [][]int{{1}, {64}, {4096}, {4, 8}, {2, 64, 4}, {16, 2}} {
			for axis := range shape {
				data := make([]uint64, size(shape))
				for i := range data {
					data[i] = uint64(i*7919%1000) | 1
				}
				in := tensor{"i32", shape}
				// Two operands: a running sum, and the place of the last even number, which is not
				// commutative.
				body := reduceText("scan", []string{"%v0", "%v1"}, []tensor{in, in}, axis,
					"%s = arith.addi %l0, %r0 : i32\n%c1 = arith.constant 1 : i32\n%m = arith.andi %r1, "+
						"%c1 : i32\n%z = arith.constant 0 : i32\n%even = arith.cmpi eq, %m, %z : i32\n%p "+
						"= arith.select %even, %r1, %l1 : i32",
					"tt.scan.return %s, %p : i32, i32", []tensor{in, in})
				if reverse {
					body = strings.Replace(body, "reverse = false", "reverse = true", 1)
				}
				second := make([]uint64, len(data))
				for i := range second {
					second[i] = uint64(i * 31 % 64)
				}
				got := runTensors(t, []tensor{in, in}, [][]uint64{data, second}, body, []tensor{in, in},
					"%y#0", "%y#1")
				rest := size(shape) / shape[axis]
				for i := range rest {
					offs := axisRow(shape, axis, i)
					if reverse {
						slices.Reverse(offs)
					}
					sum, last := uint64(0), second[offs[0]]
					for k, off := range offs {
						sum += data[off]
						if k > 0 && second[off]%2 == 0 {
							last = second[off]
						}
						if got[0][off] != sum || got[1][off] != last {
							t.Fatalf("%v axis %d reverse %v element %d: got %d, %d, want %d, %d", shape, axis,
								reverse, off, got[0][off], got[1][off], sum, last)
						}
					}
				}
			}
		}
	}
}

func TestMapElementwise(t *testing.T) {
	x := tensor{"i32", []int{4, 1024}}
	n := size(x.shape)
	text := func(pack int, args, body, ret string) string {
		return fmt.Sprintf("%%y:2 = \"tt.map_elementwise\"(%%v0, %%v1) <{pack = %d : i32}> ({\n^bb0(%s):\n"+
			"%s\n%s\n}) : (tensor<4x1024xi32>, tensor<4x1024xi32>) -> (tensor<4x1024xi32>, "+
			"tensor<4x1024xi32>)", pack, args, body, ret)
	}
	a, b := counting(n), make([]uint64, n)
	for i := range b {
		b[i] = uint64(i * 3)
	}
	// Straight code, in groups of two: the sum of the pair of the first, and the second with the pair
	// turned round.
	got := runTensors(t, []tensor{x, x}, [][]uint64{a, b}, text(2, "%a0: i32, %a1: i32, %b0: i32, %b1: i32",
		"%s = arith.addi %a0, %a1 : i32", "tt.map_elementwise.return %s, %a1, %b1, %b0 : i32, i32, i32, i32"),
		[]tensor{x, x}, "%y#0", "%y#1")
	for i := range n {
		want0, want1 := a[i], b[i^1]
		if i%2 == 0 {
			want0 = a[i] + a[i+1]
		}
		if got[0][i] != want0 || got[1][i] != want1 {
			t.Fatalf("element %d: got %d, %d, want %d, %d", i, got[0][i], got[1][i], want0, want1)
		}
	}
	// Blocks.
	got = runTensors(t, []tensor{x, x}, [][]uint64{a, b},
		text(1, "%p: i32, %q: i32", `%c100 = arith.constant 100 : i32
%c = arith.cmpi slt, %p, %c100 : i32
cf.cond_br %c, ^low, ^high
^low:
tt.map_elementwise.return %p, %c100 : i32, i32
^high:
%d = arith.subi %q, %p : i32`, "tt.map_elementwise.return %d, %q : i32, i32"), []tensor{x, x}, "%y#0", "%y#1")
	for i := range n {
		want0, want1 := b[i]-a[i], b[i]
		if i < 100 {
			want0, want1 = a[i], 100
		}
		if got[0][i] != want0 || got[1][i] != want1 {
			t.Fatalf("element %d: got %d, %d, want %d, %d", i, got[0][i], got[1][i], want0, want1)
		}
	}
}

func TestDot(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct{ in, out string }{{"f16", "f32"}, {"bf16", "f32"}, {"f32", "f32"},
		{"f64", "f64"}, {"f16", "f16"}, {"f8E5M2", "f32"}, {"f8E4M3FN", "f32"}, {"i8", "i32"}} {
		for _, d := range [][4]int{{1, 16, 16, 16}, {1, 64, 32, 8}, {3, 8, 4, 32}, {1, 1, 1, 1},
			{1, 2, 2, 64}} {
			batch, m, n, k := d[0], d[1], d[2], d[3]
			shape := func(r, c int) []int {
				if batch == 1 {
					return []int{r, c}
				}
				return []int{batch, r, c}
			}
			fill := func(ty string, n int) []uint64 {
				out := make([]uint64, n)
				for i := range out {
					if f := floatFormats[ty]; f != nil {
						out[i] = f.Encode(r.NormFloat64())
					} else {
						out[i] = uint64(r.IntN(256))
					}
				}
				return out
			}
			ta, tb, tc := tensor{c.in, shape(m, k)}, tensor{c.in, shape(k, n)}, tensor{c.out, shape(m, n)}
			a, b, acc := fill(c.in, batch*m*k), fill(c.in, batch*k*n), fill(c.out, batch*m*n)
			got := runTensors(t, []tensor{ta, tb, tc}, [][]uint64{a, b, acc}, fmt.Sprintf("%%y = tt.dot "+
				"%%v0, %%v1, %%v2 : %s * %s -> %s", ta.text(), tb.text(), tc.text()), []tensor{tc}, "%y")[0]
			value := func(ty string, b uint64) float64 {
				if f := floatFormats[ty]; f != nil {
					return f.Decode(b)
				}
				return float64(signExtend(b, sizeOf(ty)*8))
			}
			for i := range got {
				q, row, col := i/(m*n), i/n%m, i%n
				sum, total := 0.0, value(c.out, acc[i])
				for l := range k {
					sum += value(c.in, a[(q*m+row)*k+l]) * value(c.in, b[(q*k+l)*n+col])
					if c.out == "f16" && l%16 == 15 { // rounded after each instruction's worth
						sum, total = 0, dec("f16", enc("f16", sum+total))
					}
				}
				sum += total
				want := uint64(uint32(int64(sum)))
				if f := floatFormats[c.out]; f != nil {
					want = f.Encode(sum)
				}
				if got[i] != want {
					t.Fatalf("%s %v element %d: got %v, want %v", c.in, d, i, value(c.out, got[i]), sum)
				}
			}
		}
	}
}

// TestDotTF32: with the option inputs lose 13 bits, as on the GPU.
func TestDotTF32(t *testing.T) {
	x := tensor{"f32", []int{16, 16}}
	src := tensorKernel([]tensor{x, x}, "%z = arith.constant dense<0.0> : tensor<16x16xf32>\n%y = tt.dot "+
		"%v0, %v1, %z, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>",
		[]tensor{x}, "%y")
	a, b := make([]float32, 256), make([]float32, 256)
	a[0], b[0] = 1+0x1p-10+0x1p-11, 1+0x1p-20
	for _, tf32 := range []bool{false, true} {
		out := make([]float32, 256)
		mem := NewMemory()
		if err := launch(t, src, one, Options{TF32: tf32}, mem, mem.Alloc(bytesOf(a), "a"),
			mem.Alloc(bytesOf(b), "b"), mem.Alloc(bytesOf(out), "o")); err != nil {
			t.Fatal(err)
		}
		want := a[0] * b[0]
		if tf32 {
			want = 1 + 0x1p-10
		}
		if out[0] != want {
			t.Errorf("tf32 %v: got %v, want %v", tf32, out[0], want)
		}
	}
}

func TestDotScaled(t *testing.T) {
	const m, n, k = 16, 8, 64
	r := rand.New(rand.NewPCG(9, 10))
	e2m1 := []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6}
	bytes := func(n, mod int) []uint64 {
		out := make([]uint64, n)
		for i := range out {
			out[i] = uint64(r.IntN(mod))
		}
		return out
	}
	a, b := bytes(m*k/2, 256), make([]uint64, k*n)
	for i := range b {
		b[i] = enc("f8E4M3FN", r.NormFloat64())
	}
	sa, sb := bytes(m*k/32, 8), bytes(n*k/32, 8)
	for i := range sa {
		sa[i] += 124
	}
	for i := range sb {
		sb[i] += 122
	}
	ins := []tensor{{"i8", []int{m, k / 2}}, {"i8", []int{m, k / 32}}, {"f8E4M3FN", []int{k, n}},
		{"i8", []int{n, k / 32}}}
	got := runTensors(t, ins, [][]uint64{a, sa, b, sb},
		fmt.Sprintf(`%%z = arith.constant dense<1.0> : tensor<%[1]dx%[2]dxf32>
%%y = tt.dot_scaled %%v0 scale %%v1, %%v2 scale %%v3, %%z
    lhs = e2m1 rhs = e4m3 {fastMath = false} : %[3]s, %[4]s * %[5]s, %[6]s -> tensor<%[1]dx%[2]dxf32>`,
			m, n, ins[0].text(), ins[1].text(), ins[2].text(), ins[3].text()),
		[]tensor{{"f32", []int{m, n}}}, "%y")[0]
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				x := e2m1[a[i*k/2+l/2]>>(4*(l%2))&15] * math.Ldexp(1, int(sa[i*k/32+l/32])-127)
				y := dec("f8E4M3FN", b[l*n+j]) * math.Ldexp(1, int(sb[j*k/32+l/32])-127)
				sum += x * y
			}
			if want := float64(float32(sum + 1)); dec("f32", got[i*n+j]) != want {
				t.Fatalf("(%d, %d): got %v, want %v", i, j, dec("f32", got[i*n+j]), want)
			}
		}
	}
}
