package onnx

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Files returns the names of the files with external data, relative to the model's folder, sorted. A name
// that leaves the folder is an error.
func (m *Model) Files() ([]string, error) {
	var out []string
	add := func(t *Tensor) error {
		file, err := t.External()
		if err != nil || file == "" {
			return err
		}
		if !filepath.IsLocal(file) {
			return fmt.Errorf("tensor %s: its data lies in %q, outside of the model's folder", t.Name, file)
		}
		out = append(out, file)
		return nil
	}
	var errs []error
	for _, t := range m.Graph.Initializers {
		errs = append(errs, add(t))
	}
	for _, n := range m.Graph.Nodes {
		for _, a := range n.Attributes {
			if t, ok := a.Value.(*Tensor); ok {
				errs = append(errs, add(t))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), errors.Join(errs...)
}

// Write writes the model to a file. from is the folder of the model that it was read from; put brings
// each file of external data from there to the new model's folder, unless this is the same.
func (m *Model) Write(path, from string, put func(from, to string) error) error {
	data, err := m.Bytes()
	if err != nil {
		return err
	}
	files, err := m.Files()
	if err != nil {
		return err
	}
	if same, err := sameFolder(from, filepath.Dir(path)); err != nil {
		return err
	} else if !same {
		for _, file := range files {
			to := filepath.Join(filepath.Dir(path), file)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if err := put(filepath.Join(from, file), to); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(path, data, 0o644)
}

func sameFolder(a, b string) (bool, error) {
	x, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y), err
}

// Link makes a file another name of one that exists, or a copy of it.
func Link(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	return Copy(from, to)
}

// Copy copies a file. It does not write over one.
func Copy(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
