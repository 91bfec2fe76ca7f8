package core

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nereid-lang/nereid/internal/runtime/code"
)

// WriteTritonCache writes the stages of a kernel for a GPU below a folder, in the layout of the cache of
// Triton 3.6, and returns the folder of the kernel:
//
//	HASH/NAME.source, .ttir, .ttgir, .llir, .ptx, .cubin (for AMD .amdgcn, .hsaco)
//	HASH/NAME.json          what Triton's CompiledKernel reads: target, options, shared memory
//	HASH/__grp__NAME.json   the files that belong together
//
// Programs that read Triton's cache read it. Triton itself does not take code from it for its own
// compilations: its hashes are those of its own compiler.
func (c *Compiled) WriteTritonCache(dir string) (string, error) {
	if c == nil || c.of == nil || c.of.Exec == nil {
		return "", errNotCompiled
	}
	s := c.of.Saved
	if !slices.ContainsFunc(c.Stages, func(x Stage) bool { return gpuStages[x.Name] }) {
		return "", fmt.Errorf("nereid: Triton's cache is for GPUs: %s is for %s", s.Kernel, s.Target)
	}
	target, files := tritonTarget(s), map[string][]byte{}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %+v\n", s.Compiler, s.Target, s.Signature, s.Options)
	for _, stage := range c.Stages {
		if stage.Text != nil && tritonStages[stage.Name] {
			files[s.Kernel+"."+stage.Name] = stage.Text
			h.Write(stage.Text)
		}
	}
	if len(files) == 0 {
		return "", errors.New("nereid: no stage of the kernel was kept")
	}
	sum := h.Sum(nil)
	meta, err := json.Marshal(tritonMetadata(s, target, hex.EncodeToString(sum)))
	if err != nil {
		return "", err
	}
	files[s.Kernel+".json"] = meta
	dir, err = filepath.Abs(dir) // the group has whole paths
	if err != nil {
		return "", err
	}
	folder := filepath.Join(dir, base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum))
	return folder, writeGroup(folder, s.Kernel, files)
}

// tritonStages are the stages that Triton's cache has.
var tritonStages = map[string]bool{"source": true, "ttir": true, "ttgir": true, "llir": true, "ptx": true,
	"cubin": true, "amdgcn": true, "hsaco": true}

// gpuStages are the stages that compilations for GPUs alone have.
var gpuStages = map[string]bool{"ptx": true, "cubin": true, "amdgcn": true, "hsaco": true}

// gpuTarget is Triton's GPUTarget.
type gpuTarget struct {
	Backend  string `json:"backend"`
	Arch     any    `json:"arch"` // a number for CUDA
	WarpSize int    `json:"warp_size"`
}

func tritonTarget(s *code.Saved) gpuTarget {
	backend, arch, _ := strings.Cut(s.Target, ":")
	t := gpuTarget{Backend: backend, Arch: arch, WarpSize: s.Facts.Threads / max(1, s.Facts.Warps)}
	if n, err := strconv.Atoi(arch); err == nil {
		t.Arch = n
	}
	return t
}

// tritonMetadata is the kernel's metadata under Triton's names. What Nereid has nothing of is as in a kernel
// that does without.
func tritonMetadata(s *code.Saved, t gpuTarget, hash string) map[string]any {
	o, f := s.Options, s.Facts
	meta := map[string]any{
		"hash": hash, "target": t, "triton_version": "3.6.0", "name": f.Entry, "backend_name": t.Backend,
		"num_warps": o.NumWarps, "num_stages": o.NumStages, "num_ctas": max(1, o.NumCTAs),
		"warp_size": t.WarpSize, "maxnreg": nil, "ptx_version": nil, "ptx_options": nil, "ir_override": nil,
		"enable_fp_fusion": !o.NoFPFusion, "sanitize_overflow": !o.NoSanitizeOverflow, "debug": false,
		"launch_cooperative_grid": o.LaunchCooperativeGrid, "launch_pdl": o.LaunchPDL,
		"cluster_dims": []int{max(1, f.Cluster), 1, 1}, "extern_libs": []any{}, "instrumentation_mode": "",
		"shared": f.Shared, "tmem_size": 0, "global_scratch_size": f.Scratch, "global_scratch_align": 16,
		"profile_scratch_size": 0, "profile_scratch_align": 1, "tensordesc_meta": nil,
		"nereid_compiler": s.Compiler, "nereid_signature": s.Signature,
	}
	if n, ok := t.Arch.(int); ok {
		meta["arch"] = fmt.Sprintf("sm%d", n)
	} else {
		meta["arch"] = t.Arch
	}
	if o.MaxNReg > 0 {
		meta["maxnreg"] = o.MaxNReg
	}
	return meta
}

// writeGroup writes the files of a kernel, and at last the list of them, by which readers know that all are
// there. A file appears whole: it is written under another name first.
func writeGroup(folder, name string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	paths := map[string]string{}
	for file, data := range files {
		paths[file] = filepath.Join(folder, file)
		if err := writeWhole(paths[file], data); err != nil {
			return err
		}
	}
	var group bytes.Buffer
	if err := json.NewEncoder(&group).Encode(map[string]any{"child_paths": paths}); err != nil {
		return err
	}
	return writeWhole(filepath.Join(folder, "__grp__"+name+".json"), group.Bytes())
}

func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "tmp.pid_"+strconv.Itoa(os.Getpid())+"_*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o666), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
