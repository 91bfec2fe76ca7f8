package lower

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// wide is a GPU whose warps have 64 or 16 lanes, made of an NVIDIA GPU so that the simulator runs it: lanes
// exchange words through shared memory, with barriers of the block. Its results show that no algorithm
// relies on 32 lanes.
type wide struct {
	nvidia
	width int
}

// The words of threads lie at wideAt in shared memory, behind the kernel's own.
const wideAt, wideEnd = 64 << 10, wideAt + 4*1024

func (v wide) lanes() int { return v.width }

func (v wide) header() string {
	return v.nvidia.header() + "\n@wide = external addrspace(3) global [0 x i8], align 16\n"
}

func (v wide) meet(l *lowering, _ level) { v.nvidia.meet(l, theBlock) }

func (v wide) shuffleXor(l *lowering, word string, bits int) string {
	return v.shuffleIdx(l, word, l.xor(l.ids.lane, itoa(bits)))
}

func (v wide) shuffleIdx(l *lowering, word, lane string) string {
	at := func(i string) string {
		return l.val("getelementptr i8, ptr addrspace(3) @wide, i32 %s", l.add(l.mul(i, 4), itoa(wideAt)))
	}
	l.do("store i32 %s, ptr addrspace(3) %s", word, at(l.ids.tid))
	v.meet(l, theBlock)
	// like the hardware's shuffle, it takes a lane's number modulo the width
	first := l.val("and i32 %s, %d", l.ids.tid, ^l.lastLane())
	other := l.val("or i32 %s, %s", first, l.val("and i32 %s, %d", lane, l.lastLane()))
	got := l.val("load i32, ptr addrspace(3) %s", at(other))
	v.meet(l, theBlock)
	return got
}

func (wide) rowFinder() rowFinder { return nil }

// TestWidths runs conversions, reductions and scans in layouts of warps of 64 and of 16 lanes, and compares
// with the interpreter.
func TestWidths(t *testing.T) {
	chosen := txtest.Sample(t, 2)
	kernels := map[string]layoutKernel{"convert": convertKernel, "reduce": reduceKernel, "scan": scanKernel}
	for name, kernel := range kernels {
		for _, width := range []int{64, 16} {
			encs := func(r *rand.Rand, shape []int, warps int) string {
				return randomLinearOn(r, shape, width, warps)
			}
			for seed := range 24 {
				if name == "scan" && seed%4 == 3 || !chosen(seed/4) { // a layout of 32 lanes, or not its turn
					continue
				}
				t.Run(fmt.Sprint(name, "/", width, "/", seed), func(t *testing.T) {
					text, l, scale := kernel(seed, encs)
					runWide(t, withLanes(text, width), width, l, scale)
				})
			}
		}
	}
}

// withLanes returns a module for warps of another width.
func withLanes(text string, width int) string {
	return strings.Replace(text, `"ttg.threads-per-warp" = 32`,
		fmt.Sprintf(`"ttg.threads-per-warp" = %d`, width), 1)
}

// runWide is runBoth for warps of another width.
func runWide(t *testing.T, text string, width int, l launch, scale float64) {
	t.Helper()
	lib := txtest.LLVM(t, llvm.Load)
	target, err := lib.NVPTX("sm_80", 0)
	if err != nil {
		t.Fatal(err)
	}
	want, got := l.memory(3)
	onInterp(t, parseIR(t, "test.ttgir", []byte(text)), l, want)
	m := parseIR(t, "test.ttgir", []byte(text))
	opts := testOptions(m, 80)
	opts.Vendor = wide{nvidia{chip.CUDA(80)}, width}
	k, err := Lower(m, l.kernel, opts)
	if err != nil {
		t.Fatal(err)
	}
	if k.Shared > wideAt {
		t.Fatalf("%d bytes of shared memory", k.Shared)
	}
	out, err := lib.Compile(context.Background(), k.IR, llvm.Options{Target: target, FastMath: llvm.Contract})
	if err != nil {
		t.Fatalf("%v\n%s", err, clip(k.IR))
	}
	onSim(t, out.Asm, wideEnd, l, got, true)
	sameMemory(t, l, want, got, scale)
}
