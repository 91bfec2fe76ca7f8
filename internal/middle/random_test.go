package middle_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/irgen"
)

// TestRandom: random kernels do the same after the conversion, run by MLIR, as before it on the
// interpreter. NEREID_RANDOM=N tries N of them, NEREID_SEED=S begins with another.
func TestRandom(t *testing.T) {
	n, first := randoms(24)
	var ls []launch
	for seed := first; seed < first+n; seed++ {
		ls = append(ls, randomLaunch(uint64(seed)))
	}
	check(t, ls)
}

// randoms is how many random kernels to try, and the seed of the first.
func randoms(n int) (count, first int) {
	if s := os.Getenv("NEREID_RANDOM"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("NEREID_SEED"); s != "" {
		first, _ = strconv.Atoi(s)
	}
	return n, first
}

func randomLaunch(seed uint64) launch {
	r := newRandom(seed)
	entropy := make([]byte, 300)
	for i := range entropy {
		entropy[i] = byte(r.r.IntN(256))
	}
	m := irgen.Module(entropy, irgen.Options{})
	buffer := func() []arg {
		return []arg{r.floats(ir.F32, irgen.BufferLen), r.ints(ir.I32, irgen.BufferLen, 2000)}
	}
	args := append(buffer(), buffer()...)
	args = append(args, i32(r.r.IntN(9)), i32(r.r.IntN(2000)-1000), f32(r.r.NormFloat64()),
		arg{elem: ir.I1, bits: uint64(r.r.IntN(2))})
	return launch{name: fmt.Sprintf("seed %d", seed), text: m.String(), grid: [3]int{1, 1, 1}, args: args}
}
