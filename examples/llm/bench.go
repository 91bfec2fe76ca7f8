package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/llm/model"
	"github.com/nereid-lang/nereid"
	"github.com/nereid-lang/nereid/profile"
)

// benchCommand measures the model without a server: the first token of a prompt, and the tokens per second of
// batches.
func benchCommand(ctx context.Context, args []string, out io.Writer) error {
	o := settings{}
	f := o.flags("bench")
	rows := f.String("rows", "1", "sizes of batches: 1,8,128")
	prompt := f.Int("prompt", 512, "tokens of the prompt whose first token is timed")
	tokens := f.Int("tokens", 64, "tokens that each sequence of a batch generates")
	check := f.Bool("check", false, "compare with the CPU first")
	kernels := f.Bool("kernels", false, "print the kernels of a step, launched one by one, with their times")
	if err := f.Parse(args); err != nil {
		return err
	}
	if err := o.complete(); err != nil {
		return err
	}
	var sizes []int
	for _, s := range strings.Split(*rows, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n*(benchPrompt+*tokens+model.PageSize) > o.pages*model.PageSize {
			return fmt.Errorf("a batch of %q sequences, with %d pages", s, o.pages)
		}
		sizes = append(sizes, n)
	}
	o.engine.Batch, o.engine.Chunk = slices.Max(sizes), *prompt
	record := new(recording)
	if *kernels { // kernels are seen if they are first launched now
		p, err := nereid.StartProfile(record)
		if err != nil {
			return err
		}
		defer p.Stop()
	}
	begin := time.Now()
	o.oneByOne = *kernels
	m, _, _, err := o.open()
	if err != nil {
		return err
	}
	defer m.Close()
	m.OneByOne = *kernels
	loaded := time.Since(begin)
	if err := m.Warm(o.engine.Batch, max(o.engine.Chunk, benchPrompt)); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s on %s, %s: loaded in %.2f s, compiled in %.2f s\n", m.Name, m.Device(), o.dtype,
		loaded.Seconds(), (time.Since(begin) - loaded).Seconds())
	var different error
	if *check {
		different = o.compare(m, out)
	}
	b := bench{m, out}
	if *kernels {
		for _, n := range sizes {
			if err := b.kernels(record, n); err != nil {
				return err
			}
		}
		return different
	}
	if err := b.firstToken(ctx, *prompt); err != nil {
		return err
	}
	for _, n := range sizes {
		if err := b.decode(ctx, n, *tokens); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "kernels compiled after the start: %d\n", m.CompiledLate())
	return different
}

// benchPrompt is the length of the prompts that batches continue.
const benchPrompt = 64

type bench struct {
	*model.Model
	out io.Writer
}

// prompt returns tokens that differ from sequence to sequence.
func (b bench) prompt(n, seed int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = (i*7919 + seed*104729 + 1000) % b.Vocabulary
	}
	return ids
}

// pages returns the pages of one of several sequences.
func (b bench) pages(i, tokens int) []int32 {
	n := (tokens + model.PageSize - 1) / model.PageSize
	list := make([]int32, n)
	for j := range list {
		list[j] = int32(i*n + j)
	}
	return list
}

