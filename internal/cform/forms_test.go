package cform

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/device/gpucode"
	"github.com/nereid-lang/nereid/internal/device/nvidia"
	"github.com/nereid-lang/nereid/internal/txtest"
	"github.com/nereid-lang/nereid/internal/uniform"
)

// askForms reads questions and prints what C computes: lines of numbers that begin with the kind of question,
// the words of the arguments and the grid.
const askForms = `
enum { MOST = 4000 };
static int read_list(int64_t *out) {
	long long n, i, x;
	if (scanf("%lld", &n) != 1 || n > MOST) exit(1);
	for (i = 0; i < n; i++) {
		if (scanf("%lld", &x) != 1) exit(1);
		out[i] = x;
	}
	return (int)n;
}
int main(void) {
	int64_t table[MOST], words[MOST], size[MOST];
	uint64_t out[MAX_COMPUTED];
	void *params[300];
	unsigned grid[3];
	char kind[8];
	int i, n;
	while (scanf("%7s", kind) == 1) {
		read_list(table), n = read_list(words), read_list(size);
		for (i = 0; i < 3; i++) grid[i] = (unsigned)size[i];
		for (i = 0; i < n; i++) params[i] = &words[i];
		memset(&answers, 0, sizeof answers); /* they are known by the table's address */
		if (kind[0] == 'g') printf("%d\n", guarded(table, grid, (uint64_t *)words));
		if (kind[0] == 'k') printf("%d\n", programs_on_sm(grid, words[0]));
		if (kind[0] != 'u') continue;
		memset(out, 0, sizeof out);
		compute(table, params, grid, out);
		for (i = 0; i < size[3]; i++) printf("%llx ", (unsigned long long)out[i]);
		printf("\n");
	}
	return 0;
}
`

