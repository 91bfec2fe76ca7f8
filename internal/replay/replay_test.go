package replay

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/num"
	"github.com/nereid-lang/nereid/internal/txtest"
)

func cases(t testing.TB) []*Case {
	t.Helper()
	var out []*Case
	for _, path := range txtest.Glob(t, "testdata/replay/*.safetensors") {
		c, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

func TestReadAll(t *testing.T) {
	all := cases(t)
	if len(all) != 66 {
		t.Errorf("%d cases", len(all))
	}
	for _, c := range all {
		if c.Kernel == "" || c.Grid[0] < 1 || len(c.Args) == 0 || len(c.Before) == 0 || len(c.After) == 0 {
			t.Errorf("%s: %+v", c.Path, c)
		}
		if n, ok := c.Options["num_warps"].(int64); !ok || n != 4 {
			t.Errorf("%s: num_warps is %v", c.Path, c.Options["num_warps"])
		}
		root := txtest.Root(t)
		if src := c.Source(root); !strings.Contains(txtest.Read(t, src), "def "+c.Kernel) {
			t.Errorf("%s: no %s in %s", c.Path, c.Kernel, src)
		}
	}
	if got := (&Case{Path: filepath.Join("a", "b.safetensors"),
		File: "@/k.py"}).Source("root"); got != filepath.Join("a", "src", "k.py") {
		t.Error(got)
	}
}

func TestBlock(t *testing.T) {
	for _, n := range []int{0, 1, 512, 513} {
		in := slices.Repeat([]byte{7}, n)
		if b := NewBlock(in, 0); string(b.All) != string(in) || b.At != 0 {
			t.Errorf("%d bytes: %d with no room", n, len(b.All))
		}
		b := NewBlock(in, Room)
		if s := b.Storage(); string(s) != string(in) || b.At != Room || len(b.All) < n+2*Room {
			t.Errorf("%d bytes: %d at %d of %d", n, len(s), b.At, len(b.All))
		}
		for i, v := range b.All {
			if v != 0 && (i < b.At || i >= b.At+n) {
				t.Fatalf("%d bytes: the room is not zeros", n)
			}
		}
		if n > 0 {
			b.All[b.At] = 9
			if in[0] != 7 || Storages(map[string]*Block{"s0": b})["s0"][0] != 9 {
				t.Error("a block is a copy, its storage is not")
			}
		}
	}
}

// after is the memory that a case recorded.
func after(c *Case) map[string][]byte {
	m := maps.Clone(c.Before)
	maps.Copy(m, c.After)
	for k, v := range m {
		m[k] = slices.Clone(v)
	}
	return m
}

// TestCompareNotices: what was recorded passes; the memory before the launch does not, nor does any element
// that is changed by more than its tolerance, nor memory that the launch must not touch.
func TestCompareNotices(t *testing.T) {
	for _, c := range cases(t) {
		if e, err := c.Compare(after(c)); e != 0 || err != nil {
			t.Errorf("%s: the recorded memory differs from itself by %v: %v", c.Path, e, err)
		}
		if _, err := c.Compare(c.Before); err == nil {
			t.Errorf("%s: nothing done, and no error", c.Path)
		}
		for s := range c.Before {
			got := after(c)
			a := c.view(s)
			d := elementOf(a.Dtype)
			i := len(got[s]) / d.size / 2
			bits := d.bits(got[s], i)
			if d.format == nil {
				bits ^= 1
			} else {
				v := d.format.Decode(bits)
				rel := c.tolerance(d.format)
				bits = d.format.Encode(v + 1.5*c.floor(d.format) + 1.5*rel*(math.Abs(v)+rms(d, got[s])+1e-7) +
					2*math.Abs(v)*math.Ldexp(1, -d.format.Man))
			}
			var buf [8]byte
			binary.LittleEndian.PutUint64(buf[:], bits)
			copy(got[s][i*d.size:(i+1)*d.size], buf[:])
			if e, err := c.Compare(got); err == nil {
				t.Errorf("%s: element %d of %s changed unnoticed (%v)", c.Path, i, a.Name, e)
			} else if !strings.Contains(err.Error(),
				fmt.Sprintf("%s: 1 of %d elements differ, first element %d: got ", a.Name, len(got[s])/d.size,
					i)) {
				t.Errorf("%s: %v", c.Path, err)
			}
		}
	}
}

// TestTolerances: what two correct devices may differ by passes.
func TestTolerances(t *testing.T) {
	f32 := func(vs ...float32) []byte {
		var b []byte
		for _, v := range vs {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	arg := func(dtype string) []Arg {
		return []Arg{{Name: "x", Kind: Tensor, Storage: "s0", Dtype: dtype}}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, c := range map[string]struct {
		dtype     string
		tf32      bool
		want, got []byte
		ok        bool
	}{
		"an error of the summands, not of the sum": {"fp32", false, f32(1000, 1e-5), f32(1000, 2e-3), true},
		"too much of that":                         {"fp32", false, f32(1000, 1e-5), f32(1000, 2e-1), false},
		"tf32":                                     {"fp32", true, f32(1, 2), f32(1.009, 2), true},
		"tf32, too much":                           {"fp32", true, f32(1, 2), f32(1.04, 2), false},
		"no tf32":                                  {"fp32", false, f32(1, 2), f32(1.009, 2), false},
		"NaN is NaN":                               {"fp32", false, f32(nan, 1), f32(-nan, 1), true},
		"NaN is no number":                         {"fp32", false, f32(nan, 1), f32(1, 1), false},
		"infinity":                                 {"fp32", false, f32(inf, 1), f32(inf, 1), true},
		"infinities differ":                        {"fp32", false, f32(inf, 1), f32(-inf, 1), false},
		"infinity is no number":                    {"fp32", false, f32(3e38, 1), f32(inf, 1), false},
		"one unit of fp16":                         {"fp16", false, []byte{0, 0x3c}, []byte{1, 0x3c}, true},
		"four units of fp16":                       {"fp16", false, []byte{0, 0x3c}, []byte{4, 0x3c}, false},
		"one unit of bf16": {"bf16", false, []byte{0x80, 0x3f},
			[]byte{0x81, 0x3f}, true},
		"four units of bf16": {"bf16", false, []byte{0x80, 0x3f},
			[]byte{0x84, 0x3f}, false},
		"noise of the inputs, where all cancels": {"fp32", false, f32(1e-10, 0), f32(-9e-7, 0), true},
		"more than that":                         {"fp32", false, f32(1e-10, 0), f32(-2e-6, 0), false},
		"integers":                               {"i8", false, []byte{1, 2}, []byte{1, 3}, false},
	} {
		ones := append(arg("fp32"), Arg{Name: "y", Kind: Tensor, Storage: "s1", Dtype: "fp32"})[1:]
		k := Case{Args: append(arg(c.dtype), ones...),
			Before: map[string][]byte{"s0": make([]byte, len(c.want)), "s1": f32(1)},
			After:  map[string][]byte{"s0": c.want}, TF32: c.tf32}
		if _, err := k.Compare(map[string][]byte{"s0": c.got, "s1": f32(1)}); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	rubbish := Case{Args: arg("fp32"), Before: map[string][]byte{"s0": f32(1e30, 1e30)},
		After: map[string][]byte{"s0": f32(1, 2)}}
	if _, err := rubbish.Compare(map[string][]byte{"s0": f32(1, 3)}); err == nil {
		t.Error("what lay in an output before the launch makes room for errors")
	}
	k := Case{Args: arg("fp32"), Before: map[string][]byte{"s0": make([]byte, 8)}}
	if _, err := k.Compare(map[string][]byte{"s0": make([]byte, 4)}); err == nil {
		t.Error("memory of another size")
	}
}

// TestShortSums: a sum in fp16 may be off by some roundings of what it was made of, and no more.
func TestShortSums(t *testing.T) {
	f16 := func(vs ...float64) []byte {
		var b []byte
		for _, v := range vs {
			b = binary.LittleEndian.AppendUint16(b, uint16(num.F16.Encode(v)))
		}
		return b
	}
	for _, c := range []struct {
		short bool
		got   float64
		ok    bool
	}{{false, 0.0625, true}, {false, 0.078, false}, {true, 0.078, true}, {true, 0.125, false},
		{true, math.NaN(), false}} {
		k := Case{ShortSums: c.short, Before: map[string][]byte{"s0": f16(4, -4, 4, -4), "s1": f16(0)},
			After: map[string][]byte{"s1": f16(0.0625)},
			Args: []Arg{{Name: "x", Kind: Tensor, Storage: "s0", Dtype: "fp16"},
				{Name: "y", Kind: Tensor, Storage: "s1", Dtype: "fp16"}}}
		if _, err := k.Compare(map[string][]byte{"s0": k.Before["s0"], "s1": f16(c.got)}); (err == nil) !=
			c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestOrders: a result may differ by a few times what other orders of its sums change, of its own element or
// of the tensor, and no more.
func TestOrders(t *testing.T) {
	memory := func(vs ...float64) map[string][]byte {
		var b []byte
		for _, v := range vs {
			b = binary.LittleEndian.AppendUint16(b, uint16(num.BF16.Encode(v)))
		}
		return map[string][]byte{"s0": b}
	}
	for _, c := range []struct {
		got    []float64
		orders [][]float64
		ok     bool
	}{
		{[]float64{0, 0.5}, nil, false},
		{[]float64{0, 0.5}, [][]float64{{0, 0.125}, {0, -0.0625}}, true},
		{[]float64{0, 1}, [][]float64{{0, 0.125}, {0, -0.0625}}, false},
		{[]float64{0.5, 0}, [][]float64{{0, 0.125}, {0, -0.0625}}, true}, // by the tensor's
		{[]float64{0.75, 0}, [][]float64{{0, 0.125}, {0, -0.0625}}, false},
		{[]float64{math.NaN(), 0}, [][]float64{{1, 1}}, false},
	} {
		k := Case{ShortSums: true, Before: memory(0, 0), After: memory(0, 0),
			Args: []Arg{{Name: "y", Kind: Tensor, Storage: "s0", Dtype: "bf16"}}}
		for _, o := range c.orders {
			k.Orders = append(k.Orders, memory(o...))
		}
		if _, err := k.Compare(memory(c.got...)); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestLessPrecise: what the IR says of a kernel's results.
func TestLessPrecise(t *testing.T) {
	type flags struct{ tf32, short, order bool }
	for ir, want := range map[string]flags{
		"%0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x16xf32> * tensor<16x16xf32> -> " +
			"tensor<16x16xf32>": {tf32: true},
		"%0 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> " +
			"tensor<16x16xf16>": {short: true},
		"%0 = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<16x16xf16> * tensor<16x16xf16> -> " +
			"tensor<16x16xf32>": {},
		"  %1 = arith.addf %a, %b : bf16\n":                     {short: true},
		"  %1 = arith.addf %a, %b : f32\n":                      {},
		"  %1 = arith.addf %a, %b : tensor<16xf16>\n":           {},
		"%3 = tt.cat %x, %y : tensor<128xi8> -> tensor<256xi8>": {order: true},
		"tt.func @concat(%cat: i32)":                            {},
	} {
		var c Case
		got := c.LessPrecise([]byte(ir))
		if f := (flags{c.TF32, c.ShortSums, c.AnyOrder}); f != want || got != (want != flags{}) {
			t.Errorf("%s: %v %+v", ir, got, f)
		}
	}
}

func TestAnyOrder(t *testing.T) {
	for _, c := range []struct {
		any  bool
		got  []byte
		good bool
	}{{false, []byte{3, 1, 2}, false}, {true, []byte{3, 1, 2}, true}, {true, []byte{3, 1, 1}, false}} {
		k := Case{AnyOrder: c.any, Before: map[string][]byte{"s0": {0, 0, 0}, "s1": {1, 2, 3}},
			After: map[string][]byte{"s0": {1, 2, 3}},
			Args: []Arg{{Name: "x", Kind: Tensor, Storage: "s0", Dtype: "i8"},
				{Name: "y", Kind: Tensor, Storage: "s1", Dtype: "i8"}}}
		if _, err := k.Compare(map[string][]byte{"s0": c.got, "s1": {1, 2, 3}}); (err == nil) != c.good {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := k.Compare(map[string][]byte{"s0": {1, 2, 3}, "s1": {3, 2, 1}}); err == nil {
			t.Error("what the launch did not change may not be in another order")
		}
	}
	d := elementOf("fp16")
	if got := d.sorted([]byte{0, 0x3c, 0, 0xbc, 0, 0, 0, 0x7e}); string(got) != string([]byte{0, 0x7e, 0,
		0xbc, 0, 0, 0, 0x3c}) {
		t.Errorf("%x", got)
	}
}

// file builds a safetensors file.
func file(header map[string]any, body []byte) []byte {
	h, _ := json.Marshal(header)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h...), body...)
}

func TestDamagedFiles(t *testing.T) {
	launch := func(s string) map[string]any { return map[string]any{"launch": s} }
	good := `{"file":"f.py","kernel":"k","grid":[1,2,3],"options":{"num_warps":8,"x":true},"args":[
		{"name":"p","constexpr":false,"kind":"tensor","storage":"s0","dtype":"fp16",
			"offset":2,"shape":[1],"strides":[1]},
		{"name":"n","constexpr":false,"kind":"int","value":18446744073709551615},
		{"name":"f","constexpr":false,"kind":"float","value":2},
		{"name":"t","constexpr":true,"kind":"tuple","items":[{"name":"","kind":"int","value":-3}]}]}`
	section := map[string]any{"dtype": "U8", "shape": []int{4}, "data_offsets": []int{0, 4}}
	c, err := Parse("x", file(map[string]any{"__metadata__": launch(good), "in/s0": section},
		make([]byte, 4)))
	if err != nil {
		t.Fatal(err)
	}
	if c.Grid != [3]int{1, 2, 3} || c.Args[1].Value != uint64(math.MaxUint64) || c.Args[2].Value != 2.0 ||
		c.Args[3].Items[0].Value != int64(-3) || c.Options["x"] != true {
		t.Errorf("%+v", c)
	}
	for name, data := range map[string][]byte{
		"empty":       nil,
		"short":       {1, 2, 3},
		"long header": append(binary.LittleEndian.AppendUint64(nil, 1<<60), make([]byte, 20)...),
		"no JSON":     append(binary.LittleEndian.AppendUint64(nil, 3), "abc"...),
		"no launch":   file(map[string]any{"in/s0": section}, make([]byte, 4)),
		"bad launch":  file(map[string]any{"__metadata__": launch("{")}, nil),
		"bad grid":    file(map[string]any{"__metadata__": launch(`{"grid":[1]}`)}, nil),
		"bad kind": file(map[string]any{"__metadata__": launch(strings.Replace(good, `"tuple"`,
			`"tulip"`, 1)), "in/s0": section}, make([]byte, 4)),
		"bad dtype": file(map[string]any{"__metadata__": launch(strings.Replace(good, `"fp16"`, `"fp13"`,
			1)), "in/s0": section}, make([]byte, 4)),
		"bad offset": file(map[string]any{"__metadata__": launch(strings.Replace(good, `"offset":2`,
			`"offset":-2`, 1)), "in/s0": section}, make([]byte, 4)),
		"no storage": file(map[string]any{"__metadata__": launch(good)}, nil),
		"short body": file(map[string]any{"__metadata__": launch(good), "in/s0": section}, make([]byte, 3)),
		"other section": file(map[string]any{"__metadata__": launch(good), "in/s0": section, "x": section},
			make([]byte, 4)),
		"no before": file(map[string]any{"__metadata__": launch(good), "in/s0": section,
			"out/s1": section}, make([]byte, 4)),
		"no range": file(map[string]any{"__metadata__": launch(good),
			"in/s0": map[string]any{"data_offsets": []int{3, 1}}}, make([]byte, 4)),
		"no such offset": file(map[string]any{"__metadata__": launch(good),
			"in/s0": map[string]any{"data_offsets": []int{}}}, make([]byte, 4)),
	} {
		if _, err := Parse("x", data); err == nil || !strings.HasPrefix(err.Error(), "x: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNonFinite: Python's json writes NaN and Infinity as they are.
func TestNonFinite(t *testing.T) {
	text := `{"file":"NaN.py","kernel":"Infinity","grid":[1,1,1],"options":{},"args":[
		{"name":"a","kind":"float","value":Infinity},{"name":"b","kind":"float","value":-Infinity},
		{"name":"c","kind":"float","value":NaN},
		{"name":"\"NaN","kind":"str","value":"-Infinity \\"},{"name":"e","kind":"float","value":-1e400}]}`
	c, err := Parse("x", file(map[string]any{"__metadata__": map[string]any{"launch": text}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if c.File != "NaN.py" || c.Kernel != "Infinity" || c.Args[3].Name != `"NaN` ||
		c.Args[3].Value != `-Infinity \` {
		t.Errorf("%+v", c)
	}
	if nan := c.Args[2].Value.(float64); c.Args[0].Value != math.Inf(1) || c.Args[1].Value != math.Inf(-1) ||
		nan == nan || c.Args[4].Value != math.Inf(-1) {
		t.Errorf("%+v", c.Args)
	}
	bad := strings.Replace(text, "-1e400", `"much"`, 1)
	if _, err := Parse("x",
		file(map[string]any{"__metadata__": map[string]any{"launch": bad}}, nil)); err == nil {
		t.Error("a float that is a word")
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range cases(f)[:3] {
		f.Add([]byte(txtest.Read(f, c.Path)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := Parse("x", data); err == nil {
			c.Compare(after(c))
		}
	})
}

// TestTuples: items of tuples have names and are compiled in as the file says; a tensor without elements is
// anywhere.
func TestTuples(t *testing.T) {
	text := `{"file":"k.py","kernel":"k","grid":[1,1,1],"options":{},"args":[{"name":"a","kind":"tuple","items":[
		{"name":"x","kind":"int","value":1,"constexpr":true},
		{"kind":"tensor","dtype":"fp32","storage":"s0","offset":-64,"shape":[0,4],"strides":[4,1]},
		{"kind":"descriptor","dtype":"fp32","storage":"s0","shape":[1],"strides":[1],
			"block_shape":[16],"padding":"nan"}]}]}`
	c, err := Parse("x", file(map[string]any{"__metadata__": map[string]any{"launch": text},
		"in/s0": map[string]any{"dtype": "U8", "shape": []int{4}, "data_offsets": []int{0, 4}}},
		make([]byte, 4)))
	if err != nil {
		t.Fatal(err)
	}
	x, y, z := c.Args[0].Items[0], c.Args[0].Items[1], c.Args[0].Items[2]
	if x.Name != "x" || !x.Constexpr || y.Constexpr || y.Offset != 0 || y.NaN || !z.NaN {
		t.Errorf("%+v", c.Args[0].Items)
	}
}
