package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"example.com/llm/engine"
	"example.com/llm/gguf"
	"example.com/llm/tokenizer"
)

// template makes a prompt of a conversation: ChatML, in which control tokens stand around each message.
// Names of control tokens in messages are ordinary text, so that nobody can write the messages of others.
type template struct {
	tok        *tokenizer.Tokenizer
	start, end int    // control tokens
	system     string // the first message, if the conversation has none of this role
}

// smolSystem is in the template of SmolLM2's file.
const smolSystem = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"

// newTemplate returns the template of a file, which must be ChatML.
func newTemplate(f *gguf.File, tok *tokenizer.Tokenizer) (*template, error) {
	text, _ := f.Meta["tokenizer.chat_template"].(string)
	start, ok := tok.Special("<|im_start|>")
	end, ok2 := tok.Special("<|im_end|>")
	if !ok || !ok2 || !strings.Contains(text, "<|im_start|>") {
		return nil, fmt.Errorf("the file's chat template is not ChatML: %.60q", text)
	}
	t := &template{tok: tok, start: start, end: end}
	if strings.Contains(text, smolSystem) {
		t.system = smolSystem
	}
	return t, nil
}

var roles = map[string]bool{"system": true, "user": true, "assistant": true}

// render returns the prompt of a conversation, up to where the answer begins.
func (t *template) render(messages []message) ([]int, error) {
	if len(messages) == 0 {
		return nil, fmt.Errorf("there are no messages")
	}
	var out []int
	add := func(role, text string) {
		out = append(append(out, t.start), t.tok.Encode(role+"\n"+text)...)
		out = append(append(out, t.end), t.tok.Encode("\n")...)
	}
	if messages[0].Role != "system" && t.system != "" {
		add("system", t.system)
	}
	for _, m := range messages {
		if !roles[m.Role] {
			return nil, fmt.Errorf("unknown role %q (have system, user, assistant)", m.Role)
		}
		add(m.Role, string(m.Content))
	}
	return append(append(out, t.start), t.tok.Encode("assistant\n")...), nil
}

func chatCommand(ctx context.Context, args []string, out io.Writer) error {
	o := settings{}
	f := o.flags("chat")
	system := f.String("system", "", "the system message")
	temperature := f.Float64("temperature", 0.7, "0: always the likeliest token")
	if err := f.Parse(args); err != nil {
		return err
	}
	if o.engine.Batch == 0 {
		o.engine.Batch = 1
	}
	s, err := o.start(out)
	if err != nil {
		return err
	}
	defer s.close()
	var talk []message
	if *system != "" {
		talk = append(talk, message{"system", content(*system)})
	}
	return s.talk(ctx, talk, *temperature, os.Stdin, out)
}

// talk answers lines until they end.
func (s *service) talk(ctx context.Context, talk []message, temperature float64, in io.Reader,
	out io.Writer) error {
	lines := bufio.NewScanner(in)
	for fmt.Fprint(out, "> "); lines.Scan(); fmt.Fprint(out, "\n> ") {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		talk = append(talk, message{"user", content(lines.Text())})
		prompt, err := s.template.render(talk)
		if err != nil {
			return err
		}
		events, err := s.engine.Submit(ctx, engine.Request{Prompt: prompt, MaxTokens: defaultTokens,
			Sampling: engine.Sampling{Temperature: temperature, TopP: 0.95, Seed: uint64(len(talk))}})
		if err != nil {
			return err
		}
		var text strings.Builder
		for e := range events {
			fmt.Fprint(out, e.Text)
			text.WriteString(e.Text)
			if e.Err != nil {
				return e.Err
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		talk = append(talk, message{"assistant", content(text.String())})
	}
	return lines.Err()
}
