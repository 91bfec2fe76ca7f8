//go:build unix

package simdriver

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/nvidia/driver"
	"github.com/nereid-lang/nereid/internal/ptx"
	"github.com/nereid-lang/nereid/internal/target/amd/gcnsim"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
	"github.com/nereid-lang/nereid/internal/target/simmem"
	"github.com/nereid-lang/nereid/internal/txtest"
)

var (
	//go:embed testdata/sim.h
	simSource []byte
	//go:embed testdata/simdriver.c
	simDriverSource []byte
	//go:embed testdata/simhip.c
	simHIPSource []byte
)

// Driver answers a CUDA driver of C whose kernels run in the simulator, or a runtime of HIP's.
type Driver struct {
	dir     string
	memory  *simmem.Memory
	modules map[string]*module

	hip      bool     // modules are code objects
	Launched []string // kernels, with the grids in which they were launched
	failed   []error
}

type module struct {
	code *ptxsim.Module
	text []byte         // of PTX
	hip  *gcnsim.Module // in place of both
}

// room is the device's memory, as testdata/sim.h has it.
const room = 64 << 20

// New returns a driver and the environment in which programs of C use it. It serves one program at a
// time.
func New(t *testing.T) (d *Driver, env []string) {
	t.Helper()
	d = begin(t)
	lib := txtest.SharedLibrary(t, "libcuda.so.1", slices.Concat(simSource, simDriverSource))
	return d, []string{"NEREID_CUDA=" + lib, "NEREID_SIM=" + d.dir}
}

// NewHIP is New for AMD's runtime, whose kernels run in the emulator of gfx942.
func NewHIP(t *testing.T) (d *Driver, env []string) {
	t.Helper()
	d = begin(t)
	d.hip = true
	lib := txtest.SharedLibrary(t, "libamdhip64.so", slices.Concat(simSource, simHIPSource))
	return d, []string{"NEREID_HIP=" + lib, "NEREID_SIM=" + d.dir}
}

