// Command nereid-llm runs SmolLM2-135M-Instruct, or another small model of Llama's kind in a GGUF file,
// from one binary, on the CPU or on a GPU.
//
//	nereid-llm serve   answers OpenAI's API over HTTP, with a chat page
//	nereid-llm chat    talks in the terminal
//	nereid-llm bench   measures
//
//	main.go        commands and their flags
//	serve.go       the server's life
//	api.go         requests and answers of OpenAI's API
//	reply.go       answers, whole and streamed
//	embeddings.go  embeddings of OpenAI's API
//	metrics.go     counters for Prometheus
//	chat.go        the chat template, the terminal
//	bench.go       measurements
//	ranks.go       a model over several processes
//	page.html      the chat page
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"example.com/llm/engine"
	"example.com/llm/gguf"
	"example.com/llm/model"
	"example.com/llm/tokenizer"
	"example.com/llm/weights"
	"github.com/nereid-lang/nereid"
)

// commands are the program's commands.
var commands = map[string]func(ctx context.Context, args []string, out io.Writer) error{
	"serve": serveCommand, "chat": chatCommand, "bench": benchCommand, "rank": rankCommand,
}

const usage = "usage: nereid-llm serve|chat|bench [flags]; nereid-llm COMMAND -h lists the flags"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	if err := commands[os.Args[1]](ctx, os.Args[2:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "nereid-llm:", err)
		os.Exit(1)
	}
}

// settings are the flags that all commands have.
type settings struct {
	file, device, dtype string
	pages, tp           int
	oneByOne            bool    // no graphs
	randomName          string  // of random
	others              *others // ranks that were started
	embedBlocks         int     // as embed.Options has them; 0: its default
	random              *weights.Shape
	engine              engine.Options
}

// flags returns a command's flags.
func (s *settings) flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet("nereid-llm "+name, flag.ContinueOnError)
	f.StringVar(&s.file, "model", "", "GGUF file (default: the one that ./fetch downloads)")
	f.StringVar(&s.device, "device", "cpu", "cpu, cuda, cuda:1, interp")
	f.StringVar(&s.dtype, "type", "", "type of activations (default: fp32 on the cpu, bf16 elsewhere)")
	f.IntVar(&s.tp, "tp", 1,
		"ranks that share the model, each a process: on GPUs from --device on, or on the cpu")
	f.IntVar(&s.pages, "pages", 4096, "pages of the cache, of 16 tokens each")
	f.BoolFunc("random", "random weights of SmolLM2's shape instead of a file; =tiny: of a tiny model; =four: "+
		"of one for up to four ranks", s.setRandom)
	f.IntVar(&s.engine.Batch, "batch", 0, "sequences at a time (default: 32 on the cpu, 128 elsewhere)")
	f.IntVar(&s.engine.Chunk, "chunk", 0, "tokens of a prompt at a time (default: 128 on the cpu, else 512)")
	f.IntVar(&s.engine.Queue, "queue", 256, "requests that wait at most")
	return f
}

// setRandom sets the shape of random weights.
func (s *settings) setRandom(name string) error {
	shape, ok := map[string]weights.Shape{"true": weights.SmolLM2, "tiny": weights.Tiny,
		"four": weights.Four}[name]
	if !ok {
		return errors.New("there are random weights of SmolLM2's shape, tiny ones, and those for four ranks")
	}
	s.random, s.randomName = &shape, name
	return nil
}

// complete fills in what depends on the device.
func (s *settings) complete() error {
	dev, err := nereid.OpenDevice(s.device)
	if err != nil {
		return err
	}
	batch, chunk, dtype := 32, 128, "fp32"
	if dev.Abilities().GPU {
		batch, chunk, dtype = 128, 512, "bf16"
	}
	if s.engine.Batch == 0 {
		s.engine.Batch = batch
	}
	if s.engine.Chunk == 0 {
		s.engine.Chunk = chunk
	}
	if s.dtype == "" {
		s.dtype = dtype
	}
	if s.engine.Batch < 1 || s.engine.Chunk < 1 || s.engine.Queue < 1 || s.pages < 1 {
		return errors.New("batch, chunk, queue or pages is less than 1")
	}
	if types[s.dtype] == nereid.Invalid {
		return fmt.Errorf("unknown type %q (have fp32, bf16)", s.dtype)
	}
	return nil
}

var types = map[string]nereid.DType{"fp32": nereid.Float32, "bf16": nereid.BFloat16}

// open reads the file and puts the model on the device.
func (s *settings) open() (*model.Model, *tokenizer.Tokenizer, *gguf.File, error) {
	if err := s.complete(); err != nil {
		return nil, nil, nil, err
	}
	f, err := s.read()
	if err != nil {
		return nil, nil, nil, err
	}
	tok, err := tokenizer.New(f)
	if err != nil {
		return nil, nil, nil, err
	}
	m, err := s.model(f)
	return m, tok, f, err
}

// model puts the model on the device, or its part of rank 0, after it has started the other ranks.
func (s *settings) model(f *gguf.File) (*model.Model, error) {
	o := model.Options{Device: s.device, DType: types[s.dtype], Pages: s.pages, Config: nereid.EnvConfig()}
	if s.tp <= 1 {
		return model.New(f, o)
	}
	if err := model.Splits(f, s.tp); err != nil { // before anything is started
		return nil, err
	}
	others, err := s.spawn()
	if err != nil {
		return nil, err
	}
	s.others = others
	s.ranksOf(&o, 0, others.dir)
	o.Context, o.Closed = others.ctx, others.end
	return model.New(f, o)
}

func (s *settings) read() (f *gguf.File, err error) {
	if s.random != nil {
		return weights.Random(*s.random, 1), nil
	}
	if s.file == "" {
		if s.file, err = weights.Find(weights.Name); err != nil {
			return nil, err
		}
	}
	return gguf.ReadFile(s.file)
}

// start opens a model, compiles everything and starts an engine. log gets a line about it.
func (s *settings) start(log io.Writer) (*service, error) {
	begin := time.Now()
	m, tok, f, err := s.open()
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(f, tok)
	if err == nil {
		err = engine.Warm(m, s.engine)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	fmt.Fprintf(log, "%s, %s on %s: ready after %.1f s\n", m.Name, s.dtype, m.Device(),
		time.Since(begin).Seconds())
	name := strings.ToLower(strings.ReplaceAll(m.Name, " ", "-"))
	return &service{name: name, model: m, tok: tok, template: template, engine: engine.New(m, tok, s.engine),
		started: time.Now()}, nil
}
