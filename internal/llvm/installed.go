package llvm

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// Installed is the version of the LLVM that Load opens. A process that finds its kernels compiled needs no
// more of LLVM, and opening it takes ten milliseconds or more: so what was opened is noted in the folder of
// the cache, and believed for as long as the library's file and all that leads to it are the same.
func Installed() (Version, error) { return installedVersion() }

var installedVersion = sync.OnceValues(func() (Version, error) {
	folder := noteFolder()
	search := searchPath()
	if v, ok := recall(folder, search); ok {
		return v, nil
	}
	lib, err := Load()
	if err != nil {
		return Version{}, err
	}
	if knob.Cache.Get() == "on" {
		remember(folder, search, lib)
	}
	return lib.Version(), nil
})

// note is a library that was opened.
type note struct {
	Search   string  `json:"search"` // what it was found by
	Path     string  `json:"path"`
	Size     int64   `json:"size"`
	Modified int64   `json:"modified"`
	Version  Version `json:"version"`
}

// maxNotes bounds the file.
const maxNotes = 8

const noteName = "llvm.json"

// noteFolder is that of the cache, or "" where nothing is kept.
func noteFolder() string {
	if knob.Cache.Get() == "off" || runtime.GOOS != "linux" {
		return ""
	}
	dir, err := knob.CacheFolder()
	if err != nil {
		return ""
	}
	return dir
}

// searchPath is all that decides which library is opened, besides the files themselves.
func searchPath() string {
	text := fmt.Sprintf("%s|%s|%d %d", knob.LLVM.Get(), os.Getenv("LD_LIBRARY_PATH"), minVersion, maxVersion)
	if info, err := os.Stat("/etc/ld.so.cache"); err == nil {
		text += fmt.Sprintf("|%d %d", info.ModTime().UnixNano(), info.Size())
	}
	return text
}

func notes(folder string) (list []note) {
	if folder == "" {
		return nil
	}
	if safefile.CheckFolder(folder) != nil {
		return nil
	}
	data, err := safefile.ReadTrusted(filepath.Join(folder, noteName), 1<<20)
	if err != nil || json.Unmarshal(data, &list) != nil {
		return nil
	}
	return list
}

// recall is the version noted for a search, if the file is still the same.
func recall(folder, search string) (Version, bool) {
	for _, n := range notes(folder) {
		if n.Search != search {
			continue
		}
		info, err := os.Stat(n.Path)
		if err == nil && info.Size() == n.Size && info.ModTime().UnixNano() == n.Modified &&
			n.Version.Major >= minVersion {
			return n.Version, true
		}
	}
	return Version{}, false
}

// remember notes a library. That it cannot is no error.
func remember(folder, search string, lib *Lib) {
	path := fileOf(lib.at)
	info, err := os.Stat(path)
	if folder == "" || path == "" || err != nil || os.MkdirAll(folder, 0o755) != nil ||
		safefile.CheckFolder(folder) != nil {
		return
	}
	list := slices.DeleteFunc(notes(folder), func(n note) bool { return n.Search == search })
	list = append([]note{{search, path, info.Size(), info.ModTime().UnixNano(), lib.Version()}}, list...)
	data, err := json.MarshalIndent(list[:min(len(list), maxNotes)], "", " ")
	if err != nil {
		return
	}
	// In place: a file that is half written is not believed, and none is left behind by a process that is
	// killed.
	f, err := os.OpenFile(filepath.Join(folder, noteName),
		os.O_WRONLY|os.O_CREATE|os.O_TRUNC|safefile.NonBlock, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	f.Write(append(data, '\n'))
}

// fileOf is the file that an address of this process was mapped from, or "".
func fileOf(addr uintptr) string {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		span, rest, _ := strings.Cut(lines.Text(), " ")
		from, to, _ := strings.Cut(span, "-")
		low, err1 := strconv.ParseUint(from, 16, 64)
		high, err2 := strconv.ParseUint(to, 16, 64)
		if err1 == nil && err2 == nil && low <= uint64(addr) && uint64(addr) < high {
			if i := strings.IndexByte(rest, '/'); i >= 0 {
				return rest[i:]
			}
		}
	}
	return ""
}
