package conform

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/internal/knob"
	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
	"github.com/nereid-lang/nereid/internal/target/amd/sim"
)

// machine is the machine code of a kernel of ours in its code object.
type machine struct {
	hsaco []byte
	at    int // of the code in hsaco
	code  []*gcn.Inst
	rdna  bool
	slots int // stages of the kernel's pipelines less one: the buffers of an operand
}

// decoded returns the code of the kernel in a code object.
func decoded(t *testing.T, hsaco []byte, slots int) *machine {
	t.Helper()
	o, err := gcn.Read(hsaco)
	if err != nil {
		t.Fatal(err)
	}
	set, err := gcn.SetOf(o.Processor)
	if err != nil {
		t.Fatal(err)
	}
	k := o.Kernels[0]
	code, err := set.DecodeAll(k.Code, k.Entry)
	if err != nil {
		t.Fatal(err)
	}
	return &machine{hsaco, bytes.Index(hsaco, k.Code), code, code[0].RDNA(), slots}
}

// offset returns where an instruction lies in the code object.
func (m *machine) offset(i int) int { return m.at + int(m.code[i].Addr-m.code[0].Addr) }

// with returns the code object with other words from instruction i on.
func (m *machine) with(i int, words ...uint32) []byte {
	out := slices.Clone(m.hsaco)
	for k, w := range words {
		binary.LittleEndian.PutUint32(out[m.offset(i)+4*k:], w)
	}
	return out
}

func (m *machine) word(i int) uint32 { return binary.LittleEndian.Uint32(m.hsaco[m.offset(i):]) }

// Words of instructions that stand in place of others.
const (
	noOp     = 0xbf800000
	trapCDNA = 0xbf920002
	trapRDNA = 0xbf900002
)

// trap returns the code object that stops where instruction i is.
func (m *machine) trap(i int) []byte {
	if m.rdna {
		return m.with(i, trapRDNA)
	}
	return m.with(i, trapCDNA)
}

// moved returns the code object in which instruction i lies behind instruction j, nil where a branch is on
// the way or leads there.
func (m *machine) moved(i, j int) []byte {
	for _, in := range m.code[i : j+1] {
		if strings.Contains(in.Base, "branch") || strings.Contains(in.Base, "pc") {
			return nil
		}
	}
	for _, in := range m.code {
		if !strings.Contains(in.Base, "branch") {
			continue
		}
		to := in.Addr + 4 + uint64(int64(int16(in.Field("simm16"))))*4
		if to > m.code[i].Addr && to <= m.code[j].Addr {
			return nil
		}
	}
	out, from, size := slices.Clone(m.hsaco), m.offset(i), m.code[i].Size
	end := m.offset(j) + m.code[j].Size
	copy(out[from:], m.hsaco[from+size:end])
	copy(out[end-size:], m.hsaco[from:from+size])
	return out
}

// behind returns the first instruction behind i whose name has the prefix, if instruction i can move there:
// no branch lies between, and nothing writes the registers of i; else -1.
func (m *machine) behind(i int, prefix string) int {
	own := registers.FindAllString(m.code[i].String(), -1)
	for j := i + 1; j < len(m.code); j++ {
		in := m.code[j]
		if strings.HasPrefix(in.Base, prefix) {
			return j
		}
		written := registers.FindString(in.String())
		if strings.Contains(in.Base, "branch") || in.Base == "s_endpgm" || in.Base == "s_barrier" ||
			slices.ContainsFunc(own, func(r string) bool { return overlap(r, written) }) {
			return -1
		}
	}
	return -1
}

// registers finds vector registers: v7, v[2:5].
var registers = regexp.MustCompile(`\bv(\d+|\[\d+:\d+\])`)

// overlap reports whether two names of vector registers have a register in common.
func overlap(a, b string) bool {
	span := func(s string) (lo, hi int) {
		if n, _ := fmt.Sscanf(s, "v[%d:%d]", &lo, &hi); n == 2 {
			return lo, hi
		}
		fmt.Sscanf(s, "v%d", &lo)
		return lo, lo
	}
	if a == "" || b == "" {
		return false
	}
	la, ha := span(a)
	lb, hb := span(b)
	return la <= hb && lb <= ha
}

// counter is a wait counter in the bits of s_waitcnt.
type counter struct{ shift, bits int }

func (m *machine) counters() map[string]counter {
	if m.rdna {
		return map[string]counter{"vmcnt": {10, 6}, "lgkmcnt": {4, 6}}
	}
	return map[string]counter{"vmcnt": {0, 4}, "lgkmcnt": {8, 4}}
}

