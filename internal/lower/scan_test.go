package lower

import (
	"strings"
	"testing"

	"github.com/nereid-lang/nereid/internal/ir"
)
