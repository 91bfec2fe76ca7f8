package browsertest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// llm starts the server of examples/llm with a tiny random model, or with the one that CHAT_MODEL names, and
// returns its address.
func llm(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nereid-llm")
	build := exec.Command("go", "build", "-o", file, ".")
	build.Dir = "../../../examples/llm"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := []string{"serve", "--addr", "localhost:0"}
	if model := os.Getenv("CHAT_MODEL"); model != "" {
		args = append(args, "--model", model)
	} else {
		args = append(args, "--random=tiny", "--device", "interp") // slow enough to be stopped
	}
	cmd := exec.CommandContext(t.Context(), file, args...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
			return url
		}
	}
	t.Fatal("the server does not start")
	return ""
}

// holding returns the address of a server that passes everything on to another one. While held is set, an
// answer that begins to come goes no further until the client leaves: a tiny model's answer is over before
// anybody stops it.
func holding(t *testing.T, server string, held *atomic.Bool) string {
	t.Helper()
	to, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	proxy.ModifyResponse = func(r *http.Response) error {
		if held.Load() && r.Header.Get("Content-Type") == "text/event-stream" {
			r.Body = &heldAnswer{Closer: r.Body, from: bufio.NewReader(r.Body), client: r.Request.Context()}
		}
		return nil
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL
}

// heldAnswer is an answer that ends at its first piece of text, and then waits for the client to leave.
type heldAnswer struct {
	io.Closer
	from   *bufio.Reader
	client context.Context
	line   []byte // what is left of a line
	begun  bool   // a piece of text was read
}

func (h *heldAnswer) Read(p []byte) (int, error) {
	if len(h.line) == 0 {
		if h.begun {
			<-h.client.Done()
			return 0, h.client.Err()
		}
		line, err := h.from.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		h.line = line
		if bytes.Contains(line, []byte(`"content":"`)) {
			h.line, h.begun = append(line, '\n'), true
		}
	}
	n := copy(p, h.line)
	h.line = h.line[n:]
	return n, nil
}

// say types a message and sends it.
func (b *browser) say(text string) {
	b.t.Helper()
	eval[string](b, "document.getElementById('input').value = "+strconv.Quote(text))
	b.click("#send")
}

// idle waits until nothing is answered any more.
func (b *browser) idle() { b.until(`document.getElementById("send").textContent === "Send"`) }

// countPieces counts how often the text of an answer grows while it comes, and stops an answer at its first
// piece if the page's stopNext is set.
func (b *browser) countPieces() {
	b.t.Helper()
	eval[bool](b, `(window.pieces = 0, window.stopNext = false, new MutationObserver(() => {
		if (!document.querySelector(".assistant.running")?.textContent) return;
		window.pieces++;
		if (!window.stopNext) return;
		window.stopNext = false;
		document.getElementById("send").click();
	}).observe(document.getElementById("log"), {subtree: true, childList: true, characterData: true}), true)`)
}

// TestChat talks to a language model on the page of examples/llm: a question is answered piece by piece, an
// answer is stopped, and what the server refuses is shown.
func TestChat(t *testing.T) {
	var held atomic.Bool
	b := open(t, holding(t, llm(t), &held))
	b.countPieces()
	for range 10 { // a random model may have nothing to say
		b.say("What is a prime number? Answer in two sentences.")
		b.idle()
		if eval[bool](b, `window.pieces > 0 && !!document.querySelector(".assistant")`) {
			break
		}
		b.click("#clear")
	}
	if eval[int](b, `window.pieces`) == 0 {
		t.Error("no answer came piece by piece")
	}
	if n := eval[int](b, `document.querySelectorAll(".user, .assistant").length`); n != 2 {
		t.Errorf("%d messages are shown, not a question and an answer", n)
	}
	status := eval[string](b, `document.getElementById("status").textContent`)
	if !strings.Contains(status, "tokens/s") {
		t.Errorf("the status is %q", status)
	}
	b.shot("answer")
	held.Store(true)
	for range 10 {
		b.click("#clear") // a random model may have talked until its context is full
		eval[bool](b, `window.stopNext = true`)
		b.say("Tell me a long story about a ship and its crew.")
		b.idle()
		if eval[bool](b, `!!document.querySelector(".assistant.stopped")`) {
			break
		}
	}
	if !eval[bool](b, `!!document.querySelector(".assistant.stopped")`) {
		shown := eval[string](b, `document.getElementById("log").innerText`)
		t.Errorf("no answer was stopped; the page shows %q", shown)
	}
	held.Store(false)
	eval[bool](b, `window.stopNext = false`)
	b.shot("stopped")
	b.say(strings.Repeat("one two ", 9000))
	b.idle()
	refusal := eval[string](b, `document.querySelector(".error")?.textContent ?? ""`)
	if !strings.Contains(refusal, "context") {
		t.Errorf("a question that is too long shows %q", refusal)
	}
	eval[string](b, `(document.querySelectorAll(".user").forEach(
		e => e.textContent = e.textContent.slice(0, 60)), "")`)
	b.shot("refused")
	b.click("#clear")
	b.until(`document.querySelectorAll(".message").length === 0`)
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.messages[:0]
	for _, m := range b.messages { // Chromium notes the refused request by itself
		if !strings.Contains(m, "400") {
			kept = append(kept, m)
		}
	}
	b.messages = kept
}
