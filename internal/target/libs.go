package target

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// Lib is a library that is linked into a kernel: LLVM bitcode, or LLVM IR as text.
type Lib struct {
	Name string
	Path string
	Data []byte
}

// maxLib bounds a library's file.
const maxLib = 256 << 20

// ReadLibs reads the files of Options.ExternLibs. The name of one without a name is its path.
func ReadLibs(list string) (libs []Lib, err error) {
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		l := Lib{Name: item, Path: item}
		if name, path, ok := strings.Cut(item, "="); ok {
			l.Name, l.Path = strings.TrimSpace(name), strings.TrimSpace(path)
		}
		info, err := os.Stat(l.Path)
		if err != nil {
			return nil, fmt.Errorf("extern_libs: %w", err)
		}
		if !info.Mode().IsRegular() || info.Size() > maxLib {
			return nil, fmt.Errorf("extern_libs: %s is no file of at most %d bytes", l.Path, maxLib)
		}
		if l.Data, err = os.ReadFile(l.Path); err != nil {
			return nil, fmt.Errorf("extern_libs: %w", err)
		}
		libs = append(libs, l)
	}
	return libs, nil
}

// LibsKey names the contents of libraries, for keys of caches.
func LibsKey(libs []Lib) string {
	h := sha256.New()
	for _, l := range libs {
		fmt.Fprintf(h, "%s %d\n", l.Name, len(l.Data))
		h.Write(l.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}
