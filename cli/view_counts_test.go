package cli

import (
	"encoding/json"
	"maps"
	"os"
	"testing"

	"github.com/nereid-lang/nereid/internal/llvm"
	"github.com/nereid-lang/nereid/internal/txtest"
)

// hardwareCounts is what an H200 counted for a launch, by ncu: sectors of global memory, also by line,
// wavefronts of shared memory, instructions. Copies of the copy engine have no lines there: of kernels with
// them, Sectors are those that went between the L1 and the L2 caches.
type hardwareCounts struct {
	Name, Kernel string
	Args         []string
	Sectors      int64
	Lines        map[string]int64
	Wavefronts   int64
	Instructions int64
}

// mergedReads are launches of which the assembler makes one access to shared memory of several, and one whose
// copies of 4 bytes have bank conflicts on the hardware that the simulator does not see.
var mergedReads = map[string]bool{"softmax_f16": true, "layer_norm_f16": true, "total_sum_f32": true,
	"rms_norm_bf16": true, "scan": true, "matmul_f32_ragged": true}

// TestCountsH200 compares what the page says of 22 launches with the counters of an H200: sectors of global
// memory are the same, by line and in all, and wavefronts of shared memory but for mergedReads.
func TestCountsH200(t *testing.T) {
	txtest.LLVM(t, llvm.Load)
	text, err := os.ReadFile("testdata/counts/h200.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []hardwareCounts
	if err := json.Unmarshal(text, &list); err != nil || len(list) != 22 {
		t.Fatalf("%d launches: %v", len(list), err)
	}
	chosen := txtest.Sample(t, 6)
	for i, h := range list {
		if !chosen(i) {
			continue
		}
		c := page(t, append([]string{h.Kernel, "--target", "cuda:90"}, h.Args...)...).Cost
		if c == nil || c.Error != "" {
			t.Errorf("%s: %+v", h.Name, c)
			continue
		}
		var sectors, waves int64
		lines := map[string]int64{}
		for _, l := range c.Lines {
			sectors, waves = sectors+l.Sectors, waves+l.Wavefronts
			if l.Sectors > 0 {
				lines[l.Place] = l.Sectors
			}
		}
		if sectors != h.Sectors || h.Lines != nil && !maps.Equal(lines, h.Lines) {
			t.Errorf("%s: %d sectors, by line %v; an H200 has %d, %v", h.Name, sectors, lines, h.Sectors,
				h.Lines)
		}
		if waves != h.Wavefronts && !mergedReads[h.Name] {
			t.Errorf("%s: %d wavefronts of shared memory, an H200 has %d", h.Name, waves, h.Wavefronts)
		}
	}
}
