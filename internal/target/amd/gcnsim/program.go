package gcnsim

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// program is a kernel's code, decoded.
type program struct {
	kernel  *gcn.Kernel
	steps   []step
	index   map[uint64]int // index of steps by address
	entry   int
	vectors int // VGPRs and AGPRs of a wave
	lanes   int // lanes of a wave: 32 or 64
	mode    uint32
	apart   bool // waves of a workgroup have caches apart
	ring    bool // floats are elements of a ring: see ring.go
}

// step is an instruction and the function that runs it.
type step struct {
	in     *gcn.Inst
	run    func(*wave)
	uses   []int // registers read or written, by number
	vector bool  // it runs in the lanes of exec
}

// preloadSkip is how far behind the entry the code of a kernel with preloaded arguments begins: before it
// lies code that loads them where the hardware does not.
const preloadSkip = 256

func newProgram(set *gcn.Set, o *gcn.Object, k *gcn.Kernel, ring bool) (*program, error) {
	p := &program{ring: ring, kernel: k, index: map[uint64]int{}, vectors: 1, lanes: k.Wave}
	if k.Wave != 32 && k.Wave != lanes {
		return nil, fmt.Errorf("waves of %d lanes: expected 32 or %d", k.Wave, lanes)
	}
	insts, err := set.DecodeAll(k.Code, k.Entry)
	if err != nil && len(insts) == 0 {
		return nil, err
	}
	insts = append(insts, functions(set, o, k)...)
	for i, in := range insts {
		p.index[in.Addr] = i
	}
	for _, in := range insts {
		p.steps = append(p.steps, p.prepare(in))
	}
	entry := k.Entry
	if n, _ := k.Descriptor.Preload(); n > 0 {
		entry += preloadSkip
	}
	at, ok := p.index[entry]
	if !ok {
		return nil, fmt.Errorf("no instruction at the entry %#x", entry)
	}
	p.entry = at
	f32, f16 := k.Descriptor.Flush()
	p.mode = modeOf(f32, f16)
	p.apart = k.Wave == 32 && k.Descriptor.WGP()
	return p, nil
}

// functions decodes the code beside a kernel, which it may call. What is no instruction is left out.
func functions(set *gcn.Set, o *gcn.Object, k *gcn.Kernel) []*gcn.Inst {
	var out []*gcn.Inst
	for _, s := range o.Segments {
		for at := 0; s.Code && at < len(s.Data); {
			if s.Addr+uint64(at) == k.Entry {
				at += len(k.Code)
				continue
			}
			in, err := set.Decode(s.Data[at:], s.Addr+uint64(at))
			if err != nil {
				at += 4
				continue
			}
			out = append(out, in)
			at += in.Size
		}
	}
	return out
}

// builder makes the function of an instruction; nil stands for one that the simulator does not know.
type builder func(p *program, in *gcn.Inst) func(*wave)

// prepare makes the step of an instruction. One that is not known stops the wave that reaches it.
func (p *program) prepare(in *gcn.Inst) step {
	s := step{in: in, vector: in.Encoding()[0] != 'S' || in.Encoding() == "SCRATCH"}
	for _, a := range in.Args {
		if a.Field == "vdata" && in.Encoding() == "MUBUF" && in.Field("lds") != 0 {
			continue // of a load to LDS, which has no result in registers
		}
		s.uses = append(s.uses, registersOf(a)...)
		if a.File == gcn.Vector || a.File == gcn.Acc {
			p.vectors = max(p.vectors, vectorOf(a)+a.N)
		}
	}
	s.run = p.build(in)
	if s.run == nil {
		s.run = func(w *wave) { w.fail(-1, "the emulator does not know the instruction %s", in.Name) }
	}
	return s
}

func (p *program) build(in *gcn.Inst) func(*wave) {
	if b := special[in.Base]; b != nil {
		if in.HasDPP() && !strings.HasPrefix(in.Base, "v_cndmask") {
			return nil
		}
		return b(p, in)
	}
	if b := byEncoding[in.Encoding()]; b != nil {
		return b(p, in)
	}
	return nil
}

// byEncoding are the builders of the families of instructions. It is set in init since builders refer to
// tables that refer to them.
var byEncoding, special map[string]builder

func init() {
	byEncoding = map[string]builder{
		"SOP1": buildScalar, "SOP2": buildScalar, "SOPC": buildScalar, "SOPK": buildScalar,
		"SOPP": buildControl, "SMEM": buildScalarLoad, "SMEM11": buildScalarLoad,
		"VOP1": buildVector, "VOP2": buildVector, "VOP3": buildVector, "VOP1_DPP": buildVector,
		"VOP2_DPP":  buildVector,
		"VOP1_SDWA": buildVector, "VOP2_SDWA": buildVector,
		"VOPC": buildCompare, "VOPC_SDWA": buildCompare, "VOPC_DPP": buildCompare, "VOPD": buildDual,
		"VOP3P": buildPacked, "MAI": buildMatrix, "MAIX": buildMatrix,
		"DS": buildLDS, "FLAT": buildFlat, "GLOBAL": buildFlat, "SCRATCH": buildFlat, "MUBUF": buildBuffer,
	}
	special = specials
}

// vectorOf returns the number of a vector register among VGPRs and AGPRs.
func vectorOf(a gcn.Operand) int {
	if a.File == gcn.Acc {
		return vectors + a.Code
	}
	return a.Code
}

// registersOf returns the numbers of the registers of an operand.
func registersOf(a gcn.Operand) []int {
	var out []int
	for i := range a.N {
		switch {
		case a.File == gcn.Scalar && a.Code+i < sgprs:
			out = append(out, a.Code+i)
		case a.File == gcn.Vector || a.File == gcn.Acc:
			out = append(out, sgprs+vectorOf(a)+i)
		}
	}
	return out
}
