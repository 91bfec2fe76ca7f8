package gcn

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// TestRandomFields fills the fields of every row at random; where LLVM reads the same bytes as an instruction
// and writes them back unchanged, the texts must be equal.
func TestRandomFields(t *testing.T) {
	mc := txtest.LLVMTool(t, "llvm-mc")
	for _, s := range sets() {
		if s.cpu.rdna {
			continue // its text is compared on whole code objects alone
		}
		t.Run(s.Name, func(t *testing.T) { randomFields(t, mc, s) })
	}
}

// perRow is the number of random encodings of a row.
const perRow = 2

func randomFields(t *testing.T, mc string, s *Set) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var lines []string
	for _, e := range s.encodings {
		for op := range uint64(1) << e.op.n {
			if s.ops[e][op] == nil {
				continue
			}
			for range perRow {
				fixed := e.mask | (1<<e.op.n-1)<<e.op.lo
				word := e.match | op<<e.op.lo | (rnd.Uint64()|rnd.Uint64()<<32)&rnd.Uint64()&^fixed
				if strings.HasSuffix(e.name, "_SDWA") && word>>43&3 == 3 {
					continue // there is no fourth way to fill unused bits
				}
				code := binary.LittleEndian.AppendUint64(nil, word)
				if e.size == 4 {
					binary.LittleEndian.PutUint32(code[4:], rnd.Uint32()|1<<20)
				}
				code = append(code, 0xff, 0xff, 0xff, 0xff)
				lines = append(lines, hexLine(code))
			}
		}
	}
	compareTexts(t, s, disassembleLines(mc, s.Name, lines))
}

func hexLine(code []byte) string {
	var b strings.Builder
	for _, c := range code {
		fmt.Fprintf(&b, "0x%02x ", c)
	}
	return b.String()
}

// disassembleLines disassembles lines of bytes, without those about one that crashes LLVM.
func disassembleLines(mc, cpu string, lines []string) string {
	cmd := exec.Command(mc, "-disassemble", "-triple=amdgcn", "-mcpu="+cpu, "-show-encoding")
	cmd.Env = append(os.Environ(), "LLVM_DISABLE_SYMBOLIZATION=1") // which takes seconds after a crash
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.Output()
	switch n := len(lines) / 2; {
	case err == nil:
		return string(out)
	case n < 32:
		return ""
	default:
		return disassembleLines(mc, cpu, lines[:n]) + disassembleLines(mc, cpu, lines[n:])
	}
}

// odd matches texts of encodings that no compiler makes: comments of LLVM's about invalid ones, modifiers of
// sources that ignore them, register indexing.
var odd = regexp.MustCompile(`/\*|^v_ldexp|hwreg|pkaccum|, 0x[0-9a-f]+ op_sel|_e64.* 0x|^v_trig|^v_cvt_sr|` +
	`^s_atc|^v_dot\d|^(flat|global|scratch).* lds$|^v_cvt_pk_u8|^v_pk_fmac_f16_sdwa|gpr_idx|sendmsg`)

func compareTexts(t *testing.T, s *Set, out string) {
	n, bad := 0, map[string][]string{}
	for line := range strings.Lines(out) {
		m := answerLine.FindStringSubmatch(line)
		if m == nil || garbage.MatchString(m[1]) || odd.MatchString(m[1]) {
			continue
		}
		var code []byte
		for _, b := range strings.Split(m[2], ",") {
			var v byte
			fmt.Sscanf(b, "0x%02x", &v)
			code = append(code, v)
		}
		n++
		in, err := s.Decode(code, 0)
		switch {
		case err != nil:
			bad["?"] = append(bad["?"], m[1]+": "+err.Error())
		case in.String() != m[1] || in.Size != len(code):
			bad[in.Encoding()] = append(bad[in.Encoding()], fmt.Sprintf("%s\n      we: %s", m[1], in))
		}
	}
	t.Logf("%d instructions", n)
	for e, list := range bad {
		t.Errorf("%s: %d differ:\n      %s", e, len(list),
			strings.Join(list[:min(14, len(list))], "\n      "))
	}
}
