package uniform

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"
)

// grouped builds what the host computes for blocks in groups: cdiv(n, 128), and the divisor 8 * cdiv(n, 128).
func grouped(t testing.TB) *Program {
	b := NewBuilder(5)
	add := func(s Step) uint8 {
		n, ok := b.Step(s)
		if !ok {
			t.Fatal("no room")
		}
		return n
	}
	add(Step{Op: Arg, N: 1}) // not needed
	n := add(Step{Op: Arg, N: 2})
	sum := add(Step{Op: Add, X: n, Y: add(Step{Op: Number, N: 127})})
	tiles := add(Step{Op: Div, X: sum, Y: add(Step{Op: Number, N: 128})})
	all := add(Step{Op: Mul, X: tiles, Y: add(Step{Op: Number, N: 8})})
	if again := add(Step{Op: Arg, N: 2}); again != n {
		t.Errorf("an argument has two steps")
	}
	for _, c := range []struct {
		o    Output
		want []int
	}{
		{Output{Signed, all}, []int{0, 4, 8, 12}}, {Output{Plain, tiles}, []int{16}},
		{Output{PlainWide, n}, []int{24}}, {Output{Signed, all}, []int{0, 4, 8, 12}},
		{Output{Plain, n}, []int{32}}, {Output{Plain, sum}, []int{36}}, {Output{PlainWide, sum}, nil},
	} {
		if at, _ := b.Output(c.o); !slices.Equal(at, c.want) {
			t.Errorf("%v is at %v, want %v", c.o, at, c.want)
		}
	}
	return b.Program(3)
}

func TestProgram(t *testing.T) {
	p := grouped(t)
	if len(p.Steps) != 7 || p.Words() != 5 {
		t.Errorf("%d steps, %d words: %+v", len(p.Steps), p.Words(), p)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	back := new(Program)
	if err := json.Unmarshal(data, back); err != nil || !reflect.DeepEqual(p, back) {
		t.Fatalf("%s is not what was written: %v", data, err)
	}
	if err := back.Check(3, 3); err != nil {
		t.Error(err)
	}
	words := make([]uint64, 3+p.Words())
	words[2] = 0xdead0000_00000000 | 1000 // a parameter of 32 bits has nothing above them
	p.Fill(words, 1, 1, 1)
	parts := []uint64{words[3], words[3] >> 32, words[4], words[4] >> 32}
	if q, r := divideSigned(200, parts); q != 200/64 || r != 200%64 {
		t.Errorf("200 / 64 = %d rest %d", q, r)
	}
	if words[5] != 8 || words[6] != 1000 || words[7] != 1127<<32|1000 {
		t.Errorf("%d tiles, %d numbers, %#x", words[5], words[6], words[7])
	}
	if n := testing.AllocsPerRun(10, func() { p.Fill(words, 1, 1, 1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSteps computes each op in both widths as a GPU does.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		op       Op
		wide     bool
		x, y, at int64
	}{
		{Add, false, math.MaxInt32, 1, math.MinInt32},
		{Add, true, math.MaxInt32, 1, 1 << 31},
		{Sub, false, math.MinInt32, 1, math.MaxInt32},
		{Mul, false, 1 << 20, 1 << 12, 0},
		{Mul, true, 1 << 20, 1 << 12, 1 << 32},
		{Div, false, -7, 2, -3},
		{Div, false, math.MinInt32, -1, math.MinInt32},
		{Div, true, math.MinInt64, -1, math.MinInt64},
		{Div, false, 7, 0, 0},
		{Rem, false, -7, 2, -1},
		{DivU, false, -1, 2, math.MaxInt32},
		{RemU, false, -1, 7, math.MaxUint32 % 7},
		{Min, false, -1, 1, -1},
		{Max, true, -1, 1, 1},
		{Extend, true, -1, 0, -1},
		{Extend, false, 1<<32 - 1, 0, -1}, // a number cut off
		{ExtendU, true, -1, 0, math.MaxUint32},
	} {
		p := Program{Params: 2, Steps: []Step{
			{Op: Arg, Wide: true, N: 0}, {Op: Arg, Wide: true, N: 1}, {Op: c.op, Wide: c.wide, X: 0, Y: 1},
		}, Outputs: []Output{{PlainWide, 2}}}
		words := []uint64{uint64(c.x), uint64(c.y), 0}
		if p.Fill(words, 1, 1, 1); int64(words[2]) != c.at {
			t.Errorf("op %d of %d and %d is %d, want %d", c.op, c.x, c.y, int64(words[2]), c.at)
		}
	}
	p := Program{Steps: []Step{{Op: Programs, N: 2}}, Outputs: []Output{{Plain, 0}}}
	words := []uint64{0}
	if p.Fill(words, 5, 6, 7); words[0] != 7 {
		t.Errorf("%d programs along z", words[0])
	}
}

// TestCheck refuses programs that would read or write where nothing is.
func TestCheck(t *testing.T) {
	for name, spoil := range map[string]func(*Program){
		"another kernel's":        func(p *Program) { p.Params++ },
		"an argument beyond":      func(p *Program) { p.Steps[0].N = 3 },
		"a negative argument":     func(p *Program) { p.Steps[0].N = -1 },
		"a later operand":         func(p *Program) { p.Steps[2].X = 2 },
		"an unknown op":           func(p *Program) { p.Steps[2].Op = numOps },
		"a fourth axis":           func(p *Program) { p.Steps[0] = Step{Op: Programs, N: 3} },
		"an output of no step":    func(p *Program) { p.Outputs[0].Step = 7 },
		"an output of no kind":    func(p *Program) { p.Outputs[0].Kind = numKinds },
		"more steps than results": func(p *Program) { p.Steps = make([]Step, maxSteps+1) },
	} {
		p := grouped(t)
		if spoil(p); p.Check(3, 3) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	p := Program{Params: 3, Steps: []Step{{Op: Arg, N: 2}, {Op: Number, N: 127}, {Op: Add, X: 0, Y: 1},
		{Op: Number, N: 128}, {Op: Div, X: 2, Y: 3}, {Op: Number, N: 8}, {Op: Mul, X: 4, Y: 5}},
		Outputs: []Output{{Signed, 6}, {Plain, 4}}}
	words := make([]uint64, 3+p.Words())
	words[2] = 4096
	for b.Loop() {
		p.Fill(words, 1, 1, 1)
	}
}
