// Package cli is the command line of Nereid. A program that has more back ends than nereid itself has its
// commands with it:
//
//	import (
//		_ "example.com/backend-c/target"
//		"github.com/nereid-lang/nereid/cli"
//	)
//
//	func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
//
// Each subcommand has a file of its own; root.go lists them.
package cli
