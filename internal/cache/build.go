package cache

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

const module = "github.com/nereid-lang/nereid"

// BuildText returns a build's name at a length that people read.
func BuildText(build string) string {
	if id, ok := strings.CutPrefix(build, "sources "); ok {
		return "sources " + id[:min(len(id), 12)]
	}
	id, ok := strings.CutPrefix(build, "build ")
	if !ok {
		version, _, _ := strings.Cut(build, " ")
		return version
	}
	return "program " + id[:min(len(id), 12)]
}

// Program returns the path of the file that this code is in. A library in a program of another language sets
// it, before anybody asks for Build.
var Program = os.Executable

// Sources returns a hash of the compiler's text in this program, "" if it is not known. A program that has
// the compiler sets it.
var Sources = func() string { return "" }

// Build returns the name of the compiler's build in this program: its release where it is one, or a hash of
// its text, so that programs share what they compile; otherwise an identity of the program, since nothing
// else says which code is in it.
var Build = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		if v := release(info); v != "" {
			return v
		}
		if h := Sources(); h != "" {
			return "sources " + h + toolchain(info)
		}
	}
	if path, err := Program(); err == nil {
		if id := programID(path); id != "" {
			return "build " + id
		}
	}
	return ""
})

// release returns the version of a build whose content that version determines, or "".
func release(info *debug.BuildInfo) string {
	m := &info.Main
	if m.Path != module {
		m = nil
		for _, d := range info.Deps {
			if d.Path == module && d.Replace == nil && d.Sum != "" {
				m = d
			}
		}
	}
	switch {
	case m == nil || m.Sum == "" || m.Version == "" || m.Version == "(devel)" ||
		strings.Contains(m.Version, "+dirty"):
		return ""
	}
	return m.Version + " " + m.Sum + toolchain(info)
}

// toolchain returns the part of a build that matters to floats: Go's version.
func toolchain(info *debug.BuildInfo) string { return " " + info.GoVersion }

// programID returns the identity that Go's linker wrote into a program, or else a hash of the file.
func programID(path string) string {
	if f, err := elf.Open(path); err == nil {
		defer f.Close()
		if s := f.Section(".note.go.buildid"); s != nil {
			if note, err := s.Data(); err == nil && len(note) > 16 {
				return string(bytes.Trim(note[16:], "\x00"))
			}
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
