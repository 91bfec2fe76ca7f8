// Package products puts matrix products on tensor cores and brings their operands there. A product is a
// tt.dot or one of a warp group (wgmma).
//
//	accelerate_matmul.go   tritongpu-accelerate-matmul
//	data_duplication.go    tritongpu-reduce-data-duplication
//	decompose_scaled.go    dot_scaled as a plain product, for accelerate_matmul.go
//	dot_operands.go        tritongpu-optimize-dot-operands
//	f32_dot_tc.go          tritongpu-F32DotTC
//	narrow_products.go     nereid-gpu-narrow-products
package products