// TestFormNumbers compares what C computes for launches with what Go computes: guards, numbers that all
// programs share, and kinds of launches.
func TestFormNumbers(t *testing.T) {
	cc := txtest.Tool(t, "gcc")
	dir := t.TempDir()
	source := "#define _GNU_SOURCE\n" + typesText + steps() + formSteps() + runtimeText + formsText + askForms
	for name, text := range map[string]string{"ask.c": source,
		"PREFIX.h": headText + "#ifdef __cplusplus\n}\n#endif\n#endif\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := func(flags ...string) ([]byte, error) {
		cmd := exec.Command(cc, append(flags, "-O1", "-w", "ask.c", "-o", "ask")...)
		cmd.Dir = dir
		return cmd.CombinedOutput()
	}
	if _, err := build("-fsanitize=undefined", "-fno-sanitize-recover"); err != nil { // it may not be there
		if out, err := build(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	var q questions
	r := rand.New(rand.NewPCG(5, 6))
	for range 4000 {
		q.guard(r)
		q.compute(r)
		q.kind(r)
	}
	ask := exec.Command(filepath.Join(dir, "ask"))
	ask.Stdin = &q.text
	out, err := ask.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(got) != len(q.want) {
		t.Fatalf("%d answers to %d questions", len(got), len(q.want))
	}
	wrong := 0
	for i := range got {
		if strings.TrimSpace(got[i]) != q.want[i] {
			if wrong++; wrong < 5 {
				t.Errorf("question %d: %s, want %s", i, got[i], q.want[i])
			}
		}
	}
	t.Logf("%d answers, %d wrong; %d guards hold", len(got), wrong, q.holds)
}

// questions are lines for C, with Go's answers.
type questions struct {
	text  bytes.Buffer
	want  []string
	holds int
}

func (q *questions) ask(kind string, table, words, size []int64, want string) {
	q.text.WriteString(kind)
	for _, list := range [][]int64{table, words, size} {
		fmt.Fprintf(&q.text, " %d", len(list))
		for _, n := range list {
			fmt.Fprintf(&q.text, " %d", n)
		}
	}
	q.text.WriteByte('\n')
	q.want = append(q.want, want)
}

// someNumber returns a number that is often small, or near a power of two.
func someNumber(r *rand.Rand) int64 {
	switch r.IntN(4) {
	case 0:
		return r.Int64N(9) - 2
	case 1:
		return 1<<r.IntN(63) + r.Int64N(3) - 1
	case 2:
		return -(1 << r.IntN(63)) + r.Int64N(3) - 1
	}
	return r.Int64() >> r.IntN(64)
}

func words(r *rand.Rand) (list []int64, unsigned []uint64) {
	for range 6 {
		n := someNumber(r)
		list, unsigned = append(list, n), append(unsigned, uint64(n))
	}
	return list, unsigned
}

// guard asks about a random guard, some of which enter loops.
func (q *questions) guard(r *rand.Rand) {
	sizes := []int{8, 4, 4, 8, 2, 1}
	args, raw := words(r)
	for i := range args {
		if r.IntN(2) == 0 {
			args[i] = r.Int64N(50)
			raw[i] = uint64(args[i])
		}
	}
	var g gpucode.TileGuard
	loops := int64(0)
	push := func() {
		switch step := r.Int64N(5); {
		case step == gpucode.GuardNumber:
			g = append(g, step, someNumber(r)>>32)
		case step == gpucode.GuardArg:
			g = append(g, step, r.Int64N(6))
		case step == gpucode.GuardIndex && loops > 0:
			g = append(g, step, r.Int64N(loops))
		case step == gpucode.GuardIndex:
			g = append(g, gpucode.GuardNumber, 1)
		default:
			g = append(g, step, r.Int64N(3))
		}
	}
	for ; loops < gpucode.MaxGuardLoops && r.IntN(3) == 0; loops++ {
		push()
		push()
		g = append(g, gpucode.GuardNumber, r.Int64N(9)-1, gpucode.GuardEach, 0)
	}
	push()
	for range r.IntN(4) {
		push()
		g = append(g, gpucode.GuardAdd+r.Int64N(7), 0)
	}
	if !g.Valid() {
		return
	}
	grid := [3]int{1 + r.IntN(20), 1 + r.IntN(3), 1 + r.IntN(3)}
	k := &nvidia.Code{Params: sizes}
	want := "0"
	if k.GuardHolds(g, grid, raw) {
		want = "1"
		q.holds++
	}
	q.ask("guard", guardNumbers(g, sizes), args,
		[]int64{int64(grid[0]), int64(grid[1]), int64(grid[2])}, want)
}

// compute asks for the words of a random program.
func (q *questions) compute(r *rand.Rand) {
	b := uniform.NewBuilder(maxComputed)
	args, raw := words(r)
	var made []uint8
	for range 1 + r.IntN(12) {
		s := uniform.Step{Op: uniform.Op(r.IntN(int(uniform.Max) + 1)), Wide: r.IntN(2) == 0}
		if len(made) == 0 && s.Op > uniform.Programs {
			s.Op = uniform.Arg
		}
		switch {
		case s.Op == uniform.Number:
			s.N = someNumber(r)
		case s.Op == uniform.Arg:
			s.N = r.Int64N(6)
		case s.Op == uniform.Programs:
			s.N = r.Int64N(3)
		default:
			s.X, s.Y = made[r.IntN(len(made))], made[r.IntN(len(made))]
		}
		if n, ok := b.Step(s); ok {
			made = append(made, n)
		}
	}
	for range 1 + r.IntN(4) {
		b.Output(uniform.Output{Kind: uniform.Kind(r.IntN(int(uniform.SignedWide) + 1)),
			Step: made[r.IntN(len(made))]})
	}
	p := b.Program(len(raw))
	all := append(raw, make([]uint64, p.Words())...)
	grid := [3]uint32{r.Uint32() >> 8, r.Uint32() >> 20, 1}
	p.Fill(all, grid[0], grid[1], grid[2])
	var want []string
	for _, w := range all[p.Params:] {
		want = append(want, fmt.Sprintf("%x", w))
	}
	q.ask("u", uniformNumbers(p), args, []int64{int64(grid[0]), int64(grid[1]), int64(grid[2]),
		int64(p.Words())}, strings.Join(want, " "))
}

// kind asks for the kind of a launch.
func (q *questions) kind(r *rand.Rand) {
	sms := 1 + r.IntN(200)
	grid := [3]int{1 + r.IntN(3000), 1 + r.IntN(3), 1}
	q.ask("kind", nil, []int64{int64(sms)}, []int64{int64(grid[0]), int64(grid[1]), int64(grid[2])},
		fmt.Sprint(gpucode.KindOf(nvidia.ProgramsOnSM(grid, sms))))
}
