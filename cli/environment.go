package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/nereid-lang/nereid"
)

// environment is the variables, NAME=VALUE, that kernels' files see. Those of the command's own environment
// they do not see: what a file means must not depend on where it is read.
type environment []string

func (e *environment) add(fs *pflag.FlagSet) {
	fs.StringArrayVar((*[]string)(e), "env", nil,
		"variable that the kernels' files see in os.environ, NAME=VALUE; may be given several times")
}

// load returns the option with which files are read.
func (e environment) load() nereid.LoadOption {
	vars := map[string]string{}
	for _, v := range e {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	return nereid.Env(vars)
}
