package gcnsim

import (
	"strings"

	"github.com/nereid-lang/nereid/internal/target/amd/gcn"
)

// scalar is a scalar instruction with its operands.
type scalar struct {
	op      scalarOp
	dst, n  int // -1: only scc
	sources [2]source
}

func buildScalar(_ *program, in *gcn.Inst) func(*wave) {
	name, immediate := in.Base, 0
	if rest, ok := strings.CutPrefix(name, "s_cmpk_"); ok {
		name = "s_cmp_" + rest
	}
	op, ok := scalarOps[name]
	if !ok {
		return nil
	}
	s := &scalar{op: op, dst: -1}
	args := in.Args
	if args[0].Field == "sdst" && !strings.HasPrefix(name, "s_cmp") {
		s.dst, s.n = args[0].Code, args[0].N
		if !readsResult[name] {
			args = args[1:]
		} else if !strings.HasSuffix(name, "k_i32") || name == "s_cmovk_i32" {
			args = []gcn.Operand{args[1], args[0]}
		}
	}
	for i, a := range args {
		s.sources[i] = newSource(in, a, kInt)
		if a.Field == "simm16" {
			s.sources[i].value = extend(a.Value, strings.HasSuffix(name, "_u32"))
			immediate++
		}
	}
	for i := len(args); i < 2; i++ {
		s.sources[i] = source{vector: -1, scalar: -1, arg: gcn.Operand{File: gcn.Number}}
	}
	return s.run
}

// extend makes 32 bits of an immediate of 16.
func extend(v uint32, unsigned bool) uint64 {
	if unsigned {
		return uint64(v)
	}
	return uint64(uint32(int32(int16(v))))
}

func (s *scalar) run(w *wave) {
	a, ua := s.sources[0].uniform(w)
	b, ub := s.sources[1].uniform(w)
	scc := w.scc
	r, c := s.op.f(a, b, scc)
	undef := uint64(0)
	if ua|ub != 0 || w.sccUn {
		undef = s.undefined(w, a, ua, b, ub)
	}
	if !s.op.keep {
		w.scc = c
		w.sccUn = undef != 0 && (s.dst < 0 || s.op.bits == allBits || r&^undef == 0)
	}
	if s.dst < 0 {
		return
	}
	w.setS(s.dst, uint32(r))
	w.sUndef[s.dst] = uint32(undef)
	if s.n == 2 {
		w.setS(s.dst+1, uint32(r>>32))
		w.sUndef[s.dst+1] = uint32(undef >> 32)
	}
	w.checkExec(s.dst)
}

// undefined returns the bits of the result that depend on what nothing wrote.
func (s *scalar) undefined(w *wave, a, ua, b, ub uint64) uint64 {
	both := ua | ub
	switch s.op.bits {
	case eachBit:
		return both
	case andBits:
		return both & (a | ua) & (b | ub)
	case orBits:
		return both & (^a | ua) & (^b | ub)
	case andNotBits:
		return both & (a | ua) & (^b | ub)
	case orNotBits:
		return both & (^a | ua) & (b | ub)
	case pickBits:
		switch {
		case w.sccUn:
			return ^uint64(0)
		case w.scc:
			return ua
		}
		return ub
	case fieldBits:
		field := uint64(1)<<(b>>16&127) - 1
		both = ua&(field<<(b&63)) | ub
	}
	if both != 0 {
		return ^uint64(0)
	}
	return 0
}

// checkExec stops the wave where exec, if it was the register written, depends on what nothing wrote.
func (w *wave) checkExec(reg int) {
	if reg != gcn.Exec && reg != gcn.Exec+1 || w.g.run.NoUndef {
		return
	}
	if _, undef := w.mask(gcn.Exec); undef != 0 {
		w.fail(-1, "exec depends on a register that nothing wrote")
	}
}

// saveExec are the instructions that change exec and keep its old value.
var saveExec = map[string]func(src, exec uint64) uint64{
	"s_and_saveexec":   func(a, e uint64) uint64 { return a & e },
	"s_or_saveexec":    func(a, e uint64) uint64 { return a | e },
	"s_xor_saveexec":   func(a, e uint64) uint64 { return a ^ e },
	"s_andn2_saveexec": func(a, e uint64) uint64 { return a &^ e },
	"s_orn2_saveexec":  func(a, e uint64) uint64 { return a | ^e },
	"s_andn1_saveexec": func(a, e uint64) uint64 { return ^a & e },
	"s_orn1_saveexec":  func(a, e uint64) uint64 { return ^a | e },
	"s_nand_saveexec":  func(a, e uint64) uint64 { return ^(a & e) },
	"s_nor_saveexec":   func(a, e uint64) uint64 { return ^(a | e) },
	"s_xnor_saveexec":  func(a, e uint64) uint64 { return ^(a ^ e) },
	"s_andn1_wrexec":   func(a, e uint64) uint64 { return ^a & e },
	"s_andn2_wrexec":   func(a, e uint64) uint64 { return a &^ e },
}

