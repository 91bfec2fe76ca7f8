package lower

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// hosted returns options for code of which the host computes parameters.
func hosted(m *ir.Module) Options {
	o := testOptions(m, 90)
	o.Uniform = 32
	return o
}

// computed returns the parameter behind args that the host computes, if there is one. Tensors count as 0.
func computed(p *uniform.Program, args []any) []any {
	if p == nil {
		return nil
	}
	words := make([]uint64, len(args)+p.Words())
	for i, a := range args {
		switch a := a.(type) {
		case int:
			words[i] = uint64(a)
		case uint64:
			words[i] = a
		}
	}
	p.Fill(words, 1, 1, 1)
	var block []byte
	for _, w := range words[len(args):] {
		block = binary.LittleEndian.AppendUint64(block, w)
	}
	return []any{block}
}

// simulated launches programs of k, with the parameter that the host computes, and returns what is then in
// memory.
func simulated(t *testing.T, ptx []byte, p *uniform.Program, programs int, args ...any) [][]byte {
	t.Helper()
	l := launch{"k", [3]int{programs, 1, 1}, append(args, computed(p, args)...)}
	_, mem := l.memory(1)
	onSim(t, ptx, 0, l, mem, false)
	return mem
}

var divides = regexp.MustCompile(`\t(div|rem)\.[us]\d+`)

const uniformEnc = "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], " +
	"warpsPerCTA = [2], order = [0]}>"

// edges returns numbers of a width at which divisions go wrong: near powers of two, and both ends.
func edges(bits int) (list []int64) {
	for i := 0; i < bits; i += 5 {
		for d := int64(-1); d <= 1; d++ {
			list = append(list, 1<<i+d, -1<<i+d)
		}
	}
	return append(list, 7, -7, 10, 641, math.MinInt64>>(64-bits), math.MaxInt64>>(64-bits))
}

// TestDivideByArgument divides numbers of any sign, from memory, by an argument of any sign, without a
// division.
func TestDivideByArgument(t *testing.T) {
	for _, elem := range []*ir.IntegerType{ir.I32, ir.I64} {
		for _, sign := range []string{"s", "u"} {
			if elem == ir.I64 && sign == "u" {
				continue
			}
			typ := fmt.Sprintf("tensor<256xi%d, %s>", elem.Width, uniformEnc)
			e := fmt.Sprint("i", elem.Width)
			text := moduleText(2, fmt.Sprintf("tt.func public @k(%%n: !tt.ptr<%[1]s>, %%x: !tt.ptr<%[1]s>, "+
				"%%y: !tt.ptr<%[1]s>, %%d: %[1]s) {\n", e)+offsetsText("o", []int{256}, uniformEnc)+
				accessText("n", "o", "v", []int{256}, e, uniformEnc, false)+
				fmt.Sprintf("%%ds = tt.splat %%d : %s -> %s\n", e, typ)+
				fmt.Sprintf("%%q = arith.div%si %%v, %%ds : %s\n", sign, typ)+
				fmt.Sprintf("%%r = arith.rem%si %%v, %%ds : %s\n", sign, typ)+
				accessText("x", "o", "q", []int{256}, e, uniformEnc, true)+
				accessText("y", "o", "r", []int{256}, e, uniformEnc, true)+"tt.return\n}\n")
			m := parseIR(t, "k", []byte(text))
			k, ptx := compileWith(t, m, "k", 90, hosted(m))
			if found := divides.Find(ptx); found != nil {
				t.Errorf("%s %s: %s is left\n%s", e, sign, found, clip(ptx))
			}
			for _, d := range edges(elem.Width) {
				checkByArgument(t, ptx, k.Uniform, elem, sign, d)
			}
		}
	}
}

func checkByArgument(t *testing.T, ptx []byte, p *uniform.Program, elem *ir.IntegerType, sign string,
	d int64) {
	t.Helper()
	args := []any{ints(elem, 256, 1), ints(elem, 256, 1), ints(elem, 256, 1), uint64(d)}
	l := launch{"k", [3]int{1, 1, 1}, append(args, computed(p, args)...)}
	_, mem := l.memory(1)
	size, numbers := elem.Width/8, edges(elem.Width)
	for i := range 256 {
		n := numbers[i%len(numbers)]
		if i >= len(numbers) { // near a multiple of d
			n = (n>>(i%40))*d + int64(i%3) - 1
		}
		put(mem[0][i*size:], uint64(n), size)
	}
	onSim(t, ptx, 0, l, mem, false)
	if d == 0 {
		return // it need only end
	}
	for i := range 256 {
		n := int64(get(mem[0][i*size:], size)) << (64 - elem.Width) >> (64 - elem.Width)
		q, r := quotient(n, d, elem.Width, sign)
		mask := uint64(math.MaxUint64) >> (64 - elem.Width)
		gotQ, gotR := get(mem[1][i*size:], size), get(mem[2][i*size:], size)
		if gotQ != uint64(q)&mask || gotR != uint64(r)&mask {
			t.Fatalf("i%d %s: %d / %d is %#x rest %#x, want %d rest %d", elem.Width, sign, n, d, gotQ,
				gotR, q, r)
		}
	}
}

