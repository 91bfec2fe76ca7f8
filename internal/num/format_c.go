package num

import (
	"fmt"
	"math"
)

// FormatC is a float as C's %f prints it.
func FormatC(x float64) string {
	switch {
	case x != x:
		return "nan"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	return fmt.Sprintf("%f", x)
}
