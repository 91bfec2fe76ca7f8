package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/nereid-lang/nereid"
)

// Turns measures products and attention on request, for a program that measures other libraries in turn
// (peer/tables.py). A request is a line:
//
//	100ms matmul fp16 4096
//	100ms matmul_fp8 fp8e4nv 4096
//	100ms attention bf16 4096 128 causal
//
// with the time to measure, the kernel, the type, and the size of a matrix, or positions and the size of a
// head. The answer is a row whose Turn is the request. The first of several requests for a line chooses the
// tile.
func (s *Suite) Turns(ctx context.Context, in io.Reader) error {
	var err error
	if s.stream, err = s.Device.NewStream(ctx); err != nil {
		return err
	}
	defer s.stream.Close()
	t := turns{s: s}
	defer t.free()
	for lines := bufio.NewScanner(in); lines.Scan() && ctx.Err() == nil; {
		row, err := t.answer(lines.Text())
		if err != nil {
			row = Row{Failed: err.Error()}
		}
		row.Turn = lines.Text()
		s.emit(row)
	}
	return s.verdict()
}

// turns is the line of the last request.
type turns struct {
	s    *Suite
	line string
	p    *products
	best tile
}

// tuning is how long each tile is measured to choose one.
const tuning = 30 * time.Millisecond

func (t *turns) answer(request string) (Row, error) {
	rep, line, _ := strings.Cut(request, " ")
	long, err := time.ParseDuration(rep)
	if err != nil {
		return Row{}, err
	}
	if line != t.line {
		if err := t.prepare(line); err != nil {
			return Row{}, err
		}
	}
	t.s.Rep = long
	took, err := t.p.time(t.best)
	if err != nil {
		return Row{}, err
	}
	row := t.p.row
	row.Nereid = t.p.work / took.Seconds()
	return row, nil
}

// prepare makes the tensors of a line and chooses its tile.
func (t *turns) prepare(line string) error {
	t.free()
	p, err := t.s.requested(strings.Fields(line))
	if err != nil {
		return err
	}
	t.s.Rep = tuning
	best, err := p.fastest()
	if err != nil {
		p.free()
		return err
	}
	t.line, t.p, t.best = line, p, best
	return nil
}

func (t *turns) free() {
	if t.p != nil {
		t.p.free()
	}
	t.line, t.p = "", nil
}

// requested returns what the words of a line name.
func (s *Suite) requested(words []string) (*products, error) {
	bad := fmt.Errorf("a request is KERNEL TYPE SIZE... [causal], not %q", words)
	causal := len(words) > 0 && words[len(words)-1] == "causal"
	if causal {
		words = words[:len(words)-1]
	}
	if len(words) < 3 {
		return nil, bad
	}
	dt, err := nereid.DTypeOf(words[1])
	if err != nil {
		return nil, err
	}
	var sizes []int
	for _, w := range words[2:] {
		n, err := strconv.Atoi(w)
		if err != nil || n < 1 {
			return nil, bad
		}
		sizes = append(sizes, n)
	}
	switch kernel := words[0]; {
	case kernel == "matmul" && len(sizes) == 1:
		return s.matmulOf(dt, sizes[0]), nil
	case kernel == "matmul_fp8" && len(sizes) == 1:
		return s.matmulFP8Of(sizes[0]), nil
	case kernel == "attention" && len(sizes) == 2:
		return s.attentionOf(dt, sizes[0], sizes[1], causal), nil
	}
	return nil, bad
}
