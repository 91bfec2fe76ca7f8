package nvidia

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device"
	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/device/nvidia/driver/stub"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// mapCode takes a pointer, a map of rank 2, its sizes and strides, a map of rank 1, its size and stride, and
// a number.
var mapCode = Code{Name: "k", NumWarps: 4, Params: []int{8, 128, 4, 4, 8, 8, 128, 4, 8, 4},
	Maps: []gpucode.TensorMap{
		{Param: 1, Type: gpucode.ElemBF16, ElemBytes: 2, Swizzle: 64, Box: []int{128, 32}},
		{Param: 6, Type: gpucode.ElemS32, ElemBytes: 4, Box: []int{64}},
	}}

// mapWordsOf returns the words of a launch of mapCode.
func mapWordsOf(x, y uint64, rows int64) []uint64 {
	words := []uint64{7}
	a := device.Descriptor{Base: x, Shape: []int64{rows, 100}, Strides: []int64{104, 1}, NaN: true}
	b := device.Descriptor{Base: y, Shape: []int64{500}, Strides: []int64{1}, NaN: true}
	words = append(append(words, a.Words()...), uint64(rows), 100, 104, 1)
	return append(append(append(words, b.Words()...), 500, 1), 9)
}

func TestTiled(t *testing.T) {
	words := mapWordsOf(0x1000, 0x2000, 30)
	var got []driver.Tiled
	var rest []uint64
	err := mapCode.Args([3]int{1, 1, 1}, words, func(_ int, w uint64) {
		rest = append(rest, w)
	}, func(_ int, m *gpucode.TensorMap, words []uint64) error {
		got = append(got, Tiled(m, words))
		return nil
	})
	want := []driver.Tiled{
		{Type: 9, Elem: 2, Rank: 2, Address: 0x1000, Dims: [5]uint64{100, 30}, Strides: [4]uint64{208},
			Box: [5]uint32{32, 128}, Swizzle: 64, NaN: true},
		// integers have no NaN
		{Type: 3, Elem: 4, Rank: 1, Address: 0x2000, Dims: [5]uint64{500}, Box: [5]uint32{64}},
	}
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v\n%+v\nwant\n%+v", err, got, want)
	}
	if len(rest) != 8 || rest[0] != 7 || rest[7] != 9 || rest[3] != 104 {
		t.Errorf("the other words are %v", rest)
	}
	if err := mapCode.Args([3]int{1, 1, 1}, words[1:], nil, nil); err == nil {
		t.Error("a word is missing, and nobody says so")
	}
}

// TestTiledOne: a dimension of one element with stride 0 gets a stride that the driver takes; a longer one
// keeps its own.
func TestTiledOne(t *testing.T) {
	m := &gpucode.TensorMap{Type: gpucode.ElemF16, ElemBytes: 2, Box: []int{1, 16, 32}}
	for rows, want := range map[uint64]uint64{1: minMapStride, 3: 0} {
		got := Tiled(m, []uint64{0x1000, rows, 30, 104, 0, 104, 1, 0})
		if got.Strides != [4]uint64{208, want} || (got.Check() == nil) != (rows == 1) {
			t.Errorf("%d rows: strides %v, %v", rows, got.Strides, got.Check())
		}
	}
}

