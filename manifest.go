package nereid

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/nereid-lang/nereid/internal/cache"
	"github.com/nereid-lang/nereid/internal/safefile"
)

// Manifest is a list of variants, as a file has it.
type Manifest struct {
	Version  int       `json:"version"`
	Variants []Variant `json:"variants"`
}

const (
	manifestVersion = 1
	maxManifest     = 256 << 20 // bytes
)

// ReadManifest reads a file that a Recorder wrote.
func ReadManifest(name string) (*Manifest, error) {
	data, err := safefile.ReadNamed(name, maxManifest)
	if err != nil {
		return nil, fmt.Errorf("nereid: %w", err)
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("nereid: %s is no manifest: %w", name, err)
	}
	if head.Version != manifestVersion {
		return nil, fmt.Errorf("nereid: %s is a manifest of version %d, not %d", name, head.Version, manifestVersion)
	}
	m := &Manifest{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // an option that is misspelt would be another variant
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("nereid: %s is no manifest: %w", name, err)
	}
	for i, v := range m.Variants {
		if v.Kernel == "" || v.File == "" {
			return nil, fmt.Errorf("nereid: %s: variant %d names no kernel or no file", name, i+1)
		}
	}
	return m, nil
}

// Recorder notes the variants that a program launches, for a manifest. The zero value is ready. Kernels that are tuned are noted with every
// config that was tried.
type Recorder struct {
	// File is written anew with each variant, if it is set. What is in it already stays, and processes may share it. A file that is no
	// manifest is left alone.
	File string

	mu   sync.Mutex
	list []Variant
}

// Variants are those noted so far, in a fixed order.
func (r *Recorder) Variants() []Variant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sorted()
}

func (r *Recorder) sorted() []Variant {
	list := slices.Clone(r.list)
	slices.SortFunc(list, func(a, b Variant) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// add notes a variant.
func (r *Recorder) add(v Variant) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.list, v) {
		return nil
	}
	r.list = append(r.list, v)
	if r.File == "" {
		return nil
	}
	return r.update()
}

// update adds what was noted to the file, one process after the other as far as the file system has locks.
func (r *Recorder) update() error {
	defer cache.LockFolder(filepath.Dir(r.File))()
	m, err := ReadManifest(r.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		for _, v := range m.Variants {
			if !slices.Contains(r.list, v) {
				r.list = append(r.list, v)
			}
		}
	}
	return r.write(r.File)
}

// Write writes a manifest of what was noted.
func (r *Recorder) Write(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.write(name); err != nil {
		return fmt.Errorf("nereid: %w", err)
	}
	return nil
}

func (r *Recorder) write(name string) error {
	data, err := json.MarshalIndent(Manifest{manifestVersion, r.sorted()}, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".tmp*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	err = errors.Join(err, f.Close(), os.Chmod(f.Name(), 0o644))
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