// weakened returns the code object in which a wait leaves one access more under way, nil if it does not wait
// for that counter.
func (m *machine) weakened(i int, name string) []byte {
	c, w := m.counters()[name], m.word(i)
	if most := uint32(1)<<c.bits - 1; m.code[i].Base != "s_waitcnt" || w>>c.shift&most == most {
		return nil
	}
	return m.with(i, w+1<<c.shift)
}

// elsewhere returns the code object in which a write to LDS goes to the buffer of another stage, which lies
// 2 KiB away and which a write behind another barrier fills.
func (m *machine) elsewhere(i int) []byte {
	const apart = 2048
	by := map[string]uint32{"ds_write2st64_b64": apart / 512 * 0x101, "ds_write_b128": apart,
		"ds_write_b64": apart}[m.code[i].Base]
	for j, in := range m.code {
		own := m.code[i]
		if m.slots > 1 && by != 0 && in.Base == own.Base && in.Field("addr") == own.Field("addr") &&
			m.word(j) == m.word(i)^by && m.meets(min(i, j), max(i, j)) {
			return m.with(i, m.word(j))
		}
	}
	return nil
}

// meets reports whether a barrier lies between two instructions.
func (m *machine) meets(i, j int) bool {
	return slices.ContainsFunc(m.code[i:j], func(in *gcn.Inst) bool { return in.Base == "s_barrier" })
}

// amdPlants are the kinds of faults of order; each returns the code object with the fault at instruction i,
// nil where it does not apply.
var amdPlants = map[string]func(m *machine, i int) []byte{
	"barrier dropped":         func(m *machine, i int) []byte { return m.dropped(i, "s_barrier") },
	"wait dropped":            func(m *machine, i int) []byte { return m.dropped(i, "s_waitcnt") },
	"wait for stores dropped": func(m *machine, i int) []byte { return m.dropped(i, "s_waitcnt_vscnt") },
	"buffer_gl0_inv dropped":  func(m *machine, i int) []byte { return m.dropped(i, "buffer_gl0_inv") },
	"vmcnt weakened":          func(m *machine, i int) []byte { return m.weakened(i, "vmcnt") },
	"lgkmcnt weakened":        func(m *machine, i int) []byte { return m.weakened(i, "lgkmcnt") },
	"wait moved behind the barrier": func(m *machine, i int) []byte {
		return m.movedTo(i, "s_waitcnt", "s_barrier")
	},
	"write to LDS moved behind the barrier": func(m *machine, i int) []byte {
		return m.movedTo(i, "ds_write", "s_barrier")
	},
	"store moved behind the barrier": func(m *machine, i int) []byte {
		return m.movedTo(i, "buffer_store", "s_barrier")
	},
	"barrier moved behind a write to LDS": func(m *machine, i int) []byte {
		return m.movedTo(i, "s_barrier", "ds_write")
	},
	"barrier moved behind a read of LDS": func(m *machine, i int) []byte {
		return m.movedTo(i, "s_barrier", "ds_read")
	},
	"barrier moved behind a load": func(m *machine, i int) []byte {
		return m.movedTo(i, "s_barrier", "global_load")
	},
	"write to the buffer of another stage": (*machine).elsewhere,
}

// dropped returns the code object without instruction i if it has that name.
func (m *machine) dropped(i int, name string) []byte {
	if in := m.code[i]; in.Base != name && in.Name != name {
		return nil
	}
	words := make([]uint32, m.code[i].Size/4)
	for k := range words {
		words[k] = noOp
	}
	return m.with(i, words...)
}

// movedTo returns the code object in which instruction i, if its name has the prefix, lies behind the next
// one whose name has the other.
func (m *machine) movedTo(i int, prefix, over string) []byte {
	if !strings.HasPrefix(m.code[i].Base, prefix) {
		return nil
	}
	if j := m.behind(i, over); j >= 0 {
		return m.moved(i, j)
	}
	return nil
}

const amdKernels = plantedKernels + `
@triton.jit
def exchange(a, b, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(a + i, i.to(tl.float32))
    tl.debug_barrier()
    tl.store(b + i, tl.load(a + (N - 1 - i)))

@triton.jit
def turned(a, b, N: tl.constexpr):
    r, c = tl.arange(0, N), tl.arange(0, N)
    x = tl.load(a + r[:, None] * N + c[None, :])
    tl.store(b + c[:, None] * N + r[None, :], x.T)
`

// amdLaunches are the launches in whose machine code faults are planted.
func amdLaunches() []described {
	f32 := nereid.Float32
	product := pointerProduct(32, 32, 32, 1)
	return []described{product(2, 4), product(3, 5),
		single("softmax", 4, 3, inFull(f32, 4, 256), inFull(f32, 4, 256), 256),
		single("exchange", 4, 3, inFull(f32, 1024), inFull(f32, 1024), 1024),
		single("turned", 4, 3, inFull(f32, 64, 64), inFull(f32, 64, 64), 64)}
}

