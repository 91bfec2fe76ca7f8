package browsertest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
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
		args = append(args, "--random=tiny")
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

// say types a message and sends it.
func (b *browser) say(text string) {
	b.t.Helper()
	eval[string](b, "document.getElementById('input').value = "+strconv.Quote(text))
	b.click("#send")
}

// idle waits until nothing is answered any more.
func (b *browser) idle() { b.until(`document.getElementById("send").textContent === "Send"`) }

// TestChat talks to a language model on the page of examples/llm: a question is answered piece by piece, an
// answer is stopped, and what the server refuses is shown.
func TestChat(t *testing.T) {
	url := llm(t)
	b := open(t, url)
	b.say("What is a prime number? Answer in two sentences.")
	b.until(`document.querySelector(".assistant.running")?.textContent.length > 0`) // a piece of it
	b.idle()
	if n := eval[int](b, `document.querySelectorAll(".user, .assistant").length`); n != 2 {
		t.Errorf("%d messages are shown, not a question and an answer", n)
	}
	if s := eval[string](b, `document.getElementById("status").textContent`); !strings.Contains(s, "tokens/s") {
		t.Errorf("the status is %q", s)
	}
	b.shot("answer")
	for range 10 { // an answer may end before it is stopped
		b.say("Tell me a long story about a ship and its crew.")
		b.until(`document.querySelector(".assistant.running")?.textContent.length > 0 ||
			document.getElementById("send").textContent === "Send"`)
		eval[bool](b, `document.getElementById("send").textContent === "Stop" &&
			(document.getElementById("send").click(), true)`)
		b.idle()
		if eval[bool](b, `!!document.querySelector(".assistant.stopped")`) {
			break
		}
	}
	if !eval[bool](b, `!!document.querySelector(".assistant.stopped")`) {
		t.Error("no answer was stopped")
	}
	b.shot("stopped")
	b.say(strings.Repeat("one two ", 9000))
	b.idle()
	if s := eval[string](b, `document.querySelector(".error")?.textContent ?? ""`); !strings.Contains(s, "context") {
		t.Errorf("a question that is too long shows %q", s)
	}
	eval[string](b, `(document.querySelectorAll(".user").forEach(e => e.textContent = e.textContent.slice(0, 60)), "")`)
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