// TestKeptMaps: maps are kept with the code, and those that make no sense are refused.
func TestKeptMaps(t *testing.T) {
	kept, err := mapCode.Keep("cubin", nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Kept(kept)
	if err != nil || back.Words() != 18 || back.Maps[0].Box[1] != 32 {
		t.Errorf("%+v, %v", back, err)
	}
	for _, m := range [][]gpucode.TensorMap{
		{{Param: 10, Box: []int{8}, ElemBytes: 1}}, {{Param: -1, Box: []int{8}, ElemBytes: 1}},
		{{Param: 1, ElemBytes: 1}},
		{{Param: 1, Box: make([]int, 6), ElemBytes: 1}}, {mapCode.Maps[1], mapCode.Maps[0]},
	} {
		bad := mapCode
		bad.Maps = m
		meta, _ := json.Marshal(bad)
		if _, err := Kept(device.Code{Meta: meta}); err == nil {
			t.Errorf("%+v is accepted", m)
		}
	}
}

// TestMapLaunch: kernels get tensor maps in the place of descriptors, made once, and a launch allocates
// nothing.
func TestMapLaunch(t *testing.T) {
	if !txtest.Inside() {
		dir := t.TempDir()
		t.Log(stub.Again(t, "NEREID_CACHE_DIR="+dir, "NEREID_STUB_LOG="+filepath.Join(dir, "log"),
			"NEREID_STUB_PARAMS=10"))
		return
	}
	devices, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	d := devices[0]
	kept, err := mapCode.Keep(StageCubin, []byte("code"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Restore(context.Background(), "k", kept)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	launch := func(words []uint64) error { return k.Launch(context.Background(), s, [3]int{2, 1, 1}, words) }
	for _, rows := range []int64{30, 31, 30} {
		if err := launch(mapWordsOf(0x1000, 0x2000, rows)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(os.Getenv("NEREID_STUB_LOG"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "cuTensorMapEncodeTiled"); n != 3 {
		t.Errorf("%d maps were made, not 3", n)
	}
	line := string(text[strings.LastIndex(string(text), "launch:"):])
	checkLaunch(t, strings.Split(strings.TrimSpace(line), ":")[5:])
	for _, c := range []struct {
		words []uint64
		want  string
	}{
		{mapWordsOf(0x1008, 0x2000, 30), "a multiple of 16, not 0x1008"},
		{mapWordsOf(0x1000, 0x2000, 0), "sizes from 1 to 2^32, not 0"},
		{make([]uint64, 3), "takes 18 words of arguments, not 3"},
	} {
		if err := launch(c.words); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	words := mapWordsOf(0x1000, 0x2000, 30)
	if n := testing.AllocsPerRun(100, func() { _ = launch(words) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	launchOther(t, d, s, words)
}

// launchOther launches code whose blocks have another size with the descriptors of another launch: its maps
// are its own.
func launchOther(t *testing.T, d *Device, s device.Stream, words []uint64) {
	t.Helper()
	encoded := func() int {
		text, err := os.ReadFile(os.Getenv("NEREID_STUB_LOG"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), "cuTensorMapEncodeTiled")
	}
	other := mapCode
	other.Maps = slices.Clone(mapCode.Maps)
	other.Maps[0].Box, other.Maps[1].Box = []int{64, 32}, []int{128}
	kept, err := other.Keep(StageCubin, []byte("code"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Restore(context.Background(), "k", kept)
	if err != nil {
		t.Fatal(err)
	}
	before := encoded()
	if err := k.Launch(context.Background(), s, [3]int{2, 1, 1}, words); err != nil {
		t.Fatal(err)
	}
	if n := encoded() - before; n != 2 {
		t.Errorf("%d maps were made for other blocks, not 2", n)
	}
}

// checkLaunch looks at the parameters of a launch of mapCode, in words: 16 for a map, as the stub writes it.
func checkLaunch(t *testing.T, got []string) {
	t.Helper()
	if len(got) != 8+2*16 {
		t.Fatalf("%d words: %v", len(got), got)
	}
	at := func(i int) uint64 {
		v, err := strconv.ParseUint(got[i], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const low = 1<<32 - 1
	for i, want := range map[int]uint64{
		0: 7, 1: 0x01020209<<32 | 0x50414d4e, 2: 0x1000, 3: 128<<32 | 32, 6: 100, 7: 30, 11: 208, 17: 30,
		18: 100, 19: 104, 20: 1,
		21: 0x00000103<<32 | 0x50414d4e, 22: 0x2000, 26: 500, 37: 500, 38: 1, 39: 9,
	} {
		if got := at(i); got != want && !(mapParam32[i] && got&low == want) {
			t.Errorf("word %d is %#x, not %#x", i, got, want)
		}
	}
}

// mapParam32 are the words of parameters of 4 bytes.
var mapParam32 = map[int]bool{17: true, 18: true, 37: true, 39: true}

// BenchmarkKeptMap measures what a repeated launch spends on a tensor map.
func BenchmarkKeptMap(b *testing.B) {
	var t mapTable
	words := mapWordsOf(0x1000, 0x2000, 30)[1:7]
	x := &keptMap{meta: &mapCode.Maps[0], made: &driver.TensorMap{}}
	copy(x.words[:], words)
	for i := range t.slots {
		t.slots[i].Store(x)
	}
	for b.Loop() {
		if _, err := t.get(nil, &mapCode.Maps[0], words); err != nil {
			b.Fatal(err)
		}
	}
}
