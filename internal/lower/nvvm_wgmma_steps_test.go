package lower

import (
	"cmp"
	"slices"
	"strings"
	"testing"
)

const twoSteps = `body1:
  %a = add i32 %x, 1, !dbg !1
  %r = call i32 asm sideeffect "ld.shared.b32 $0, [ $1 + 0 ];", "=r,r"(i32 %a), !dbg !1
  %s = call i32 asm sideeffect "ld.shared.b32 $0, [ $1 + 0 ];", "=r,r"(i32 %x)
  %b = mul i32 %s, %a
  %c = mul i32 %r, 3
  %d = call { i32 } asm "shr.b32 $0, $1, 1;", "=r,r"(i32 %b)
  %e = extractvalue { i32 } %d, 0
  call void asm sideeffect "wgmma.mma 0", "r"(i32 %e)
  call void asm sideeffect "wgmma.wait_group 1", ""()
  call void asm sideeffect "wgmma.mma 1", "r"(i32 %c)`

// TestSinkBehind moves what the second of two steps needs behind the first.
func TestSinkBehind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, want string }{
		{"reads", "", "a s b d e . . r c ."},
		{"barrier behind the reads", "  call void @llvm.nvvm.barrier0()\n", "a r s . b d e . . c ."},
	} {
		text := strings.Replace(twoSteps, "  %b =", c.before+"  %b =", 1)
		lines := strings.Split(text, "\n")[1:]
		from := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "wgmma.mma 0") })
		sinkBehind(lines, from)
		var order []string
		for _, l := range lines {
			name, _ := nameAndCode(l)
			order = append(order, cmp.Or(strings.TrimPrefix(name, "%"), "."))
		}
		if got := strings.Join(order, " "); got != c.want {
			t.Errorf("%s: the order is %q, not %q", c.name, got, c.want)
		}
	}
}
