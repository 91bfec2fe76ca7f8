package cpuid

import "sync"

// cpuid asks the processor about itself.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// xgetbv returns the registers that the operating system saves.
func xgetbv() uint32

// Registers of an answer.
const (
	eax = iota
	ebx
	ecx
	edx
)

// Registers that the operating system must save for a feature.
const (
	plain  = 0
	vector = 0x6     // xmm, ymm
	wide   = 0xe6    // and zmm, masks
	tiles  = 0x60000 // AMX
	many   = 0x80000 // r16 to r31: APX
)

// group is features in one register of an answer, with their bits.
type group struct {
	leaf, sub uint32
	reg       int
	saved     uint32
	bits      map[string]int
}

// groups lists the features as the manuals of Intel and AMD place them.
var groups = []group{
	{1, 0, edx, plain, map[string]int{"cx8": 8, "cmov": 15, "mmx": 23, "fxsr": 24, "sse": 25, "sse2": 26}},
	{1, 0, ecx, plain, map[string]int{"sse3": 0, "pclmul": 1, "ssse3": 9, "cx16": 13, "sse4.1": 19,
		"sse4.2": 20, "crc32": 20, "movbe": 22, "popcnt": 23, "aes": 25, "xsave": 27, "rdrnd": 30}},
	{1, 0, ecx, vector, map[string]int{"fma": 12, "avx": 28, "f16c": 29}},
	{7, 0, ebx, plain, map[string]int{"fsgsbase": 0, "sgx": 2, "bmi": 3, "bmi2": 8, "invpcid": 10, "rtm": 11,
		"rdseed": 18, "adx": 19, "clflushopt": 23, "clwb": 24, "sha": 29}},
	{7, 0, ebx, vector, map[string]int{"avx2": 5}},
	{7, 0, ebx, wide, map[string]int{"avx512f": 16, "avx512dq": 17, "avx512ifma": 21, "avx512pf": 26,
		"avx512er": 27, "avx512cd": 28, "avx512bw": 30, "avx512vl": 31}},
	{7, 0, ecx, plain, map[string]int{"prefetchwt1": 0, "pku": 4, "waitpkg": 5, "shstk": 7, "gfni": 8,
		"rdpid": 22, "kl": 23, "cldemote": 25, "movdiri": 27, "movdir64b": 28, "enqcmd": 29}},
	{7, 0, ecx, vector, map[string]int{"vaes": 9, "vpclmulqdq": 10}},
	{7, 0, ecx, wide, map[string]int{"avx512vbmi": 1, "avx512vbmi2": 6, "avx512vnni": 11, "avx512bitalg": 12,
		"avx512vpopcntdq": 14}},
	{7, 0, edx, plain, map[string]int{"uintr": 5, "serialize": 14, "tsxldtrk": 16, "pconfig": 18}},
	{7, 0, edx, wide, map[string]int{"avx512vp2intersect": 8, "avx512fp16": 23}},
	{7, 0, edx, tiles, map[string]int{"amx-bf16": 22, "amx-tile": 24, "amx-int8": 25}},
	{7, 1, eax, plain, map[string]int{"raoint": 3, "cmpccxadd": 7, "hreset": 22, "movrs": 31}},
	{7, 1, eax, vector, map[string]int{"sha512": 0, "sm3": 1, "sm4": 2, "avxvnni": 4, "avxifma": 23}},
	{7, 1, eax, wide, map[string]int{"avx512bf16": 5}},
	{7, 1, eax, tiles, map[string]int{"amx-fp16": 21}},
	{7, 1, edx, plain, map[string]int{"prefetchi": 14, "usermsr": 15}},
	{7, 1, edx, vector, map[string]int{"avxvnniint8": 4, "avxneconvert": 5, "avxvnniint16": 10}},
	{7, 1, edx, tiles, map[string]int{"amx-complex": 8}},
	{7, 1, edx, many, map[string]int{"egpr": 21, "push2pop2": 21, "ppx": 21, "ndd": 21, "ccmp": 21, "nf": 21,
		"cf": 21, "zu": 21}},
	{0xd, 1, eax, plain, map[string]int{"xsaveopt": 0, "xsavec": 1, "xsaves": 3}},
	{0x14, 0, ebx, plain, map[string]int{"ptwrite": 4}},
	{0x19, 0, ebx, plain, map[string]int{"widekl": 2}},
	{0x1e, 1, eax, tiles, map[string]int{"amx-fp8": 4, "amx-transpose": 5, "amx-tf32": 6, "amx-avx512": 7,
		"amx-movrs": 8}},
	{0x80000001, 0, edx, plain, map[string]int{"64bit": 29}},
	{0x80000001, 0, ecx, plain, map[string]int{"sahf": 0, "lzcnt": 5, "sse4a": 6, "prfchw": 8, "lwp": 15,
		"tbm": 21, "mwaitx": 29}},
	{0x80000001, 0, ecx, vector, map[string]int{"xop": 11, "fma4": 16}},
	{0x80000008, 0, ebx, plain, map[string]int{"clzero": 0, "rdpru": 4, "wbnoinvd": 9}},
}

// features returns every feature that the tables know, and whether the processor has it.
var features = sync.OnceValue(func() map[string]bool {
	p := processor{}
	list := p.avx10()
	for _, g := range groups {
		answer := p.ask(g.leaf, g.sub, g.saved)
		for name, bit := range g.bits {
			list[name] = answer[g.reg]>>bit&1 != 0
		}
	}
	return list
})

// processor holds the answers so far, by leaf and subleaf: on a virtual machine each takes microseconds.
type processor map[[2]uint32][4]uint32

// avx10 returns the features of AVX10. The processor tells the number of its version instead of one bit for
// each; older versions of LLVM append the width of vectors to the name.
func (p processor) avx10() map[string]bool {
	const flag, width512 = 1 << 19, 1 << 18
	var about uint32
	if p.ask(7, 1, wide)[edx]&flag != 0 {
		about = p.ask(0x24, 0, wide)[ebx]
	}
	list := map[string]bool{}
	for v, name := range map[uint32]string{1: "avx10.1", 2: "avx10.2"} {
		has := about&0xff >= v
		list[name], list[name+"-256"], list[name+"-512"] = has, has, has && about&width512 != 0
	}
	return list
}

// ask returns the four registers of an answer, or zeros if the processor has none, or if the operating system
// does not save some registers.
func (p processor) ask(leaf, sub, saved uint32) [4]uint32 {
	switch last := p.raw(leaf&0x80000000, 0)[eax]; {
	case leaf > last, saved != plain && (p.raw(1, 0)[ecx]&(1<<27) == 0 || xgetbv()&saved != saved),
		sub > 0 && (leaf == 7 || leaf == 0x1e) && sub > p.raw(leaf, 0)[eax]:
		return [4]uint32{}
	}
	return p.raw(leaf, sub)
}

// raw returns the four registers of an answer, which means nothing where the processor has none.
func (p processor) raw(leaf, sub uint32) [4]uint32 {
	answer, known := p[[2]uint32{leaf, sub}]
	if !known {
		answer[eax], answer[ebx], answer[ecx], answer[edx] = cpuid(leaf, sub)
		p[[2]uint32{leaf, sub}] = answer
	}
	return answer
}