// firstToken measures how long a prompt's first token takes.
func (b bench) firstToken(ctx context.Context, n int) error {
	ids, pages := b.prompt(n, 1), b.pages(0, n)
	var times []time.Duration
	for begin := time.Now(); len(times) < 3 || len(times) < 50 && time.Since(begin) < 3*time.Second; {
		start := time.Now()
		if _, err := b.Prefill(ids, 0, pages, false); err != nil || ctx.Err() != nil {
			return err
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	median := times[len(times)/2]
	fmt.Fprintf(b.out, "first token of a %d-token prompt: %.3f ms (least %.3f), %.0f tokens/s\n", n,
		median.Seconds()*1e3, times[0].Seconds()*1e3, float64(n)/median.Seconds())
	return nil
}

// rows returns a batch whose prompts are read, with room for so many tokens.
func (b bench) rows(n, tokens int) ([]model.Row, error) {
	rows := make([]model.Row, n)
	for i := range rows {
		pages := b.pages(i, benchPrompt+tokens)
		p, err := b.Prefill(b.prompt(benchPrompt, i), 0, pages, false)
		if err != nil {
			return nil, err
		}
		rows[i] = model.Row{Token: p.Token, Position: benchPrompt, Pages: pages}
	}
	return rows, nil
}

// step generates the next tokens of a batch.
func (b bench) step(rows []model.Row) error {
	list, err := b.Decode(rows, false)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Token, rows[i].Position = list[i].Token, rows[i].Position+1
	}
	return nil
}

// decode measures a batch that generates.
func (b bench) decode(ctx context.Context, n, tokens int) error {
	rows, err := b.rows(n, tokens)
	if err != nil {
		return err
	}
	var times []time.Duration
	begin := time.Now()
	for range tokens {
		start := time.Now()
		if err := b.step(rows); err != nil || ctx.Err() != nil {
			return err
		}
		times = append(times, time.Since(start))
	}
	total := time.Since(begin)
	slices.Sort(times)
	fmt.Fprintf(b.out, "batch %d: %.0f tokens/s, a step %.3f ms in the mean, %.3f median, %.3f least\n", n,
		float64(n*tokens)/total.Seconds(), total.Seconds()*1e3/float64(tokens),
		times[len(times)/2].Seconds()*1e3, times[0].Seconds()*1e3)
	return nil
}

// kernels prints a table of the kernels that a batch's steps launch.
func (b bench) kernels(record *recording, n int) error {
	const steps = 10
	rows, err := b.rows(n, steps)
	if err != nil {
		return err
	}
	record.events.Reset()
	for range steps {
		if err := b.step(rows); err != nil {
			return err
		}
	}
	trace, err := profile.Read(io.MultiReader(bytes.NewReader(record.names.Bytes()), &record.events))
	if err != nil {
		return err
	}
	launches := 0
	for _, k := range trace.Kernels() {
		launches += k.Launches
	}
	fmt.Fprintf(b.out, "batch %d: %d kernels a step; %d steps, one launch after the other:\n", n,
		launches/steps, steps)
	return trace.WriteTable(b.out)
}

// recording is what a profile writes: names of devices and tracks, and events, which may be thrown away.
type recording struct{ names, events bytes.Buffer }

func (r *recording) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`"ph":"M"`)) || r.names.Len() == 0 {
		return r.names.Write(line)
	}
	return r.events.Write(line)
}

// tolerance is by how much log probabilities may differ from those on the CPU in fp32.
var tolerance = map[string]float64{"fp32": 1e-3, "bf16": 0.25}

// compare compares the likeliest tokens of a prompt, and of a token behind it, with those on the CPU in fp32.
func (s *settings) compare(m *model.Model, out io.Writer) error {
	f, err := s.read()
	if err != nil {
		return err
	}
	cpu, err := model.New(f, model.Options{Device: "cpu", DType: nereid.Float32, Pages: 16,
		Config: nereid.EnvConfig()})
	if err != nil {
		return err
	}
	defer cpu.Close()
	var tops [2][][]model.Candidate
	for i, x := range []*model.Model{cpu, m} {
		b := bench{x, out}
		pages := b.pages(0, benchPrompt+1)
		p, err := b.Prefill(b.prompt(benchPrompt, 0), 0, pages, true)
		if err != nil {
			return err
		}
		next := b.prompt(1, 5)[0]
		list, err := b.Decode([]model.Row{{Token: next, Position: benchPrompt, Pages: pages}}, true)
		if err != nil {
			return err
		}
		tops[i] = [][]model.Candidate{p.Top, list[0].Top}
	}
	for i, name := range []string{"prompt", "token"} {
		worst, found := 0.0, 0
		want := map[int]float64{}
		for _, c := range tops[0][i] {
			want[c.Token] = c.LogProb
		}
		for _, c := range tops[1][i][:20] {
			if v, ok := want[c.Token]; ok {
				found++
				worst = max(worst, math.Abs(v-c.LogProb))
			}
		}
		fmt.Fprintf(out, "check, %s: %d of the 20 likeliest tokens are among the CPU's 256, "+
			"log probabilities differ by %.2g at most\n", name, found, worst)
		if found < 20 || worst > tolerance[s.dtype] {
			return fmt.Errorf("%s and cpu differ", m.Device())
		}
	}
	return nil
}
