package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"example.com/llm/tokenizer"
	"example.com/llm/weights"
	"example.com/llm/weights/weightstest"
	"github.com/nereid-lang/nereid"
)

// tiny is a service with a tiny random model, which all tests share; on the CPU, or in the interpreter
// where there is no LLVM.
var tiny = sync.OnceValues(func() (*service, error) {
	dir, err := os.MkdirTemp("", "nereid-llm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var b bytes.Buffer
	if err := weights.Random(weights.Tiny, 1).Write(&b); err != nil {
		return nil, err
	}
	o := settings{file: filepath.Join(dir, "tiny.gguf"), device: "cpu", pages: 128}
	if _, err := nereid.OpenDevice("cpu"); errors.Is(err, fs.ErrNotExist) {
		o.device = "interp"
	}
	o.engine.Batch, o.engine.Chunk, o.engine.Queue = 8, 64, 16
	if err := os.WriteFile(o.file, b.Bytes(), 0o600); err != nil {
		return nil, err
	}
	return o.start(io.Discard)
})

// start returns the address of a server, and its service.
func start(t *testing.T) (string, *service) {
	t.Helper()
	s, err := tiny()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	return server.URL, s
}

// post sends a request and returns status and answer.
func post(t testing.TB, url string, request any) (int, []byte) {
	t.Helper()
	body, ok := request.(string)
	if !ok {
		data, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		body = string(data)
	}
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, data
}

// jsonBody returns fields as JSON.
func jsonBody(fields map[string]any) io.Reader {
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(fields)
	return &b
}

// completion is an answer of either kind, whole or a piece.
type completion struct {
	Choices []struct {
		Text           string
		Message, Delta struct{ Role, Content string }
		LogProbs       *struct {
			Tokens        []string
			TokenLogProbs []float64 `json:"token_logprobs"`
			Offsets       []int     `json:"text_offset"`
			Content       []struct {
				LogProb float64
				Top     []struct{ Token string } `json:"top_logprobs"`
			}
		}
		Finish string `json:"finish_reason"`
	}
	Usage struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	}
}

// complete asks for a completion, which must succeed.
func complete(t testing.TB, url string, fields map[string]any) completion {
	t.Helper()
	status, data := post(t, url+"/v1/completions", fields)
	var c completion
	if err := json.Unmarshal(data, &c); err != nil || status != http.StatusOK || len(c.Choices) != 1 {
		t.Fatalf("status %d, %s, %v", status, data, err)
	}
	return c
}

// pieces returns the pieces of a streamed answer.
func pieces(t testing.TB, data []byte) (list []completion) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(data))
	done := false
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case text == "[DONE]":
			done = true
		case ok:
			var c completion
			if err := json.Unmarshal([]byte(text), &c); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			list = append(list, c)
		}
	}
	if !done {
		t.Fatalf("the stream has no end: %s", data)
	}
	return list
}

func TestCompletion(t *testing.T) {
	url, s := start(t)
	ask := func(more map[string]any) completion {
		fields := map[string]any{"prompt": "the then", "max_tokens": 20, "temperature": 0}
		for k, v := range more {
			fields[k] = v
		}
		return complete(t, url, fields)
	}
	whole := ask(nil)
	text := whole.Choices[0].Text
	if whole.Usage.Prompt != 3 || whole.Usage.Completion > 20 || text == "" {
		t.Fatalf("the answer is %+v", whole)
	}
	if again := ask(map[string]any{"prompt": s.tok.Encode("the then")}); again.Choices[0].Text != text {
		t.Errorf("tokens give %q, the text %q", again.Choices[0].Text, text)
	}
	// A stop word ends the answer before it, even if it lies in several tokens.
	cut := len(text) / 2
	for !strings.HasPrefix(text[cut:], strings.ToValidUTF8(text[cut:], "")) {
		cut++
	}
	stop := text[cut:min(cut+4, len(text))]
	if got := ask(map[string]any{"stop": stop}).Choices[0]; got.Text != text[:strings.Index(text, stop)] ||
		got.Finish != "stop" {
		t.Errorf("with the stop word %q: %q (%s), of %q", stop, got.Text, got.Finish, text)
	}
	// The same seed gives the same answer, another one another.
	drawn := map[string]any{"temperature": 1.5, "seed": 7, "max_tokens": 30}
	first := ask(drawn).Choices[0].Text
	if second := ask(drawn).Choices[0].Text; first != second {
		t.Errorf("one seed gives %q and %q", first, second)
	}
	drawn["seed"] = 8
	if other := ask(drawn).Choices[0].Text; first == other {
		t.Errorf("two seeds give %q", first)
	}
	probs := ask(map[string]any{"logprobs": 3}).Choices[0]
	if probs.LogProbs == nil || len(probs.LogProbs.Tokens) != whole.Usage.Completion || probs.Text != text ||
		probs.LogProbs.TokenLogProbs[0] >= 0 {
		t.Errorf("logprobs are %+v", probs.LogProbs)
	}
}

