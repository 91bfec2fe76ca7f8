package ops

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/nereid-lang/nereid"
)

// Files are the kernels' sources: ordinary Triton files, which Triton itself can import.
//
//go:embed kernels/*.py
var Files embed.FS

// Library holds the kernels of the ops, compiled under one configuration. It is safe for concurrent use.
type Library struct {
	opts  []nereid.LoadOption
	files fs.FS

	mu      sync.Mutex
	modules map[string]*nereid.Module // by file
	made    map[string]*nereid.Kernel // generated kernels, by name and text
	texts   map[string]string         // of their files
}

// Load returns a library with kernels of its own, for programs that choose how kernels are compiled:
//
//	lib := ops.Load(nereid.With(nereid.Config{Strict: true}))
//	s := lib.On(stream)
func Load(opts ...nereid.LoadOption) *Library {
	files, err := fs.Sub(Files, "kernels")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return &Library{opts: opts, files: files, modules: map[string]*nereid.Module{},
		made: map[string]*nereid.Kernel{}, texts: map[string]string{}}
}

// shared is the library of On.
var shared = sync.OnceValue(func() *Library { return Load() })

// kernel returns a kernel of a file.
func (l *Library) kernel(file, name string) (*nereid.Kernel, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.modules[file]
	if m == nil {
		var err error
		if m, err = nereid.LoadFS(l.files, file, l.opts...); err != nil {
			return nil, err
		}
		l.modules[file] = m
	}
	return m.Kernel(name)
}

// generated returns the kernel of a generated text, which defines one of this name.
func (l *Library) generated(name, text string) (*nereid.Kernel, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := name + "\n" + text
	if k := l.made[key]; k != nil {
		return k, nil
	}
	file := fileName(name, text)
	m, err := nereid.LoadFS(oneMore{l.files, file, []byte(text)}, file, l.opts...)
	if err != nil {
		return nil, err
	}
	k, err := m.Kernel(name)
	if err == nil {
		l.made[key], l.texts[file] = k, text
	}
	return k, err
}

// withFunction returns a kernel of a file in which the text of a function is another.
func (l *Library) withFunction(file, name, old, text string) (*nereid.Kernel, error) {
	data, err := fs.ReadFile(l.files, file)
	if err != nil {
		return nil, err
	}
	all := string(data)
	if strings.Count(all, old) != 1 {
		return nil, fmt.Errorf("%s does not have the function %q once", file, old)
	}
	return l.generated(name, strings.Replace(all, old, text, 1))
}

// fileName returns the name of a generated file, which messages and caches know it by.
func fileName(name, text string) string {
	sum := sha256.Sum256([]byte(text))
	return name + "_" + hex.EncodeToString(sum[:6]) + ".py"
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

var _ io.Reader = memoryFile{}

func (f memoryFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f memoryFile) Close() error               { return nil }
func (f memoryFile) Name() string               { return f.name }
func (f memoryFile) Mode() fs.FileMode          { return 0o444 }
func (f memoryFile) ModTime() time.Time         { return time.Time{} }
func (f memoryFile) IsDir() bool                { return false }
func (f memoryFile) Sys() any                   { return nil }
