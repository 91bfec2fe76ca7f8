package nccl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/nereid-lang/nereid/internal/dl"
	"github.com/nereid-lang/nereid/internal/knob"
)

// Library is NCCL or RCCL.
type Library struct {
	raw     raw
	path    string
	version int
}

// Path returns the path of the library, or the name by which the system's loader found it.
func (l *Library) Path() string { return l.path }

// Version returns the library's version: 22803 for 2.28.3.
func (l *Library) Version() int { return l.version }

// Load opens NCCL at the first call.
func Load() (*Library, error) { return loaded() }

// LoadRCCL opens RCCL at the first call.
func LoadRCCL() (*Library, error) { return loadedRCCL() }

var (
	loaded = sync.OnceValues(func() (*Library, error) {
		return open("NCCL (libnccl.so.2)", hint, candidates())
	})
	loadedRCCL = sync.OnceValues(func() (*Library, error) {
		return open("RCCL (librccl.so.1)", hintRCCL, candidatesRCCL())
	})
)

const (
	hint = "pip install nvidia-nccl-cu13 (nvidia-nccl-cu12 with a driver of CUDA 12), or apt install " +
		"libnccl2 from NVIDIA's repository; NEREID_NCCL names another path"
	hintRCCL = "it comes with ROCm (apt install rccl, or librccl1 on Debian); NEREID_RCCL names another path"
)

// candidates returns the search order: NEREID_NCCL alone if it is set, else the library that the system's
// loader finds, then the folders of Python packages and of NVIDIA's HPC SDK.
func candidates() []dl.Candidate {
	if path := knob.NCCL.Get(); path != "" {
		return []dl.Candidate{path}
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	return append([]dl.Candidate{"libnccl.so.2"}, inPackages("nvidia/nccl/lib/libnccl.so.2")...)
}

// candidatesRCCL returns the search order for RCCL.
func candidatesRCCL() []dl.Candidate {
	if path := knob.RCCL.Get(); path != "" {
		return []dl.Candidate{path}
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	return append([]dl.Candidate{"librccl.so.1", "librccl.so", "/opt/rocm/lib/librccl.so.1"},
		inPackages("torch/lib/librccl.so")...)
}

// inPackages returns the files of a name in the folders where pip puts packages: those of the environment
// that is active, of the user, of the system, and of an environment in the current folder. The newest
// release of Python comes first.
func inPackages(file string) (found []dl.Candidate) {
	roots := []string{os.Getenv("VIRTUAL_ENV"), os.Getenv("CONDA_PREFIX"), ".venv", "/usr/local", "/usr"}
	if home, err := os.UserHomeDir(); err == nil {
		roots = slices.Insert(roots, 2, filepath.Join(home, ".local"))
	}
	for _, root := range roots {
		if root == "" {
			continue
		}
		for _, folder := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages"} {
			list, _ := filepath.Glob(filepath.Join(root, folder, file))
			slices.Reverse(list)
			for _, path := range list {
				if full, err := filepath.Abs(path); err == nil {
					found = append(found, full)
				}
			}
		}
	}
	return found
}

func open(what, hint string, list []dl.Candidate) (*Library, error) {
	l := &Library{}
	lib, err := dl.Open(what, list, func(lib *dl.Library) error { return lib.Bind(l.raw.symbols()) })
	if missing := (*dl.NotFoundError)(nil); errors.As(err, &missing) {
		missing.Hint = hint
	}
	if err != nil {
		return nil, err
	}
	l.path = lib.Path
	var version int32
	if err := l.check("ncclGetVersion", 0, l.raw.getVersion(&version)); err != nil {
		return nil, fmt.Errorf("%s: %w", lib.Path, err)
	}
	l.version = int(version)
	return l, nil
}