// begin begins to answer requests.
func begin(t *testing.T) *Driver {
	t.Helper()
	d := &Driver{dir: t.TempDir(), memory: simmem.New(), modules: map[string]*module{}}
	file, err := os.OpenFile(filepath.Join(d.dir, "memory"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(room); err != nil {
		t.Fatal(err)
	}
	data, err := syscall.Mmap(int(file.Fd()), 0, room, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	d.memory.Alloc(data)
	for _, name := range []string{"ask", "told"} {
		if err := syscall.Mkfifo(filepath.Join(d.dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Open for both, so that neither opening nor the end of a program ends the pipes.
	ask, err := os.OpenFile(filepath.Join(d.dir, "ask"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	told, err := os.OpenFile(filepath.Join(d.dir, "told"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.serve(ask, told)
	}()
	t.Cleanup(func() {
		fmt.Fprintln(ask, "end")
		<-done
		ask.Close()
		told.Close()
		syscall.Munmap(data)
		if err := errors.Join(d.failed...); err != nil {
			t.Error(err)
		}
	})
	return d
}

// serve answers requests: a line each.
func (d *Driver) serve(ask io.Reader, told io.Writer) {
	lines := bufio.NewReader(ask)
	for {
		line, err := lines.ReadString('\n')
		f := strings.Fields(line)
		if err != nil || len(f) == 0 || f[0] == "end" {
			return
		}
		var text string
		switch f[0] {
		case "load":
			err = d.load(f[1])
		case "params":
			text, err = d.params(f[1], f[2])
		case "launch":
			err = d.launch(f[1:])
		case "encode":
			text, err = d.encode(f[1:])
			if err != nil { // which the host may try
				fmt.Fprintf(told, "bad %v\n", err)
				continue
			}
		}
		if err != nil {
			d.failed = append(d.failed, fmt.Errorf("%.60s: %w", line, err))
			fmt.Fprintf(told, "bad\n")
			continue
		}
		fmt.Fprintf(told, "ok %s\n", text)
	}
}

func (d *Driver) load(name string) error {
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		return err
	}
	m := &module{}
	if d.hip {
		m.hip, err = gcnsim.Load(data)
		d.modules[name] = m
		return err
	}
	m.text = data
	m.code, err = ptxsim.Parse(data)
	d.modules[name] = m
	return err
}

// params returns the bytes of each parameter of a kernel.
func (d *Driver) params(module, kernel string) (string, error) {
	h, err := ptx.ReadHeader(d.modules[module].text, kernel)
	if err != nil {
		return "", err
	}
	var sizes []string
	for _, p := range h.Params {
		sizes = append(sizes, strconv.Itoa(p.Size))
	}
	return strings.Join(sizes, " "), nil
}

// launch runs a kernel: module, name, grid, cluster or threads, shared memory, parameters.
func (d *Driver) launch(f []string) error {
	var n [5]int
	for i := range n {
		n[i], _ = strconv.Atoi(f[2+i])
	}
	if d.hip {
		return d.launchHIP(f, n)
	}
	l := &ptxsim.Launch{Kernel: f[1], Grid: [3]int(n[:3]), Cluster: n[3], Shared: n[4],
		Bytes: map[int][]byte{}, Memory: d.memory}
	for i, text := range f[7:] {
		data, err := hex.DecodeString(text)
		if err != nil {
			return err
		}
		if len(data) > 8 {
			l.Bytes[i] = data
			l.Args = append(l.Args, 0)
			continue
		}
		l.Args = append(l.Args, simmem.Load(data, len(data)))
	}
	d.Launched = append(d.Launched, fmt.Sprintf("%s %d,%d,%d of %s", f[1], n[0], n[1], n[2], f[0]))
	return d.modules[f[0]].code.Run(context.Background(), l)
}

// launchHIP runs a kernel of a code object, whose arguments lie where its description says.
func (d *Driver) launchHIP(f []string, n [5]int) error {
	packed, err := hex.DecodeString(f[7])
	if err != nil {
		return err
	}
	module := d.modules[f[0]].hip
	k, err := module.Object.Kernel(f[1])
	if err != nil {
		return err
	}
	l := &gcnsim.Launch{Kernel: f[1], Grid: [3]int(n[:3]), Threads: n[3], LDS: n[4], Memory: d.memory}
	end := 0
	for _, a := range k.Args {
		if strings.HasPrefix(a.Kind, "hidden_") {
			continue
		}
		if end = a.Offset + a.Size; end > len(packed) {
			return fmt.Errorf("%d bytes of arguments, and one ends at %d", len(packed), end)
		}
		l.Args = append(l.Args, simmem.Load(packed[a.Offset:], a.Size))
	}
	if end != len(packed) {
		return fmt.Errorf("%d bytes of arguments, want %d", len(packed), end)
	}
	d.Launched = append(d.Launched, fmt.Sprintf("%s %d,%d,%d x %d", f[1], n[0], n[1], n[2], n[3]))
	return module.Run(context.Background(), l)
}

// encode makes a tensor map: type, rank, address, swizzle, fill; of each dimension size, stride and box.
func (d *Driver) encode(f []string) (string, error) {
	n := make([]uint64, len(f))
	for i, text := range f {
		n[i], _ = strconv.ParseUint(text, 10, 64)
	}
	elem := []int{1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4}[n[0]]
	t := driver.Tiled{Type: int(n[0]), Elem: elem, Rank: int(n[1]), Address: n[2],
		Swizzle: []int{0, 32, 64, 128}[n[3]], NaN: n[4] != 0}
	for i := range t.Rank {
		t.Dims[i], t.Box[i] = n[5+3*i], uint32(n[7+3*i])
		if i > 0 {
			t.Strides[i-1] = n[6+3*i]
		}
	}
	if err := t.Check(); err != nil {
		return "", err
	}
	return hex.EncodeToString((&ptxsim.TensorMap{Address: t.Address, Type: ptxsim.TypeOfDriver(t.Type),
		Swizzle: t.Swizzle, NaN: t.NaN, Dims: t.Dims[:t.Rank], Strides: t.Strides[:t.Rank-1],
		Box: t.Box[:t.Rank]}).Encode()), nil
}
