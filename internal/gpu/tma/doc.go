// Package tma gives accesses to the copy engine (TMA): those through tensor descriptors, and those by
// pointers whose addresses form tiles.
//
//	descriptor_encoding.go   triton-nvidia-optimize-descriptor-encoding
//	fence.go                 triton-nvidia-gpu-fence-insertion
//	fits.go                  nereid-legalize-descriptors: pointers where the copy engine cannot serve
//	load_before_stores.go    nereid-gpu-load-before-stores
//	lowering.go              triton-nvidia-tma-lowering
//	spread_stores.go         nereid-gpu-spread-stores: such a store in parts, one in each iteration
//	store_parts.go           nereid-gpu-store-in-parts: a store without a loop, as its parts are ready
//	tile_bounds.go           masks as sizes of tiles, indices that are never negative
//	tile_choice.go           which loads are given to the copy engine
//	tile_guard.go            what the host checks for all programs and iterations
//	tile_loads.go            nereid-gpu-tile-loads: loads by pointers that are tiles
//	tile_order.go            loads that stores of the kernel may precede
//	tile_plan.go             addresses of an access as strides and coordinates of a tile
//	tile_replace.go          accesses to tiles through descriptors that are arguments
//	tile_stores.go           nereid-gpu-tile-stores: stores by pointers that are tiles
//	tile_wraps.go            indices that wrap around or are 0 behind an end
package tma