// tilesText numbers tiles in groups of 8 rows, as matrix products do, of rows × columns blocks of 128.
const tilesText = `tt.func public @k(%x: !tt.ptr<i32>, %m: i32, %n: i32) {
%pid = tt.get_program_id x : i32
%c127 = arith.constant 127 : i32
%c128 = arith.constant 128 : i32
%c8 = arith.constant 8 : i32
%m1 = arith.addi %m, %c127 : i32
%rows = arith.divsi %m1, %c128 : i32
%n1 = arith.addi %n, %c127 : i32
%cols = arith.divsi %n1, %c128 : i32
%all = arith.muli %cols, %c8 : i32
%group = arith.divsi %pid, %all : i32
%in = arith.remsi %pid, %all : i32
%first = arith.muli %group, %c8 : i32
%left = arith.subi %rows, %first : i32
%height = arith.minsi %left, %c8 : i32
%down = arith.remsi %in, %height : i32
%right = arith.divsi %in, %height : i32
%row = arith.addi %first, %down : i32
%c1000 = arith.constant 1000 : i32
%r1000 = arith.muli %row, %c1000 : i32
%v = arith.addi %r1000, %right : i32
%at = tt.addptr %x, %pid : !tt.ptr<i32>, i32
tt.store %at, %v : !tt.ptr<i32>
tt.return
}
`

// TestGroups finds the tiles of groups, of which the last may have fewer rows. Programs divide in that group
// alone, and read what the host computes.
func TestGroups(t *testing.T) {
	m := parseIR(t, "k", []byte(moduleText(1, tilesText)))
	k, ptx := compileWith(t, m, "k", 90, hosted(m))
	if n := len(divides.FindAll(ptx, -1)); n != 1 {
		t.Errorf("%d divisions, want 1\n%s", n, clip(ptx))
	}
	if w := k.Uniform.Words(); w != 2 { // of a divisor
		t.Errorf("the host computes %d words", w)
	}
	for _, c := range [][2]int{{1024, 512}, {1000, 300}, {129, 128}, {2500, 640}, {1, 1}} {
		rows, cols := (c[0]+127)/128, (c[1]+127)/128
		mem := simulated(t, ptx, k.Uniform, rows*cols, ints(ir.I32, rows*cols, 1), c[0], c[1])
		for pid := range rows * cols {
			first := pid / (8 * cols) * 8
			height := min(rows-first, 8)
			want := (first+pid%(8*cols)%height)*1000 + pid%(8*cols)/height
			if got := int(get(mem[0][4*pid:], 4)); got != want {
				t.Fatalf("%v: program %d has tile %d, want %d", c, pid, got, want)
			}
		}
	}
}

// TestDivideNarrow divides a program's number by an argument, both widened to 64 bits, in 32.
func TestDivideNarrow(t *testing.T) {
	m := parseIR(t, "k", []byte(moduleText(1, `tt.func public @k(%x: !tt.ptr<i64>, %d: i32) {
%pid = tt.get_program_id x : i32
%n = arith.extsi %pid : i32 to i64
%w = arith.extsi %d : i32 to i64
%q = arith.divsi %n, %w : i64
%r = arith.remsi %n, %w : i64
%c = arith.constant 1000 : i64
%q1 = arith.muli %q, %c : i64
%v = arith.addi %q1, %r : i64
%at = tt.addptr %x, %pid : !tt.ptr<i64>, i32
tt.store %at, %v : !tt.ptr<i64>
tt.return
}
`)))
	k, ptx := compileWith(t, m, "k", 90, hosted(m))
	if divides.Match(ptx) || bytes.Contains(ptx, []byte("mul.hi.s64")) {
		t.Errorf("it is not narrow\n%s", clip(ptx))
	}
	for _, d := range []int{1, 7, 8, -3, math.MinInt32, math.MaxInt32} {
		mem := simulated(t, ptx, k.Uniform, 20, ints(ir.I64, 20, 1), d)
		for pid := range 20 {
			if got, want := int64(get(mem[0][8*pid:], 8)), int64(pid/d*1000+pid%d); got != want {
				t.Errorf("program %d, divided by %d: %d, want %d", pid, d, got, want)
			}
		}
	}
}

// TestNoRoom keeps kernels whole whose numbers do not fit the parameters that the host may compute.
func TestNoRoom(t *testing.T) {
	m := parseIR(t, "k", []byte(moduleText(1, tilesText)))
	o := hosted(m)
	o.Uniform = 1 // a divisor takes more
	k, ptx := compileWith(t, m, "k", 90, o)
	if k.Uniform.Words() > 1 || !divides.Match(ptx) {
		t.Errorf("%d words\n%s", k.Uniform.Words(), clip(ptx))
	}
}
