package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
)

func newDevicesCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "Lists the devices that are here",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			printDevices(cmd.OutOrStdout())
			return nil
		},
	}
}

// printDevices lists what is here, the best first, and what is not, with why.
func printDevices(out io.Writer) {
	here, absent := nereid.Devices()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, d := range here {
		fmt.Fprintf(w, "%s\t%s\n", d, d.Info())
	}
	for _, a := range absent {
		fmt.Fprintf(w, "%s\tabsent: %v\n", a.Kind, a.Why)
	}
	w.Flush()
	if slow := slowness(here, absent); slow != "" {
		fmt.Fprintln(out, slow)
	}
}

// slowness says that the best device is the interpreter only because LLVM is missing, or "".
func slowness(here []*nereid.Device, absent []nereid.Absent) string {
	if len(here) == 0 || here[0].String() != "interp" {
		return ""
	}
	for _, a := range absent {
		if a.Kind == "cpu" {
			return "kernels run in the interpreter, some 40 times slower than on the CPU, which needs LLVM"
		}
	}
	return ""
}
