package lower

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
	"github.com/nereid-lang/nereid/internal/target/nvidia/ptxsim"
)

// TestPingPongGuarded: a loop whose warp groups ping-pong is right on the simulator, and each of the ops that
// order its accesses is needed: without it, the simulator reports a race or a deadlock.
func TestPingPongGuarded(t *testing.T) {
	text, err := os.ReadFile("testdata/ping_pong.ttgir")
	if err != nil {
		t.Fatal(err)
	}
	whole := func(n int) *buf {
		return &buf{elem: ir.F16, n: n, fill: func(i int) float64 { return float64(i*7%5 - 2) }}
	}
	l := launch{kernel: "ping_pong", grid: [3]int{1, 1, 1}, args: []any{
		whole(128 * 64), whole(6 * 64 * 64), whole(6 * 64 * 128), floats(ir.F32, 128*128), 6}}
	run := func(t *testing.T, text []byte, mem [][]byte) error {
		k, ptx := compile(t, parseIR(t, "ping_pong.ttgir", text), "ping_pong", 90)
		_, err := simulate(ptx, k.Shared, l, mem, ptxsim.Launch{})
		return err
	}
	got, want := l.memory(1)
	if err := run(t, text, got); err != nil {
		t.Fatal(err)
	}
	onInterp(t, parseIR(t, "ping_pong.ttgir", text), l, want)
	if !bytes.Equal(got[3], want[3]) {
		t.Error("the result differs from the interpreter's")
	}
	for _, c := range []struct{ name, without, want string }{
		{"no wait for the other group", `\n +ttng\.wait_barrier %\w+, %\w+ : .*`,
			"written while|no barrier lies between"},
		{"no arrival", `\n +ttng\.arrive_barrier %\w+, 1 \{nereid.each_warp\}.*`, "deadlock"},
		{"no wait for copies", `\n +%\w+ = ttg\.async_wait %\w+, %\w+ \{num = 0 : i32\}`,
			"is being copied by .* without a wait"},
		{"no end of a turn", `\n +ttng\.arrive_barrier %\w+, 1 \{nereid.ping_pong\}.*`, "deadlock"},
		{"no fence", `\n +ttng\.fence_async_shared .*`, "fence.proxy.async"},
	} {
		t.Run(c.name, func(t *testing.T) {
			re := regexp.MustCompile(c.without)
			if !re.Match(text) {
				t.Fatal("the text has no such op")
			}
			mem, _ := l.memory(1)
			err := run(t, re.ReplaceAll(text, nil), mem)
			if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
				t.Errorf("the simulator says %v, not %s", err, strings.ReplaceAll(c.want, "|", " or "))
			}
		})
	}
}
