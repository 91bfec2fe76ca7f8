package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/nereid-lang/nereid"
)

func newDevicesCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "Lists the devices that are here",
		Long: "Lists the devices that are here, the best first: launches that name none use it. Of those\n" +
			"that are not it says why, and how to get them. Names are what --device,\n" +
			"nereid.OpenDevice and NEREID_DEVICE take.",
		Example: "  nereid devices\n  NEREID_LLVM=/opt/llvm/lib/libLLVM.so nereid devices",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			printDevices(cmd.OutOrStdout())
			return nil
		},
	}
}

// printDevices lists what is here, the best first, and what is not, with why.
func printDevices(out io.Writer) {
	here, absent := nereid.Devices()
	wide := len("interp")
	for _, d := range here {
		wide = max(wide, len(d.String()))
	}
	for _, d := range here {
		fmt.Fprintf(out, "%-*s  %s\n", wide, d, d.Info())
	}
	for _, a := range absent {
		fmt.Fprintf(out, "%-*s  absent: %v\n", wide, a.Kind, a.Why)
	}
	if slow := slowness(here, absent); slow != "" {
		fmt.Fprintln(out, slow)
	}
}

// slowness says that the best device is the interpreter only because LLVM is missing, or "".
func slowness(here []*nereid.Device, absent []nereid.Absent) string {
	if len(here) == 0 || !here[0].Abilities().Interprets {
		return ""
	}
	if len(absent) == 0 {
		return ""
	}
	return "kernels run in the interpreter, some 40 times slower than on the CPU, which needs LLVM"
}
