package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/llm/weights/weightstest"
	"github.com/nereid-lang/nereid"
)

// server starts a server as a process of its own and returns its address.
func server(t *testing.T, args string) (cmd *exec.Cmd, url string) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"="+args)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for url == "" && lines.Scan() {
		_, url, _ = strings.Cut(lines.Text(), "listening on ")
	}
	if url == "" {
		t.Fatalf("the server does not start: %v", cmd.Wait())
	}
	return cmd, url
}

// continuation returns the greedy continuation of a prompt.
func continuation(t *testing.T, url, prompt string) string {
	t.Helper()
	status, body := post(t, url+"/v1/completions",
		map[string]any{"prompt": prompt, "max_tokens": 24, "temperature": 0})
	var answer struct {
		Choices []struct{ Text string }
	}
	err := json.Unmarshal(body, &answer)
	if err != nil || status != http.StatusOK || len(answer.Choices) != 1 {
		t.Fatalf("status %d: %s", status, body)
	}
	return answer.Choices[0].Text
}

// TestTensorParallel: a server of two processes answers as a server of one does, and ends well.
func TestTensorParallel(t *testing.T) {
	_, err := nereid.OpenDevice("cpu")
	weightstest.Need(t, "llvm", err)
	const args = "serve --random=four --addr localhost:0 --embeddings none --batch 2 --chunk 32 --pages 64 " +
		"--tp "
	one, alone := server(t, args+"1")
	two, url := server(t, args+"2")
	for _, prompt := range []string{"the then", "there is", "a"} {
		got, want := continuation(t, url, prompt), continuation(t, alone, prompt)
		if got != want || want == "" {
			t.Errorf("%q: %q by two processes, %q by one", prompt, got, want)
		}
	}
	for _, cmd := range []*exec.Cmd{one, two} {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
}

// TestLostRank: the process of a rank that is killed ends requests with an error, and not the server.
func TestLostRank(t *testing.T) {
	_, err := nereid.OpenDevice("cpu")
	weightstest.Need(t, "llvm", err)
	s := settings{randomName: "four", device: "cpu", tp: 2, pages: 64}
	if err := s.setRandom("four"); err != nil {
		t.Fatal(err)
	}
	s.engine.Batch, s.engine.Chunk, s.engine.Queue = 1, 32, 4
	service, err := s.start(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	defer service.close()
	_ = s.others.cmds[0].Process.Kill()
	for end := time.Now().Add(time.Minute); service.model.Err() == nil && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	const want = "the process of rank 1 has ended"
	if err := service.model.Err(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v", err)
	}
	if _, err := service.model.Prefill([]int{1, 2}, 0, []int32{0}, false); err == nil {
		t.Error("a prompt was read without a rank")
	}
}