// TestOffsets: a streamed answer has the same offsets of tokens as a whole one, also if a part of a token's
// text waits for what may become a stop word.
func TestOffsets(t *testing.T) {
	url, _ := start(t)
	fields := map[string]any{"prompt": "the then", "max_tokens": 20, "temperature": 0, "logprobs": 1}
	want := complete(t, url, fields).Choices[0].LogProbs
	for _, token := range want.Tokens {
		if len(token) < 2 || !utf8.ValidString(token) {
			continue
		}
		fields["stream"], fields["stop"] = true, token[len(token)-1:]+"\x01"
		_, data := post(t, url+"/v1/completions", fields)
		var offsets []int
		for _, c := range pieces(t, data) {
			if p := c.Choices[0].LogProbs; p != nil {
				offsets = append(offsets, p.Offsets...)
			}
		}
		if !slices.Equal(offsets, want.Offsets) {
			t.Errorf("the offsets of %q are %v, not %v", want.Tokens, offsets, want.Offsets)
		}
		return
	}
	t.Errorf("no token of %q has two letters", want.Tokens)
}

// TestShared: a prompt that begins like an earlier one is read from where they differ, and so is one that
// goes on with an answer.
func TestShared(t *testing.T) {
	url, s := start(t)
	prompt := strings.Repeat("once the then ", 8)
	ask := func(prompt string) (answer string, shared int64) {
		before := s.engine.Stats.SharedTokens.Load()
		c := complete(t, url, map[string]any{"prompt": prompt, "max_tokens": 24, "temperature": 0})
		return c.Choices[0].Text, s.engine.Stats.SharedTokens.Load() - before
	}
	n := int64(len(s.tok.Encode(prompt)))
	first, _ := ask(prompt)
	second, shared := ask(prompt)
	if first != second || shared < n-17 || shared >= n {
		t.Errorf("%q, then %q, with %d of %d tokens shared", first, second, shared, n)
	}
	if _, shared := ask(prompt + "and"); shared < n-17 {
		t.Errorf("a longer prompt shares %d of %d tokens", shared, n)
	}
	if _, shared := ask("x" + prompt); shared != 0 {
		t.Errorf("another beginning shares %d tokens", shared)
	}
}

func TestChat(t *testing.T) {
	url, _ := start(t)
	fields := map[string]any{"messages": []message{{"user", "the"}}, "max_tokens": 12, "temperature": 0}
	status, data := post(t, url+"/v1/chat/completions", fields)
	var whole completion
	if err := json.Unmarshal(data, &whole); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %s, %v", status, data, err)
	}
	if m := whole.Choices[0].Message; m.Role != "assistant" || m.Content == "" {
		t.Errorf("the message is %+v", m)
	}
	fields["stream"], fields["logprobs"], fields["top_logprobs"] = true, true, 2
	fields["stream_options"] = map[string]any{"include_usage": true}
	_, data = post(t, url+"/v1/chat/completions", fields)
	var text strings.Builder
	tokens := 0
	list := pieces(t, data)
	for _, c := range list[:len(list)-1] {
		text.WriteString(c.Choices[0].Delta.Content)
		if p := c.Choices[0].LogProbs; p != nil {
			for _, x := range p.Content {
				tokens++
				if len(x.Top) != 2 || x.LogProb > 0 {
					t.Errorf("the token's probabilities are %+v", x)
				}
			}
		}
	}
	u := list[len(list)-1].Usage
	if text.String() != whole.Choices[0].Message.Content || tokens != u.Completion || u != whole.Usage {
		t.Errorf("streamed %q of %d tokens, %+v; whole %+v", text.String(), tokens, u, whole)
	}
}

