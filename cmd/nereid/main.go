// Command nereid compiles and runs Triton kernels.
package main

import (
	"os"

	"github.com/nereid-lang/nereid/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
