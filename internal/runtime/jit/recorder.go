package jit

import (
	"errors"
	"sync"

	"github.com/nereid-lang/nereid/internal/runtime/code"
	"github.com/nereid-lang/nereid/internal/runtime/manifest"
)

// Manifest is the contents of a manifest file: a list of variants.
type Manifest struct {
	Version  int       `json:"version"`  // version of the format: 1
	Variants []Variant `json:"variants"` // in the order of the file
}

// ReadManifest reads a file that a Recorder wrote. A variant that a killed process had begun to add is
// ignored.
func ReadManifest(name string) (*Manifest, error) { return manifestOf(manifest.Read(name)) }

// ParseManifest reads the text of a manifest, one that a program embeds say.
func ParseManifest(data []byte) (*Manifest, error) { return manifestOf(manifest.Parse(data)) }

func manifestOf(m *manifest.Manifest, err error) (*Manifest, error) {
	if err != nil {
		return nil, err
	}
	return &Manifest{m.Version, variantsOf(m.Variants)}, nil
}

// Recorder records the variants that a program launches, for a manifest. The zero value is ready to use.
// Tuned kernels are recorded with every config that was tried.
type Recorder struct {
	// File, if set before the first launch, receives each variant at once. Its contents stay, and processes
	// may share it. A file that is no manifest is not changed.
	File string

	first sync.Once
	rec   manifest.Recorder
}

// Variants returns the recorded variants, sorted.
func (r *Recorder) Variants() []Variant {
	if r == nil {
		return nil
	}
	return variantsOf(r.rec.Variants())
}

// WriteFile writes a manifest of the recorded variants to a file.
func (r *Recorder) WriteFile(name string) error {
	if r == nil {
		return errors.New("nereid: there is no recorder")
	}
	return r.rec.Write(name)
}

// add records a variant.
func (r *Recorder) add(v code.Variant) error {
	r.first.Do(func() { r.rec.File = r.File })
	return r.rec.Add(v)
}
