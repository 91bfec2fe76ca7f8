package cli

import (
	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid/internal/lsp"
)

func newLSPCmd() *cobra.Command {
	s := &lsp.Server{}
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Serves editors: diagnostics, types, definitions, completion",
		Long: "Speaks the Language Server Protocol on standard input and output: diagnostics while\n" +
			"a kernel is typed; hover with type, shape and compile-time value; definitions, through\n" +
			"imports; completion of triton.language. docs/LSP.md says how editors start it.",
		Example: "  nereid lsp\n" +
			"  nereid lsp --root libraries",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.Serve(cmd.InOrStdin(), unpainted(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().StringSliceVar(&s.Roots, "root", nil, "more folders in which imports are found")
	cmd.Flags().Bool("stdio", true, "as editors say it; there is no other way")
	return cmd
}
