package cpu

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// perfMap is the file in which perf looks for the names of functions that no file on disk has: perf-PID.map,
// a line "START SIZE NAME" in hexadecimal numbers for each. LLVM writes another form with lines, where it was
// built to.
var perfMap struct {
	sync.Mutex
	file *os.File
	err  error
}

// tellPerf adds the functions of an object file to the map; entry is at an address. What perf is not told is
// an address without a name in its report, and no failure of a launch.
func tellPerf(obj []byte, entry string, at uintptr) {
	if runtime.GOOS != "linux" {
		return
	}
	lines := perfLines(obj, entry, uint64(at))
	perfMap.Lock()
	defer perfMap.Unlock()
	if perfMap.file == nil && perfMap.err == nil {
		name := filepath.Join(os.TempDir(), fmt.Sprintf("perf-%d.map", os.Getpid()))
		perfMap.file, perfMap.err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	}
	if perfMap.err == nil {
		_, perfMap.err = perfMap.file.Write(lines)
	}
}

// perfLines are the lines of the functions that lie in the section of entry.
func perfLines(obj []byte, entry string, at uint64) (out []byte) {
	f, err := elf.NewFile(bytes.NewReader(obj))
	if err != nil {
		return nil
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil
	}
	for _, first := range symbols {
		if first.Name != entry {
			continue
		}
		for _, s := range symbols {
			if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section == first.Section {
				out = fmt.Appendf(out, "%x %x %s\n", at+s.Value-first.Value, s.Size, s.Name)
			}
		}
	}
	return out
}