// TestPlantedAMD plants faults of order in the machine code that we make for AMD's GPUs, one at a time. Each
// is reported, or never runs, or does no harm: the results are right under several orders. Of each kind some
// are reported.
func TestPlantedAMD(t *testing.T) {
	mod, err := nereid.Parse("planted.py", []byte(amdKernels))
	if err != nil {
		t.Fatal(err)
	}
	reported := map[string]int{}
	for _, chip := range []string{"gfx942", "gfx1100"} {
		dev, all := opened(t, "sim:"+chip)[0], map[string]*tally{}
		for i, d := range amdLaunches() {
			t.Run(fmt.Sprintf("%s/%s-%d", chip, d.kernel, i), func(t *testing.T) {
				d.plantAMD(t, mod, dev, all)
			})
		}
		for _, kind := range slices.Sorted(maps.Keys(all)) {
			t.Logf("%s, %s: %+v", chip, kind, *all[kind])
			reported[kind] += all[kind].reported + all[kind].unwritten
		}
	}
	for kind := range amdPlants {
		if reported[kind] == 0 {
			t.Errorf("%s: none is reported", kind)
		}
	}
}

// tally counts the faults of a kind. Those reported are races, or missing waits, with both lines, or reads of
// LDS before it is written.
type tally struct{ reported, unwritten, harmless, neverRun int }

// faultyAMD is a code object with a fault.
type faultyAMD struct {
	m     *machine // the code without it
	kind  string
	at    int // the instruction
	hsaco []byte
}

func (f *faultyAMD) String() string {
	return fmt.Sprintf("%s, instruction %d %s", f.kind, f.at, f.m.code[f.at])
}

// faultsAMD returns the launch's results, and its code object with each of the faults.
func (d described) faultsAMD(t *testing.T, mod *nereid.Module, dev *nereid.Device) (right []byte,
	all []*faultyAMD) {
	t.Helper()
	var m *machine
	right, err := d.changed(t, mod, dev, func(hsaco []byte) []byte {
		m = decoded(t, slices.Clone(hsaco), d.opts.NumStages-1)
		return hsaco
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range slices.Sorted(maps.Keys(amdPlants)) {
		for i := range m.code {
			if bad := amdPlants[kind](m, i); bad != nil && !bytes.Equal(bad, m.hsaco) {
				all = append(all, &faultyAMD{m, kind, i, bad})
			}
		}
	}
	return right, all
}

// plantAMD plants all faults in a launch.
func (d described) plantAMD(t *testing.T, mod *nereid.Module, dev *nereid.Device, all map[string]*tally) {
	t.Helper()
	for kind := range amdPlants {
		if all[kind] == nil {
			all[kind] = &tally{}
		}
	}
	right, faults := d.faultsAMD(t, mod, dev)
	for _, f := range faults {
		d.judge(t, mod, dev, f, right, all[f.kind])
	}
}

// judge runs a launch with a fault.
func (d described) judge(t *testing.T, mod *nereid.Module, dev *nereid.Device, bad *faultyAMD, right []byte,
	sum *tally) {
	t.Helper()
	run := func(hsaco []byte) ([]byte, error) {
		return d.changed(t, mod, dev, func([]byte) []byte { return hsaco })
	}
	var f *sim.Fault
	switch _, err := run(bad.hsaco); {
	case errors.As(err, &f) && (f.Race || f.Wait) && f.Other.Line > 0:
		sum.reported++
		return
	case errors.As(err, &f) && strings.Contains(f.Msg, "nothing wrote"): // yet, in this order
		sum.unwritten++
		return
	case err != nil:
		t.Errorf("%s: no report of both lines: %v", bad, err)
	}
	if _, err := run(bad.m.trap(bad.at)); err == nil {
		sum.neverRun++
		return
	}
	sum.harmless++
	for _, order := range []string{"latest", "random:1", "adversarial:2"} {
		t.Setenv(knob.SimOrder.Name(), order)
		if got, err := run(bad.hsaco); err != nil || !bytes.Equal(got, right) {
			t.Errorf("%s: not reported, and under %s results differ: %v", bad, order, err)
		}
	}
	t.Setenv(knob.SimOrder.Name(), "usual")
}

// changed launches the kernel with changed code and returns what it leaves in its tensors.
func (d described) changed(t *testing.T, mod *nereid.Module, dev *nereid.Device,
	change func([]byte) []byte) (left []byte, err error) {
	t.Helper()
	ctx := sim.WithWatch(t.Context(), sim.Watch{Change: change})
	err = d.launchIn(ctx, t, mod, dev, func(tensors []*nereid.Tensor) {
		for _, x := range tensors {
			left = append(left, bytesOf(t, x)...)
		}
	})
	return left, err
}