func TestErrors(t *testing.T) {
	url, _ := start(t)
	long := strings.Repeat("a b ", 400)
	for _, c := range []struct {
		path, body, want string
		status           int
	}{
		{"/v1/completions", `{"prompt": "a", `, "EOF", 400},
		{"/v1/completions", `{"prompt": {}}`, "several prompts", 400},
		{"/v1/completions", `{}`, "prompt is empty", 400},
		{"/v1/completions", `{"prompt": [""]}`, "prompt is empty", 400},
		{"/v1/completions", `{"prompt": [5, 9999]}`, "token 9999", 400},
		{"/v1/completions", `{"prompt": "` + long + `"}`, "context 512", 400},
		{"/v1/completions", `{"prompt": "` + strings.Repeat("a", maxBody) + `"}`, "too large", 413},
		{"/v1/completions", `{"prompt": "a", "temperature": -1}`, "temperature", 400},
		{"/v1/completions", `{"prompt": "a", "n": 3}`, "n is not 1", 400},
		{"/v1/completions", `{"prompt": "a", "logprobs": 50}`, "logprobs", 400},
		{"/v1/completions", `{"prompt": "a", "logprobs": -1}`, "logprobs", 400},
		{"/v1/completions", `{"prompt": "a", "max_tokens": 0}`, "max_tokens", 400},
		{"/v1/completions", `{"prompt": "a", "stop": ["1", "2", "3", "4", "5"]}`, "stop", 400},
		{"/v1/chat/completions", `{"messages": []}`, "no messages", 400},
		{"/v1/chat/completions", `{"messages": [{"role": "user"}], "logprobs": true, "top_logprobs": -1}`,
			"logprobs", 400},
		{"/v1/chat/completions", `{"messages": [{"role": "root", "content": "x"}]}`, "unknown role", 400},
		{"/v1/chat/completions", `{"messages": [{"role": "user", "content": [{"type": "image"}]}]}`,
			"only text", 400},
	} {
		status, data := post(t, url+c.path, c.body)
		var e struct{ Error struct{ Message string } }
		if err := json.Unmarshal(data, &e); err != nil || status != c.status ||
			!strings.Contains(e.Error.Message, c.want) {
			t.Errorf("%.60s: status %d, %s", c.body, status, data)
		}
	}
}

// settle waits for a number to come down.
func settle(t *testing.T, name string, value func() int, want int) {
	t.Helper()
	for range 200 {
		if value() <= want {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%s: %d", name, value())
}

// TestBusy fills the queue: the next request is refused at once.
func TestBusy(t *testing.T) {
	url, s := start(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	request := strings.NewReader
	var wg sync.WaitGroup
	for range 24 { // 8 in the batch, 16 in the queue
		wg.Go(func() {
			body := request(`{"prompt": "the", "max_tokens": 500, "temperature": 1}`)
			q, _ := http.NewRequestWithContext(ctx, "POST", url+"/v1/completions", body)
			if answer, err := http.DefaultClient.Do(q); err == nil {
				answer.Body.Close()
			}
		})
	}
	refused := s.engine.Stats.Refused.Load()
	for range 500 {
		if status, _ := post(t, url+"/v1/completions", `{"prompt": "the", "max_tokens": 1}`); status ==
			http.StatusTooManyRequests {
			break
		}
	}
	if s.engine.Stats.Refused.Load() == refused {
		t.Error("nothing was refused")
	}
	cancel()
	wg.Wait()
	settle(t, "pages in use", func() int { return s.engine.Stats.Pages() }, 0)
}

// TestShutdown ends a server while it answers: the answer is complete.
func TestShutdown(t *testing.T) {
	_, s := start(t)
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, l, time.Minute) }()
	answer, err := http.Post("http://"+l.Addr().String()+"/v1/completions", "application/json",
		strings.NewReader(`{"prompt": "the", "max_tokens": 60, "temperature": 0, "stream": true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	stop()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	list := pieces(t, data)
	if end := list[len(list)-1].Choices[0].Finish; end != "length" && end != "stop" {
		t.Errorf("the answer ended with %q", end)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s.draining.Store(false)
}

func TestPages(t *testing.T) {
	url, _ := start(t)
	for path, want := range map[string]string{"/": "<!DOCTYPE html>", "/health": `"ok"`,
		"/v1/models": `"random"`, "/metrics": "nereid_llm_kernels_compiled_late_total 0\n"} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(data), want) {
			t.Errorf("%s: status %d, %.200s, %v", path, r.StatusCode, data, err)
		}
	}
}

func TestTalk(t *testing.T) {
	_, s := start(t)
	var out strings.Builder
	in := strings.NewReader("the\n\nthen the\n")
	if err := s.talk(context.Background(), nil, 0.7, in, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "> "); n < 3 {
		t.Errorf("the talk is %q", out.String())
	}
}

// TestFlags: sizes that no engine can have are refused.
func TestFlags(t *testing.T) {
	for _, args := range []string{"--batch=-1", "--chunk=-5", "--queue=-1", "--queue=0", "--pages=0"} {
		var s settings
		err := s.flags("serve").Parse([]string{"--random=tiny", "--device=interp", args})
		if err == nil {
			_, err = s.start(io.Discard)
		}
		if err == nil || !strings.Contains(err.Error(), "less than 1") {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// TestTemplate compares with what Jinja2 makes of the template in SmolLM2's file.
func TestTemplate(t *testing.T) {
	var cases []struct {
		Messages []message
		Text     string
	}
	f := weightstest.Expected(t, "chat.json", &cases)
	tok, err := tokenizer.New(f)
	if err != nil {
		t.Fatal(err)
	}
	template, err := newTemplate(f, tok)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		ids, err := template.render(c.Messages)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, id := range ids {
			text.WriteString(tok.Name(id))
		}
		if text.String() != c.Text {
			t.Errorf("the prompt is %q, not %q", text.String(), c.Text)
		}
	}
}
