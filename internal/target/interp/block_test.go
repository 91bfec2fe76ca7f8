package interp

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestBlockPointers copies the tiles of a 10 by 7 matrix, of which only the checked dimensions are cut at
// the border.
func TestBlockPointers(t *testing.T) {
	const src = `
tt.func public @k(%x: !tt.ptr<f16>, %o: !tt.ptr<f16>, %m: i64, %n: i64, %turns: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %one = arith.constant 1 : i64
  %n8 = arith.constant 8 : i64
  %r = arith.constant 0 : i32
  %p0 = tt.make_tensor_ptr %x, [%m, %n], [%n, %one], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<4x8xf16>>
  %rows = arith.constant 12 : i64
  %q0 = tt.make_tensor_ptr %o, [%rows, %n8], [%n8, %one], [%c0, %c0]
      {order = array<i32: 1, 0>} : <tensor<4x8xf16>>
  %e:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%p = %p0, %q = %q0)
      -> (!tt.ptr<tensor<4x8xf16>>, !tt.ptr<tensor<4x8xf16>>) : i32 {
    %v = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = PAD : i32} : !tt.ptr<tensor<4x8xf16>>
    tt.store %q, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<4x8xf16>>
    %p2 = tt.advance %p, [%c4, %c0] : <tensor<4x8xf16>>
    %q2 = tt.advance %q, [%c4, %c0] : <tensor<4x8xf16>>
    scf.yield %p2, %q2 : !tt.ptr<tensor<4x8xf16>>, !tt.ptr<tensor<4x8xf16>>
  }
  tt.return
}`
	in := make([]uint64, 70)
	for i := range in {
		in[i] = enc("f16", float64(i+1))
	}
	for pad, outside := range map[string]float64{"1": 0, "2": math.NaN()} {
		out := make([]byte, 96*2)
		mem := NewMemory()
		mustLaunch(t, strings.ReplaceAll(src, "PAD", pad), one, mem, mem.Alloc(pack("f16", in), "x"),
			mem.Alloc(out, "o"), 10, 7, 3)
		for i, b := range unpack("f16", out) {
			r, c := i/8, i%8
			want := enc("f16", outside)
			if r < 10 && c < 7 {
				want = in[r*7+c]
			}
			if !sameFloat("f16", b, want) {
				t.Fatalf("padding %s (%d, %d): got %v, want %v", pad, r, c, dec("f16", b), dec("f16", want))
			}
		}
	}
	mem := NewMemory() // dimension 1 is not checked when storing: one tile too far is out of bounds
	err := launch(t, strings.ReplaceAll(src, "PAD", "1"), one, Options{}, mem,
		mem.Alloc(pack("f16", in), "x"), mem.Alloc(make([]byte, 80*2), "o"), 10, 7, 3)
	wantFault(t, err, "out of bounds store of 2 bytes at offset 160 of buffer \"o\" (160 bytes), element "+
		"(2, 0)\n    tt.store in k, program (0, 0, 0)")
}

func TestDescriptors(t *testing.T) {
	const src = `
tt.func public @k(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>, %acc: !tt.ptr<f32>, %y: i32) {
  %m = arith.constant 6 : i32
  %n = arith.constant 8 : i32
  %s = arith.constant 8 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %d = tt.make_tensor_descriptor %x, [%m, %n], [%s, %one] PAD: !tt.ptr<f32>, !tt.tensordesc<tensor<4x4xf32>>
  %v = tt.descriptor_load %d[%c4, %y] : !tt.tensordesc<tensor<4x4xf32>> -> tensor<4x4xf32>
  %e = tt.make_tensor_descriptor %o, [%m, %n], [%s, %one] : !tt.ptr<f32>, !tt.tensordesc<tensor<4x4xf32>>
  tt.descriptor_store %e[%c4, %y], %v : !tt.tensordesc<tensor<4x4xf32>>, tensor<4x4xf32>
  %g = tt.make_tensor_descriptor %acc, [%m, %n], [%s, %one] : !tt.ptr<f32>, !tt.tensordesc<tensor<4x4xf32>>
  tt.descriptor_reduce KIND, %g[%c4, %y], %v : !tt.tensordesc<tensor<4x4xf32>>, tensor<4x4xf32>
  tt.return
}`
	x := make([]float32, 48)
	for i := range x {
		x[i] = float32(i)
	}
	for kind, f := range map[string]func(a, b float32) float32{"add": func(a, b float32) float32 {
		return a + b
	}, "max": func(a, b float32) float32 {
		return max(a, b)
	}, "min": func(a, b float32) float32 { return min(a, b) }} {
		for _, y := range []int{0, 2, 6} {
			o, acc := make([]float32, 48), make([]float32, 48)
			for i := range o {
				o[i], acc[i] = -1, 40
			}
			mem := NewMemory()
			mustLaunch(t, strings.NewReplacer("KIND", kind, "PAD", "").Replace(src), [3]int{1, 1, 1}, mem,
				mem.Alloc(bytesOf(x), "x"), mem.Alloc(bytesOf(o), "o"), mem.Alloc(bytesOf(acc), "acc"), y)
			for i := range o {
				r, c := i/8, i%8
				wo, wa := float32(-1), float32(40)
				if r >= 4 && c >= y && c < y+4 {
					wo, wa = x[i], f(40, x[i])
				}
				if o[i] != wo || acc[i] != wa {
					t.Fatalf("%s y %d (%d, %d): got %v, %v, want %v, %v", kind, y, r, c, o[i], acc[i], wo, wa)
				}
			}
		}
	}
}