// withoutSize cuts _b32 or _b64 off a name.
func withoutSize(name string) string { return name[:max(0, len(name)-len("_b32"))] }

func buildSaveExec(_ *program, in *gcn.Inst) func(*wave) {
	f, dst, src := saveExec[withoutSize(in.Base)], in.Args[0].Code, newSource(in, in.Args[1], kInt)
	saves := strings.Contains(in.Base, "save")
	return func(w *wave) {
		a, undef := src.uniform(w)
		old := w.exec()
		r := f(a, old) & (^uint64(0) >> (lanes - w.p.lanes))
		if strings.HasPrefix(in.Base, "s_and") {
			undef &= old // lanes that are off stay off
		}
		if !saves {
			old = r
		}
		w.setMask(dst, old, 0)
		w.setMask(gcn.Exec, r, undef)
		w.scc, w.sccUn = r != 0, false
	}
}

// buildControl builds branches, waits and barriers.
func buildControl(p *program, in *gcn.Inst) func(*wave) {
	var imm uint32
	if len(in.Args) > 0 {
		imm = in.Args[0].Value
	}
	if cond, ok := branches[in.Base]; ok {
		to, known := p.index[in.Addr+4+uint64(int64(int16(imm))*4)]
		if !known {
			to = -1
		}
		return func(w *wave) {
			if cond(w) {
				w.pc = to
			}
		}
	}
	switch in.Base {
	case "s_waitcnt":
		wait := in.Wait(uint16(imm))
		return func(w *wave) {
			w.wait(&w.vm, wait.VM)
			w.wait(&w.lgkm, wait.LGKM)
		}
	case "s_endpgm":
		return func(w *wave) {
			w.done = true
			w.drain()
		}
	case "s_barrier":
		return func(w *wave) {
			w.waiting = true
			if w.g.record != nil {
				w.g.record.meets(w)
			}
		}
	case "s_trap":
		return func(w *wave) { w.fail(-1, "the kernel stopped itself by a trap") }
	case "s_nop", "s_sleep", "s_setprio", "s_sethalt", "s_icache_inv", "s_wakeup", "s_ttracedata",
		"s_delay_alu",
		"s_clause", "s_waitcnt_depctr", "s_set_inst_prefetch_distance", "s_code_end", "s_sendmsg":
		return func(*wave) {}
	}
	return nil
}

// branches are the conditions of branches.
var branches = map[string]func(*wave) bool{
	"s_branch":         func(*wave) bool { return true },
	"s_cbranch_scc0":   func(w *wave) bool { return !w.condition() },
	"s_cbranch_scc1":   func(w *wave) bool { return w.condition() },
	"s_cbranch_vccz":   func(w *wave) bool { return !w.vccCondition() },
	"s_cbranch_vccnz":  func(w *wave) bool { return w.vccCondition() },
	"s_cbranch_execz":  func(w *wave) bool { return w.exec() == 0 },
	"s_cbranch_execnz": func(w *wave) bool { return w.exec() != 0 },
}

func (w *wave) condition() bool {
	if w.sccUn && !w.g.run.NoUndef {
		w.fail(-1, "a branch depends on a register that nothing wrote")
	}
	return w.scc
}

func (w *wave) vccCondition() bool {
	v, undef := w.mask(gcn.VCC)
	if undef != 0 && v&^undef == 0 && !w.g.run.NoUndef {
		w.fail(-1, "a branch depends on a register that nothing wrote")
	}
	return v != 0
}

func buildGetPC(_ *program, in *gcn.Inst) func(*wave) {
	dst := in.Args[0].Code
	return func(w *wave) { w.setPair(dst, codeBase+in.Addr+uint64(in.Size)) }
}

func buildSetPC(p *program, in *gcn.Inst) func(*wave) {
	src := newSource(in, in.Args[len(in.Args)-1], kInt)
	link := -1
	if len(in.Args) == 2 {
		link = in.Args[0].Code
	}
	return func(w *wave) {
		to, _ := src.uniform(w)
		at, ok := p.index[to-codeBase]
		if !ok {
			w.fail(-1, "a jump to %#x, where no instruction begins", to)
		}
		if link >= 0 {
			w.setPair(link, codeBase+in.Addr+uint64(in.Size))
		}
		w.pc = at
	}
}
