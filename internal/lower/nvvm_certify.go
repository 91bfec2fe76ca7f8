package lower

import (
	"fmt"
	"strings"
)

// ringUnit is an instruction of the simulator's own.
func (nvidia) ringUnit(name string, args []string) string {
	operands, constraints := "$0", "=f"
	for i := range args {
		operands += fmt.Sprintf(", $%d", i+1)
		constraints += ",f"
	}
	return fmt.Sprintf(`call float asm "ring.%s.f32 %s;", "%s"(%s)`, name, operands, constraints,
		strings.Join(typed("float", args), ", "))
}

func (nvidia) ringCopy() (code, constraints string) { return "mov.b32 $0, $1;", "=f,f" }

func (nvidia) expands() bool { return false }
