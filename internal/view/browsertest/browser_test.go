package browsertest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// browser is a tab of a Chromium, with what its page asked for and complained about.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string
	messages []string
}

// chromium returns the browser's file. Debian calls it chromium.
func chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if file, err := exec.LookPath(name); err == nil {
			return file, nil
		}
	}
	return "", errors.New("no chromium on the PATH: apt-get install chromium")
}

// open opens a page, and fails the test at its end if the page complained or asked another origin.
func open(t *testing.T, address string) *browser {
	t.Helper()
	b := blank(t)
	b.listen()
	t.Cleanup(func() { b.verdict(address) })
	b.do(chromedp.Navigate(address))
	b.until(`document.documentElement.dataset.ready === "1"`)
	return b
}

// blank opens a tab without a page.
func blank(t *testing.T) *browser {
	t.Helper()
	file, err := chromium()
	txtest.Need(t, "chromium", err)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(file), chromedp.NoSandbox,
		chromedp.WindowSize(1700, 900),
		chromedp.Flag("disable-dev-shm-usage", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	b.do(chromedp.Navigate("about:blank"))
	return b
}

// listen notes the requests of the tab and what its console says.
func (b *browser) listen() {
	requests, console := chromedp.Events(b.ctx, network.RequestWillBeSent), chromedp.Console(b.ctx)
	go func() {
		for e, err := range requests {
			if err != nil {
				return
			}
			b.note(&b.requests, e.Request.URL)
		}
	}()
	go func() {
		for m, err := range console {
			if err != nil {
				return
			}
			b.note(&b.messages, fmt.Sprint(m))
		}
	}()
}

func (b *browser) note(list *[]string, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*list = append(*list, text)
}

// verdict fails the test if a request left the page's origin, or the script failed.
func (b *browser) verdict(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	page, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range b.requests {
		u, err := url.Parse(r)
		if err != nil || u.Scheme != "data" && (u.Scheme != page.Scheme || u.Host != page.Host) {
			b.t.Errorf("a request left the origin: %s", r)
		}
	}
	if len(b.requests) == 0 {
		b.t.Error("no request was seen, not even the page's")
	}
	for _, m := range b.messages {
		b.t.Errorf("the page complains: %s", m)
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.t.Fatalf("%v\n%s", err, strings.Join(b.messages, "\n"))
	}
}

// eval returns the value of an expression in the page.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for an expression to be true.
func (b *browser) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if eval[bool](b, "!!("+expression+")") {
			return
		}
	}
	b.t.Fatalf("this did not become true: %s", expression)
}

// click clicks at the middle of an element, as a mouse does.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// shot keeps a picture of the page where VIEW_SHOTS names a folder.
func (b *browser) shot(name string) {
	dir := os.Getenv("VIEW_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Error(err)
	}
}

var (
	buildOnce sync.Once
	binary    string
	buildErr  error
)

// nereid returns the command, built once.
func nereid(t *testing.T) string {
	t.Helper()
	buildOnce.Do(func() {
		dir, err := os.MkdirTemp("", "browsertest")
		if err != nil {
			buildErr = err
			return
		}
		binary = filepath.Join(dir, "nereid")
		cmd := exec.Command("go", "build", "-o", binary, "./cmd/nereid")
		cmd.Dir = "../../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			buildErr = fmt.Errorf("%v\n%s", err, out)
		}
	})
	if buildErr != nil {
		t.Fatal(buildErr)
	}
	return binary
}

func TestMain(m *testing.M) {
	code := m.Run()
	if binary != "" {
		os.RemoveAll(filepath.Dir(binary))
	}
	os.Exit(code)
}

// page writes a page to a file and returns its address.
func page(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	cmd := exec.Command(nereid(t), append([]string{"view", "--html", file}, args...)...)
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return "file://" + file
}

// serve starts a server of a page and returns its address.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(nereid(t), append([]string{"view"}, args...)...)
	cmd.Dir = "../../.."
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, _, _ := strings.Cut(line, " ")
	return address
}
