package llvm

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/chip"
	"github.com/nereid-lang/nereid/internal/diag"
)

// newestPTX is the newest PTX version that each LLVM writes.
var newestPTX = map[int]int{17: 81, 18: 83, 19: 85, 20: 87, 21: 88, 22: 90}

// usualPTX is the version we write unless told or forced otherwise: that of CUDA 12.3, old enough for every
// driver of that year on, new enough for what Hopper needs.
const usualPTX = 83

// cudaPTX is the newest PTX version that the driver of each CUDA version reads, newest first.
var cudaPTX = []struct{ cuda, ptx int }{
	{13010, 91}, {13000, 90},
	{12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81},
	{12000, 80}, {11080, 78}, {11070, 77}, {11060, 76}, {11050, 75}, {11040, 74}, {11030, 73}, {11020, 72},
	{11010, 71}, {11000, 70},
}

// DriverPTX is the newest PTX version (83 for 8.3) that a CUDA driver reads, from what cuDriverGetVersion
// says (12030 for 12.3); 0 for a driver older than CUDA 11.
func DriverPTX(driverVersion int) int {
	for _, row := range cudaPTX {
		if driverVersion >= row.cuda {
			return row.ptx
		}
	}
	return 0
}

// NVPTX is the target of an architecture such as "sm_90a". maxPTX bounds the PTX version (83 for 8.3) from
// above, to what a driver or ptxas reads; 0 chooses one that any driver for that architecture since CUDA
// 12.3 reads.
func (l *Lib) NVPTX(sm string, maxPTX int) (Target, error) {
	if err := l.need("NVPTX"); err != nil {
		return Target{}, err
	}
	ptx, err := choosePTX(sm, maxPTX, l.version.Major)
	if err != nil {
		return Target{}, err
	}
	return Target{Triple: "nvptx64-nvidia-cuda", CPU: sm, Features: fmt.Sprintf("+ptx%d", ptx)}, nil
}

func (t Target) isPTX() bool { return strings.HasPrefix(t.Triple, "nvptx") }

func (t Target) isGPU() bool { return t.isPTX() || strings.HasPrefix(t.Triple, "amdgcn") }

func choosePTX(sm string, maxPTX, llvm int) (int, error) {
	for _, row := range chip.Arches() {
		switch {
		case row.Name != sm:
			continue
		case llvm < row.LLVM:
			return 0, diag.Refuse("code for "+sm, "LLVM %d does not know it",
				llvm).Instead(fmt.Sprintf("install LLVM %d or newer", row.LLVM))
		case maxPTX != 0 && maxPTX < row.PTX:
			return 0, diag.Refuse("code for "+sm, "it needs PTX %s, and the driver takes at most %s",
				version(row.PTX), version(maxPTX)).Instead("update the driver")
		case maxPTX != 0:
			return knownPTX(min(maxPTX, newestPTX[llvm])), nil
		}
		return max(row.PTX, min(usualPTX, newestPTX[llvm])), nil
	}
	return 0, fmt.Errorf("unknown NVIDIA architecture %q; known: %s", sm, strings.Join(smNames(), ", "))
}

// knownPTX rounds down to a version that exists: there is no 7.9 and no 8.9.
func knownPTX(ptx int) int {
	if ptx == 79 || ptx == 89 {
		return ptx - 1
	}
	return ptx
}

func version(ptx int) string { return fmt.Sprintf("%d.%d", ptx/10, ptx%10) }

func smNames() []string {
	var names []string
	for _, row := range chip.Arches() {
		names = append(names, row.Name)
	}
	return names
}
