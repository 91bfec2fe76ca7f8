// Package sources holds the text of the compiler, so that a program that was built from a checkout knows by
// which compiler it makes code: it finds what another program has kept that was built from the same text.
package sources

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"sync"
)

// The files, by patterns that leave tests out; TestSources of package arch writes them.
//
//go:embed analysis/address/*[^t].go analysis/axisinfo/*[^s]t.go analysis/axisinfo/*[^t].go budget/*[^s]t.go
//go:embed chip/*[^t].go codemem/*[^t].go device/*[^e]st.go device/*[^s]t.go device/*[^t].go
//go:embed device/amd/*[^t].go device/amd/hip/*[^s]t.go device/amd/hip/*[^t].go device/cpu/*[^s]t.go
//go:embed device/cpu/*[^t].go device/cpu/cpuid/*[^t].go device/cpu/pool/*[^t].go device/gpucode/*[^t].go
//go:embed device/inflight/*[^s]t.go device/inflight/*[^t].go device/nvidia/*[^t].go
//go:embed device/nvidia/driver/*[^t].go device/stray/*[^s]t.go device/stray/*[^t].go diag/*[^t].go
//go:embed dialect/amdg/*[^t].go dialect/arith/*[^e]st.go dialect/arith/*[^s]t.go dialect/arith/*[^t].go
//go:embed dialect/bufferization/*[^t].go dialect/cf/*[^t].go dialect/constfold/*[^t].go
//go:embed dialect/funcd/*[^t].go dialect/funclike/*[^t].go dialect/gpud/*[^t].go
//go:embed dialect/indexlist/*[^e]st.go dialect/linalg/*[^s]t.go dialect/linalg/*[^t].go
//go:embed dialect/llvmd/*[^s]t.go dialect/llvmd/*[^t].go dialect/math/*[^t].go dialect/memref/*[^s]t.go
//go:embed dialect/memref/*[^t].go dialect/proton/*[^t].go dialect/scf/*[^s]t.go dialect/scf/*[^t].go
//go:embed dialect/tensor/*[^t].go dialect/tt/*[^s]t.go dialect/tt/*[^t].go dialect/ttg/*[^s]t.go
//go:embed dialect/ttg/*[^t].go dialect/ttng/*[^s]t.go dialect/ttng/*[^t].go dialect/tts/*[^t].go
//go:embed dialect/ub/*[^t].go dl/*[^t].go dtype/*[^s]t.go dtype/*[^t].go gpu/*[^t].go gpu/amd/*[^t].go
//go:embed gpu/layouts/*[^e]st.go gpu/layouts/*[^s]t.go gpu/layouts/*[^t].go gpu/motion/*[^t].go
//go:embed gpu/pipeline/*[^s]t.go gpu/pipeline/*[^t].go gpu/products/*[^t].go gpu/programs/*[^e]st.go
//go:embed gpu/programs/*[^t].go gpu/tma/*[^t].go gpu/ttgir/*[^t].go intern/*[^t].go ir/*[^s]t.go
//go:embed ir/*[^t].go knob/*[^t].go layout/*[^s]t.go layout/*[^t].go layout/ttglayout/*[^s]t.go
//go:embed layout/ttglayout/*[^t].go llvm/*[^s]t.go llvm/*[^t].go lower/*[^e]st.go lower/*[^s]t.go
//go:embed lower/*[^t].go mathlib/*[^e]st.go mathlib/*[^s]t.go mathlib/*[^t].go middle/*[^s]t.go
//go:embed middle/*[^t].go num/*[^t].go objcode/*[^s]t.go objcode/*[^t].go pass/*[^e]st.go pass/*[^s]t.go
//go:embed pass/*[^t].go ptx/*[^t].go ring/*[^s]t.go ring/*[^t].go rules/*[^s]t.go rules/*[^t].go
//go:embed runtime/compile/*[^s]t.go runtime/compile/*[^t].go runtime/compile/*[^t]est.go sample/*[^t].go
//go:embed target/*[^s]t.go target/*[^t].go target/amd/*[^t].go target/amd/gcn/*[^s]t.go
//go:embed target/amd/gcn/*[^t].go target/amd/gcn/ops.txt target/amd/hsaco/*[^t].go target/cpu/*[^t].go
//go:embed target/cpu/codegen/*[^s]t.go target/cpu/codegen/*[^t].go target/cpu/codegen/*[^t]est.go
//go:embed target/cpu/gemm/*[^t].go target/cpu/vmath/*[^t].go target/nvidia/*[^s]t.go target/nvidia/*[^t].go
//go:embed target/outside/*[^t].go timeline/*[^s]t.go timeline/*[^t].go triton/*[^s]t.go triton/*[^t].go
//go:embed uniform/*[^t].go
var files embed.FS

// Hash returns a hash of the names and texts of all files, "" if they cannot be read.
var Hash = sync.OnceValue(func() string {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.ReadFile(name)
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
		return err
	})
	if err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
})