// TestDescriptorArgument: a descriptor made by the host; gathers and scatters of rows; padding with NaN.
func TestDescriptorArgument(t *testing.T) {
	const src = `
tt.func public @k(%d: !tt.tensordesc<tensor<1x8xf16>>, %rows: !tt.ptr<i32>, %o: !tt.ptr<f16>,
    %e: !tt.tensordesc<tensor<1x8xf16>>) {
  %c4 = arith.constant 4 : i32
  %r = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %rs = tt.splat %rows : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
  %rp = tt.addptr %rs, %r : tensor<4x!tt.ptr<i32>>, tensor<4xi32>
  %i = tt.load %rp : tensor<4x!tt.ptr<i32>>
  %v = tt.descriptor_gather %d[%i, %c4] : (!tt.tensordesc<tensor<1x8xf16>>, tensor<4xi32>, i32)
      -> tensor<4x8xf16>
  tt.descriptor_scatter %e[%i, %c4], %v : !tt.tensordesc<tensor<1x8xf16>>, tensor<4xi32>, i32, tensor<4x8xf16>
  %q = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %q2 = tt.reshape %q : tensor<32xi32> -> tensor<4x8xi32>
  %os = tt.splat %o : !tt.ptr<f16> -> tensor<4x8x!tt.ptr<f16>>
  %op = tt.addptr %os, %q2 : tensor<4x8x!tt.ptr<f16>>, tensor<4x8xi32>
  tt.store %op, %v : tensor<4x8x!tt.ptr<f16>>
  tt.return
}`
	in := make([]uint64, 5*10)
	for i := range in {
		in[i] = enc("f16", float64(i))
	}
	rows := []int32{3, 0, 9, 4}
	out, copyOf := make([]byte, 64), make([]byte, 100)
	mem := NewMemory()
	x, y := mem.Alloc(pack("f16", in), "x"), mem.Alloc(copyOf, "y")
	d := mem.Descriptor(Descriptor{Base: x.Addr(), Shape: []int64{5, 10}, Strides: []int64{10, 1}, NaN: true})
	e := mem.Descriptor(Descriptor{Base: y.Addr(), Shape: []int64{5, 10}, Strides: []int64{10, 1}})
	mustLaunch(t, src, one, mem, d, mem.Alloc(bytesOf(rows), "rows"), mem.Alloc(out, "o"), e)
	for i, b := range unpack("f16", out) {
		r, c := rows[i/8], 4+i%8
		want := math.NaN()
		if r < 5 && c < 10 {
			want = float64(int(r)*10 + c)
		}
		if !sameFloat("f16", b, enc("f16", want)) {
			t.Errorf("element %d: got %v, want %v", i, dec("f16", b), want)
		}
	}
	for i, b := range unpack("f16", copyOf) {
		want := 0.0
		if r, c := i/10, i%10; c >= 4 && (r == 0 || r == 3 || r == 4) {
			want = float64(i)
		}
		if dec("f16", b) != want {
			t.Errorf("scattered element %d: got %v, want %v", i, dec("f16", b), want)
		}
	}
	p := compileText(t, src, "k")
	mem.FreeDescriptor(d)
	if err := p.Run(context.Background(), mem, one, []uint64{d, 0, 0, e}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "which is no handle of one") {
		t.Error(err)
	}
	if err := p.Run(context.Background(), mem, one, []uint64{7, 0, 0, e}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "given 0x7, which is no handle of one") {
		t.Error(err)
	}
}

// TestArguments: scalars of every type arrive as their bits.
func TestArguments(t *testing.T) {
	for ty, bits := range map[string]uint64{"i1": 1, "i8": 0x80, "i16": 0x8001, "i32": 0x80000001,
		"i64": 1 << 63, "f16": 0x3c01, "bf16": 0xc049, "f32": 0x40490fdb, "f64": 0x400921fb54442d18,
		"f8E5M2": 0x41} {
		src := fmt.Sprintf("tt.func public @k(%%x: %[1]s, %%o: !tt.ptr<%[1]s>) {\n tt.store %%o, %%x : "+
			"!tt.ptr<%[1]s>\n tt.return\n}", ty)
		out := make([]byte, sizeOf(ty))
		mem := NewMemory()
		mustLaunch(t, src, one, mem, bits, mem.Alloc(out, "o"))
		if got := unpack(ty, out)[0]; got != bits {
			t.Errorf("%s: got %#x, want %#x", ty, got, bits)
		}
	}
}

func TestProgramIDs(t *testing.T) {
	const src = `
tt.func public @k(%o: !tt.ptr<i32>) {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %nx = tt.get_num_programs x : i32
  %ny = tt.get_num_programs y : i32
  %nz = tt.get_num_programs z : i32
  %a = arith.muli %z, %ny : i32
  %b = arith.addi %a, %y : i32
  %c = arith.muli %b, %nx : i32
  %d = arith.addi %c, %x : i32
  %e = arith.muli %d, %nz : i32
  %p = tt.addptr %o, %d : !tt.ptr<i32>, i32
  tt.store %p, %e : !tt.ptr<i32>
  tt.return
}`
	p := compileText(t, src, "k")
	for _, grid := range [][3]int{{3, 4, 5}, {7, 1, 2}, {1, 1, 1}} { // one Program, several grids
		out := make([]int32, grid[0]*grid[1]*grid[2])
		mem := NewMemory()
		if err := p.Run(context.Background(), mem, grid, []uint64{mem.Alloc(bytesOf(out), "o").Addr()},
			Options{}); err != nil {
			t.Fatal(err)
		}
		for i, v := range out {
			if v != int32(i*grid[2]) {
				t.Errorf("grid %v program %d: %d", grid, i, v)
			}
		}
	}
}
