package gomlx

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"time"

	"github.com/nereid-lang/nereid"
)

//go:embed kernels/*.py
var sources embed.FS

// kernels are the generated kernels of a backend, by their texts.
type kernels struct {
	config nereid.Config
	made   map[string]*nereid.Kernel
}

// kernel returns the kernel of a text, which defines one of this name.
func (k *kernels) kernel(name, text string) (*nereid.Kernel, error) {
	if old := k.made[text]; old != nil {
		return old, nil
	}
	sum := sha256.Sum256([]byte(text))
	file := name + "_" + hex.EncodeToString(sum[:6]) + ".py"
	dir, err := fs.Sub(sources, "kernels")
	if err != nil {
		return nil, err
	}
	m, err := nereid.LoadFS(oneMore{dir, file, []byte(text)}, file, nereid.With(k.config))
	if err != nil {
		return nil, err
	}
	made, err := m.Kernel(name)
	if err == nil {
		k.made[text] = made
	}
	return made, err
}

// oneMore is a file system with one more file in its root.
type oneMore struct {
	fs.FS
	name string
	text []byte
}

func (o oneMore) Open(name string) (fs.File, error) {
	if name != o.name {
		return o.FS.Open(name)
	}
	return memoryFile{bytes.NewReader(o.text), o.name}, nil
}

// memoryFile is a file in memory, and its own fs.FileInfo.
type memoryFile struct {
	*bytes.Reader
	name string
}

func (f memoryFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f memoryFile) Close() error               { return nil }
func (f memoryFile) Name() string               { return f.name }
func (f memoryFile) Mode() fs.FileMode          { return 0o444 }
func (f memoryFile) ModTime() time.Time         { return time.Time{} }
func (f memoryFile) IsDir() bool                { return false }
func (f memoryFile) Sys() any                   { return nil }
