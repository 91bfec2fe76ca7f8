package llvm

import "fmt"

// Target is what code is made for. Features is a comma-separated list as LLVM has it ("+avx2,-avx512f").
// CPU and features must be names that this LLVM knows: it warns of others on standard error, the one thing
// we cannot prevent. HostTarget, Chip, NVPTX and AMDGPU make valid ones.
type Target struct {
	Triple   string
	CPU      string
	Features string
	Reloc    Reloc
	Model    CodeModel
}

// Reloc is LLVMRelocMode.
type Reloc int32

// Relocation models: the zero value is the target's own default.
const (
	RelocDefault Reloc = iota
	RelocStatic
	RelocPIC
)

// CodeModel is LLVMCodeModel.
type CodeModel int32

// Code models: the zero value is the target's own default.
const (
	ModelDefault CodeModel = 0
	ModelSmall   CodeModel = 3
	ModelMedium  CodeModel = 5
	ModelLarge   CodeModel = 6
)

// HostTarget is this machine: position-independent code for exactly its CPU, as a JIT wants it.
func (l *Lib) HostTarget() Target {
	return Target{
		Triple:   l.take(l.raw.defaultTriple()),
		CPU:      l.take(l.raw.hostCPU()),
		Features: l.take(l.raw.hostFeatures()),
		Reloc:    RelocPIC,
	}
}

// AMDGPU is the target of a ROCm architecture such as "gfx942".
func (l *Lib) AMDGPU(arch string) (Target, error) {
	if err := l.need("AMDGPU"); err != nil {
		return Target{}, err
	}
	return Target{Triple: "amdgcn-amd-amdhsa", CPU: arch, Reloc: RelocPIC}, nil
}

// Chip is the target of a CPU that may be another than the host's. family is LLVM's name of its targets:
// "X86", "AArch64".
func (l *Lib) Chip(family, triple, cpu, features string) (Target, error) {
	if err := l.need(family); err != nil {
		return Target{}, err
	}
	return Target{Triple: triple, CPU: cpu, Features: features, Reloc: RelocPIC}, nil
}

// need is an error where this build of LLVM lacks a family of targets.
func (l *Lib) need(family string) error {
	if l.families[family] {
		return nil
	}
	return fmt.Errorf("%s (LLVM %v) was built without the %s target", l.path, l.version, family)
}

// machine makes a target machine, which the caller disposes of. It belongs to one compilation.
func (l *Lib) machine(t Target, level OptLevel) (machineRef, error) {
	var target targetRef
	var message *byte
	if l.raw.targetOf(t.Triple, &target, &message) != 0 {
		return 0, fmt.Errorf("%s (LLVM %v): %s", l.path, l.version, l.take(message))
	}
	tm := l.raw.createMachine(target, t.Triple, t.CPU, t.Features, level.codegen(), int32(t.Reloc),
		int32(t.Model))
	if tm == 0 {
		return 0, fmt.Errorf("LLVM %v makes no code for %s", l.version, t.Triple)
	}
	return tm, nil
}
