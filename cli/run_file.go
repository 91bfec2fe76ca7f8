package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	in := func(err error) error { // an error of the package begins with its name
		return fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "nereid: "))
	}
	var t *nereid.Tensor
	if filepath.Ext(file) == ".npy" {
		if t, err = nereid.ReadNPY(f); err != nil {
			return nil, in(err)
		}
	} else {
		all, err := nereid.ReadSafetensors(f)
		if err != nil {
			return nil, in(err)
		}
		if name == "" {
			name = param
		}
		if t = all[name]; t == nil {
			return nil, usagef("%s: %s has no tensor %q: it has %s", param, file, name,
				strings.Join(slices.Sorted(maps.Keys(all)), ", "))
		}
	}
	data := make([]byte, t.Len()*t.DType.Size())
	if err := t.CopyBytesTo(data); err != nil {
		return nil, in(err)
	}
	shape := t.Shape
	if len(shape) == 0 {
		shape = []int{1}
	}
	return &tensorArg{name: param, dtype: t.DType, shape: shape, fill: "file", data: data}, nil
}

// cutSave cuts --save FILE.safetensors, which writes all tensors, or NAME=FILE, which writes one.
func cutSave(text string) (name, file string) {
	name, file, one := strings.Cut(text, "=")
	if !one {
		return "", text
	}
	return name, file
}

// checkSave returns an error for what save could not write, before anything runs.
func (r *runner) checkSave() error {
	for _, text := range r.flags.save {
		name, file := cutSave(text)
		if name != "" && !slices.ContainsFunc(r.in.tensors, func(a *tensorArg) bool {
			return a.name == name
		}) {
			return usagef("--save %s: there is no tensor %q", text, name)
		}
		ext := filepath.Ext(file)
		if ext != ".safetensors" && (ext != ".npy" || name == "") {
			return usagef("--save: write FILE.safetensors or NAME=FILE.npy, not %q", text)
		}
	}
	return nil
}

// save writes tensors after a launch.
func (r *runner) save(got *result) error {
	for _, text := range r.flags.save {
		name, file := cutSave(text)
		if err := r.saveTo(name, file, got); err != nil {
			return err
		}
	}
	return nil
}

// saveTo writes a tensor, or all of them for "".
func (r *runner) saveTo(name, file string, got *result) error {
	all := map[string]*nereid.Tensor{}
	for _, a := range r.in.tensors {
		if name == "" || a.name == name {
			all[a.name] = nereid.FromBytes(a.dtype, got.mem[a.name], a.shape...)
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if filepath.Ext(file) == ".npy" {
		err = nereid.WriteNPY(f, all[name])
	} else {
		err = nereid.WriteSafetensors(f, all)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
