package cli

import (
	"fmt"
	"time"
)

// All tables write quantities alike: three or four digits, a space, and a unit. Rates have decimal prefixes,
// sizes of memory binary ones.

// timeText returns a duration: "12.6 µs", "1.30 s".
func timeText(d time.Duration) string {
	ns := float64(d.Nanoseconds())
	switch {
	case ns < 999.5:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case ns < 999.5e3:
		return digits(ns/1e3) + " µs"
	case ns < 999.5e6:
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1e9) + " s"
}

// rateText returns a rate of a unit: "94.9 GB/s", "1.29 TFLOP/s".
func rateText(perSecond float64, unit string) string {
	for _, p := range []struct {
		least  float64
		prefix string
	}{{999.5e9, "T"}, {999.5e6, "G"}, {999.5e3, "M"}, {999.5, "k"}} {
		if perSecond >= p.least {
			return digits(perSecond/scale[p.prefix]) + " " + p.prefix + unit
		}
	}
	return digits(perSecond) + " " + unit
}

var scale = map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}

// sizeText returns a number of bytes: "781 KiB", "4.00 MiB".
func sizeText(n int64) string {
	v := float64(n)
	for _, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if v < 999.5 {
			break
		}
		if v /= 1024; v < 999.5 {
			return digits(v) + " " + unit
		}
	}
	return fmt.Sprintf("%d B", n)
}

// digits returns a number below 1000 with three digits.
func digits(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// count returns a number of things: "1 kernel", "2 kernels".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
