package lower

import (
	"fmt"
	"strings"

	"github.com/nereid-lang/nereid/internal/ring"
)

// ringUnit is an instruction with a literal that says what it stands for.
func (amd) ringUnit(name string, args []string) string {
	code := "v_xor_b32 $0, %#x, $1"
	if len(args) > 1 {
		code = "v_fmaak_f32 $0, $1, $2, %#x"
	}
	constraints := "=v" + strings.Repeat(",v", len(args))
	return fmt.Sprintf(`call float asm "`+code+`", "%s"(%s)`, ring.Literal(name), constraints,
		strings.Join(typed("float", args), ", "))
}

func (amd) ringCopy() (code, constraints string) { return "v_mov_b32 $0, $1", "=v,v" }

func (amd) expands() bool { return true }
