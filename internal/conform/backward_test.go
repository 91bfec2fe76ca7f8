package conform

import (
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// backward is a launch of the backward pass of attention in one kernel (ops/kernels/attention_grad.py), whose
// tiles the copy engine loads, and whose gradients of queries it adds to memory.
type backward struct {
	name    string
	dtype   nereid.DType
	dim     int64
	group   int64 // heads of queries for one head of keys
	queries int64
	keys    int64
	causal  bool
	large   bool // tiles of 128 queries and 128 keys
}

func backwards() []backward {
	return []backward{
		{"heads of 64", nereid.Float16, 64, 1, 6 * 64, 64, false, false},
		{"heads of 64, causal", nereid.BFloat16, 64, 1, 6 * 64, 2 * 64, true, false},
		{"heads of 64, grouped", nereid.BFloat16, 64, 2, 5*64 + 16, 64, false, false},
		{"heads of 128", nereid.BFloat16, 128, 1, 5 * 64, 128, false, false},
		{"heads of 128, causal", nereid.Float16, 128, 1, 5 * 64, 2 * 128, true, false},
		{"heads of 128, grouped, causal", nereid.BFloat16, 128, 2, 4*64 + 16, 128, true, false},
		{"heads of 64, large tiles", nereid.BFloat16, 64, 1, 5*128 + 16, 128, false, true},
	}
}

// launch returns the launch with the tiles that package ops ships.
func (b backward) launch() described {
	rows, block, opts := int64(64), int64(64), nereid.Options{NumWarps: 4, NumStages: 4}
	if b.large {
		rows = 128
	}
	if b.dim > 64 || b.large {
		block, opts = 128, nereid.Options{NumWarps: 8, NumStages: 3}
	}
	f32 := nereid.Float32
	of := func(dt nereid.DType, shape ...int64) tile { return tile{dt, shape, nil} }
	q, k := of(b.dtype, b.group, b.queries, b.dim), of(b.dtype, b.keys, b.dim)
	each := of(f32, b.group, b.queries)
	args := []any{q, k, k, q, each, each, k, k, of(f32, b.group, b.queries, b.dim), 0.01, b.group, b.group,
		b.queries, b.keys, 0}
	for _, n := range []int64{b.queries, b.keys, b.keys, b.queries, b.keys, b.keys} {
		args = append(args, b.group*n*b.dim, n*b.dim, b.dim)
	}
	args = append(args, b.dim, rows, block, b.causal, false, b.causal)
	grid := nereid.Grid{int(b.keys / block), 1}
	if b.causal {
		grid = nereid.Grid{1, int(b.keys / block)}
	}
	return described{"attention_at_once_kernel", grid, opts, 1e-2, args}
}

func backwardKernels(t *testing.T) *nereid.Module {
	t.Helper()
	t.Setenv("NEREID_DISABLE_DEEPER", "1") // launches of few programs would have more stages
	mod, err := nereid.Load(txtest.Path(t, "ops/kernels/attention_grad.py"))
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// TestBackward runs the backward pass of attention under five orders of warps and of asynchronous ends: the
// results are those of the interpreter. A third of the launches have their turn at each commit.
func TestBackward(t *testing.T) {
	chosen, mod, judge := txtest.Sample(t, 3), backwardKernels(t), interpreter(t)
	for i, b := range backwards() {
		if !chosen(i) {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			d := b.launch()
			want := d.run(t, mod, judge)
			for _, order := range seeds {
				t.Setenv("NEREID_SIM_ORDER", order)
				got := d.run(t, mod, hopper(t))
				for j := range want {
					if k := differ(want[j], got[j], d.within); k >= 0 {
						t.Errorf("%s: element %d of tensor %d is %v, not %v", order, k, j, got[j][k],
							want[j][k])
					}
				}
			}
		})
	}
}

// idleBackward holds the faults of the backward pass that are not reported, by kind.
var idleBackward = map[string]unreported{
	"barrier dropped":               {2, behindMaps + "; " + otherSlot},
	"barrier moved over a wait":     {1, behindMaps},
	"proxy fence dropped":           {1, behindStores},
	"fence of mbarriers dropped":    {1, "a fence.proxy.async follows"},
	"wait for copies dropped":       {1, nothingLeft},
	"commit of copies dropped":      {1, sameStage},
	"wait for bulk stores dropped":  {3, noStores},
	"commit of bulk stores dropped": {3, noStores},
	"wait for products dropped":     {1, nothingLeft},
	"commit of products dropped":    {1, "it joins the group of the next product, which the same wait covers"},
}

// otherSlot is why loads need no barrier of their own behind the first product of an iteration.
const otherSlot = "the loads of a later iteration fill a slot that the iteration does not read, and " +
	"barriers follow the products that read it before"

const behindStores = "the fence of the mbarriers lies behind the stores of keys and values, too"

// idle returns the faults of a kind that are not reported in a launch.
func (b backward) idle(plant string) unreported {
	if plant == "proxy fence moved over a store" && b.group > 1 { // a store of keys and values
		return unreported{1, behindStores}
	}
	if plant == "barrier dropped" && b.dim == 64 && b.causal { // all loads begin before so short a loop
		return unreported{1, behindMaps}
	}
	return idleBackward[plant]
}

// TestBackwardPlanted plants faults of order in the backward pass of attention, as TestPlanted does. One
// launch and a fifth of the kinds of faults have their turn at each commit.
func TestBackwardPlanted(t *testing.T) {
	chosen, turn := txtest.Sample(t, 7), txtest.Sample(t, 5)
	mod, dev := backwardKernels(t), opened(t, "sim:90")[0]
	var kinds []plant
	for i, p := range plants() {
		if turn(i) {
			kinds = append(kinds, p)
		}
	}
	for i, b := range backwards() {
		if chosen(i) {
			t.Run(b.name, func(t *testing.T) {
				b.launch().reports(t, mod, dev, kinds, b.idle)
			})
		}
	}
}

// TestBackwardMaps takes away the barrier before the tensor maps of the next head: a warp would make a map
// anew before another has issued its last addition.
func TestBackwardMaps(t *testing.T) {
	mod, dev := backwardKernels(t), opened(t, "sim:90")[0]
	barrier := regexp.MustCompile(`bar\.sync \t0;(\n(.*\n){0,3}\t@%p\d+ st\.shared\.b32 .*\n.*\n(.*\n)?` +
		`\tbar\.warp\.sync)`)
	err := backwards()[2].launch().launch(t, mod, dev, func(ptx string) string {
		changed := barrier.ReplaceAllString(ptx, "$1")
		if changed == ptx {
			t.Error("there is no barrier before the maps")
		}
		return changed
	})
	if err == nil || !strings.Contains(err.Error(), "is made anew; a copy of thread") {
		t.Error(err)
	}
}
