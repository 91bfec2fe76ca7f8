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
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/nereid-lang/nereid/internal/txtest"
)

// patience is how long a page may take to become what a test waits for, however much else the machine does.
const patience = 2 * time.Minute

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

// running is the Chromium of all tests: to start one takes as long as a test.
var running struct {
	sync.Once
	ctx  context.Context
	stop context.CancelFunc
}

// blank opens a window without a page, which shares nothing with those of other tests.
func blank(t *testing.T) *browser {
	t.Helper()
	file, err := chromium()
	txtest.Need(t, "chromium", err)
	running.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(file),
			chromedp.NoSandbox, chromedp.WindowSize(1700, 900),
			chromedp.Flag("disable-dev-shm-usage", true))
		ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
		running.stop = stop
		running.ctx, _ = chromedp.NewContext(ctx)
		(&browser{t: t, ctx: running.ctx}).do(chromedp.Navigate("about:blank"))
	})
	ctx, cancel := chromedp.NewContext(running.ctx, chromedp.WithNewBrowserContext())
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

// until waits for an expression to be true. Until then it may fail, for lack of an element.
func (b *browser) until(expression string) {
	b.t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var ok bool
		if ok, err = chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")")); ok {
			return
		}
		if b.ctx.Err() != nil {
			break
		}
	}
	b.t.Fatalf("this did not become true: %s (%v)", expression, err)
}

// click clicks at the middle of an element, as a mouse does.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// drawn waits until the page has drawn what it is about to draw: lists that change are empty until then.
func (b *browser) drawn() {
	b.t.Helper()
	const frames = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](frames, chromedp.EvalAwaitPromise)); err != nil {
		b.t.Fatal(err)
	}
}

// texts returns the texts of the elements that a selector finds now.
func (b *browser) texts(selector string) []string {
	b.t.Helper()
	return eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.textContent)`,
		selector))
}

// textsUntil waits for the texts of a selector to be right, and fails the test if they do not become so.
func (b *browser) textsUntil(selector string, right func([]string) bool, want any) {
	b.t.Helper()
	var texts []string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if texts = b.texts(selector); right(texts) {
			return
		}
	}
	b.t.Errorf("%s has %q, want %q", selector, texts, want)
}

// has waits until, of the texts of a selector, each word is in one.
func (b *browser) has(selector string, words ...string) {
	b.t.Helper()
	b.textsUntil(selector, func(texts []string) bool {
		all := strings.Join(texts, "\n")
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(all, w) })
	}, words)
}

// equal waits until a selector has exactly these texts.
func (b *browser) equal(selector string, want ...string) {
	b.t.Helper()
	b.textsUntil(selector, func(texts []string) bool { return slices.Equal(texts, want) }, want)
}

// position waits for a row with a word, and returns its number in the list.
func (b *browser) position(rows, word string) int {
	b.t.Helper()
	number := fmt.Sprintf(`[...document.querySelectorAll(%q)]
		.find((e) => e.textContent.includes(%q))?.getAttribute("aria-posinset")`, rows, word)
	b.until(`window.foundRow = ` + number)
	return eval[int](b, `Number(window.foundRow)`)
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
	if running.stop != nil {
		running.stop()
	}
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
