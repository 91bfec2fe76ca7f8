package gomlx

import "github.com/gomlx/compute"

// Abs implements compute.StandardOps.
func (f *Function) Abs(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeAbs, x)
}

// BitCount implements compute.StandardOps.
func (f *Function) BitCount(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeBitCount, x)
}

// BitwiseNot implements compute.StandardOps.
func (f *Function) BitwiseNot(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeBitwiseNot, x)
}

// Ceil implements compute.StandardOps.
func (f *Function) Ceil(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeCeil, x)
}

// Clz implements compute.StandardOps.
func (f *Function) Clz(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeClz, x)
}

// Cos implements compute.StandardOps.
func (f *Function) Cos(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeCos, x)
}

// Erf implements compute.StandardOps.
func (f *Function) Erf(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeErf, x)
}

// Exp implements compute.StandardOps.
func (f *Function) Exp(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeExp, x)
}

// Expm1 implements compute.StandardOps.
func (f *Function) Expm1(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeExpm1, x)
}

// Floor implements compute.StandardOps.
func (f *Function) Floor(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeFloor, x)
}

// Identity implements compute.StandardOps.
func (f *Function) Identity(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeIdentity, x)
}

// IsFinite implements compute.StandardOps.
func (f *Function) IsFinite(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeIsFinite, x)
}

// IsNaN implements compute.StandardOps.
func (f *Function) IsNaN(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeIsNaN, x)
}

// Log implements compute.StandardOps.
func (f *Function) Log(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLog, x)
}

// Log1p implements compute.StandardOps.
func (f *Function) Log1p(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLog1p, x)
}

// LogicalNot implements compute.StandardOps.
func (f *Function) LogicalNot(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLogicalNot, x)
}

// Logistic implements compute.StandardOps.
func (f *Function) Logistic(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeLogistic, x)
}

// Neg implements compute.StandardOps.
func (f *Function) Neg(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeNeg, x)
}

// Round implements compute.StandardOps.
func (f *Function) Round(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeRound, x)
}

// Rsqrt implements compute.StandardOps.
func (f *Function) Rsqrt(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeRsqrt, x)
}

// Sign implements compute.StandardOps.
func (f *Function) Sign(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSign, x)
}

// Sin implements compute.StandardOps.
func (f *Function) Sin(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSin, x)
}

// Sqrt implements compute.StandardOps.
func (f *Function) Sqrt(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeSqrt, x)
}

// Tanh implements compute.StandardOps.
func (f *Function) Tanh(x compute.Value) (compute.Value, error) {
	return f.unary(compute.OpTypeTanh, x)
}

// Add implements compute.StandardOps.
func (f *Function) Add(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeAdd, x, y)
}

// Atan2 implements compute.StandardOps.
func (f *Function) Atan2(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeAtan2, x, y)
}

// BitwiseAnd implements compute.StandardOps.
func (f *Function) BitwiseAnd(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseAnd, x, y)
}

// BitwiseOr implements compute.StandardOps.
func (f *Function) BitwiseOr(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseOr, x, y)
}

// BitwiseXor implements compute.StandardOps.
func (f *Function) BitwiseXor(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeBitwiseXor, x, y)
}

// Div implements compute.StandardOps.
func (f *Function) Div(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeDiv, x, y)
}

// Equal implements compute.StandardOps.
func (f *Function) Equal(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeEqual, x, y)
}

// EqualTotalOrder implements compute.StandardOps.
func (f *Function) EqualTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeEqualTotalOrder, x, y)
}

// GreaterOrEqual implements compute.StandardOps.
func (f *Function) GreaterOrEqual(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeGreaterOrEqual, x, y)
}

// GreaterOrEqualTotalOrder implements compute.StandardOps.
func (f *Function) GreaterOrEqualTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeGreaterOrEqualTotalOrder, x, y)
}

// GreaterThan implements compute.StandardOps.
func (f *Function) GreaterThan(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeGreaterThan, x, y)
}

// GreaterThanTotalOrder implements compute.StandardOps.
func (f *Function) GreaterThanTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeGreaterThanTotalOrder, x, y)
}

// LessOrEqual implements compute.StandardOps.
func (f *Function) LessOrEqual(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLessOrEqual, x, y)
}

// LessOrEqualTotalOrder implements compute.StandardOps.
func (f *Function) LessOrEqualTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLessOrEqualTotalOrder, x, y)
}

// LessThan implements compute.StandardOps.
func (f *Function) LessThan(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLessThan, x, y)
}

// LessThanTotalOrder implements compute.StandardOps.
func (f *Function) LessThanTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLessThanTotalOrder, x, y)
}

// LogicalAnd implements compute.StandardOps.
func (f *Function) LogicalAnd(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalAnd, x, y)
}

// LogicalOr implements compute.StandardOps.
func (f *Function) LogicalOr(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalOr, x, y)
}

// LogicalXor implements compute.StandardOps.
func (f *Function) LogicalXor(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeLogicalXor, x, y)
}

// Max implements compute.StandardOps.
func (f *Function) Max(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMax, x, y)
}

// Min implements compute.StandardOps.
func (f *Function) Min(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMin, x, y)
}

// Mul implements compute.StandardOps.
func (f *Function) Mul(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeMul, x, y)
}

// NotEqual implements compute.StandardOps.
func (f *Function) NotEqual(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeNotEqual, x, y)
}

// NotEqualTotalOrder implements compute.StandardOps.
func (f *Function) NotEqualTotalOrder(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeNotEqualTotalOrder, x, y)
}

// Pow implements compute.StandardOps.
func (f *Function) Pow(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypePow, x, y)
}

// Rem implements compute.StandardOps.
func (f *Function) Rem(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeRem, x, y)
}

// ShiftLeft implements compute.StandardOps.
func (f *Function) ShiftLeft(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftLeft, x, y)
}

// ShiftRightArithmetic implements compute.StandardOps.
func (f *Function) ShiftRightArithmetic(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftRightArithmetic, x, y)
}

// ShiftRightLogical implements compute.StandardOps.
func (f *Function) ShiftRightLogical(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeShiftRightLogical, x, y)
}

// Sub implements compute.StandardOps.
func (f *Function) Sub(x, y compute.Value) (compute.Value, error) {
	return f.binary(compute.OpTypeSub, x, y)
}
