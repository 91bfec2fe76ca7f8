package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nereid-lang/nereid"
)

// tensorFile splits the text of an argument that names a file, FILE.npy or FILE.safetensors[:NAME].
func tensorFile(text string) (file, name string, ok bool) {
	if strings.HasSuffix(text, ".npy") || strings.HasSuffix(text, ".safetensors") {
		return text, "", true
	}
	if i := strings.LastIndex(text, ".safetensors:"); i >= 0 {
		return text[:i+len(".safetensors")], text[i+len(".safetensors:"):], true
	}
	return "", "", false
}

// readTensor reads a tensor argument from a file. A file of several tensors has it under the parameter's name
// unless the text names another.
func readTensor(param, file, name string) (*tensorArg, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var t *nereid.Tensor
	if filepath.Ext(file) == ".npy" {
		if t, err = nereid.ReadNPY(f); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	} else {
		all, err := nereid.ReadSafetensors(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if name == "" {
			name = param
		}
		if t = all[name]; t == nil {
			return nil, usagef("%s: %s has no tensor %q", param, file, name)
		}
	}
	data := make([]byte, t.Len()*t.DType.Size())
	if err := t.Read(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	shape := t.Shape
	if len(shape) == 0 {
		shape = []int{1}
	}
	return &tensorArg{name: param, dtype: t.DType, shape: shape, fill: "file", data: data}, nil
}

// save writes tensors after a launch: --save FILE.safetensors all of them, --save NAME=FILE.npy one.
func (r *runner) save(got *result) error {
	for _, text := range r.flags.save {
		name, file, one := strings.Cut(text, "=")
		if !one {
			file = text
		}
		if err := r.saveTo(name, file, one, got); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) saveTo(name, file string, one bool, got *result) error {
	all := map[string]*nereid.Tensor{}
	for _, a := range r.in.tensors {
		if !one || a.name == name {
			all[a.name] = nereid.FromBytes(a.dtype, got.mem[a.name], a.shape...)
		}
	}
	if one && all[name] == nil {
		return usagef("--save: there is no tensor %q", name)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	switch {
	case filepath.Ext(file) == ".safetensors":
		err = nereid.WriteSafetensors(f, all)
	case one && filepath.Ext(file) == ".npy":
		err = nereid.WriteNPY(f, all[name])
	default:
		err = usagef("--save: write FILE.safetensors or NAME=FILE.npy, not %q", file)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
