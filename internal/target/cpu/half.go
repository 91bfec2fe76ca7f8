package cpu

import (
	"bytes"
	"strings"

	"github.com/nereid-lang/nereid/internal/llvm"
)

// halfConversions returns the functions that LLVM calls to convert halves on processors without instructions
// for it (x86-64 before F16C): they come from a library of compilers, which need not be installed. It returns
// nil if the IR does not need them.
func halfConversions(t llvm.Target, ir []byte) []byte {
	needed := strings.HasPrefix(t.Triple, "x86_64") && !hasFeature(t.Features, "+f16c") &&
		bytes.Contains(ir, []byte("half"))
	if !needed {
		return nil
	}
	return []byte(halfIR)
}

// halfIR converts exactly and rounds to nearest, ties to even.
//
// To float: the bits of the half's magnitude, moved to a float's place, are its value divided by 2^112, also
// if it is subnormal; infinities and NaNs get a float's exponent.
//
// To half: a magnitude below 2^-14 is added to 0.5, whose last bit is that of the smallest subnormal half, so
// that the sum is rounded there; a larger one is rounded by an addition to its bits.
const halfIR = `
define float @__extendhfsf2(half %h) nounwind {
  %bits16 = bitcast half %h to i16
  %bits = zext i16 %bits16 to i32
  %sign.low = and i32 %bits, 32768
  %sign = shl i32 %sign.low, 16
  %mag = and i32 %bits, 32767
  %moved = shl i32 %mag, 13
  %small = bitcast i32 %moved to float
  %value = fmul float %small, 0x46F0000000000000
  %value.bits = bitcast float %value to i32
  %special = icmp uge i32 %mag, 31744
  %nan = icmp ugt i32 %mag, 31744
  %quiet = select i1 %nan, i32 4194304, i32 0
  %exponent = or i32 %moved, 2139095040
  %special.bits = or i32 %exponent, %quiet
  %chosen = select i1 %special, i32 %special.bits, i32 %value.bits
  %signed = or i32 %chosen, %sign
  %result = bitcast i32 %signed to float
  ret float %result
}

define half @__truncsfhf2(float %f) nounwind {
  %bits = bitcast float %f to i32
  %mag = and i32 %bits, 2147483647
  %sign.high = lshr i32 %bits, 16
  %sign = and i32 %sign.high, 32768
  %value = bitcast i32 %mag to float
  %sum = fadd float %value, 5.000000e-01
  %sum.bits = bitcast float %sum to i32
  %subnormal = sub i32 %sum.bits, 1056964608
  %last.high = lshr i32 %mag, 13
  %last = and i32 %last.high, 1
  %rebased = add i32 %mag, -939520001
  %rounded = add i32 %rebased, %last
  %normal = lshr i32 %rounded, 13
  %payload = and i32 %last.high, 1023
  %nan = or i32 %payload, 32256
  %is.small = icmp ult i32 %mag, 947912704
  %is.large = icmp uge i32 %mag, 1199570944
  %is.nan = icmp ugt i32 %mag, 2139095040
  %a = select i1 %is.small, i32 %subnormal, i32 %normal
  %b = select i1 %is.large, i32 31744, i32 %a
  %c = select i1 %is.nan, i32 %nan, i32 %b
  %signed = or i32 %c, %sign
  %low = trunc i32 %signed to i16
  %result = bitcast i16 %low to half
  ret half %result
}
`
