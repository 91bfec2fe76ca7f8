package gcn

import "strings"

// renamed are instructions of RDNA 3 that GCN and CDNA know by another name.
var renamed = map[string]string{
	"v_add_nc_u32": "v_add_u32", "v_sub_nc_u32": "v_sub_u32", "v_subrev_nc_u32": "v_subrev_u32",
	"v_add_nc_i32": "v_add_i32", "v_sub_nc_i32": "v_sub_i32", "v_add_nc_u16": "v_add_u16",
	"v_sub_nc_u16":    "v_sub_u16",
	"v_add_co_ci_u32": "v_addc_co_u32", "v_sub_co_ci_u32": "v_subb_co_u32",
	"v_subrev_co_ci_u32":   "v_subbrev_co_u32",
	"v_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32", "v_ctz_i32_b32": "v_ffbl_b32",
	"v_clz_i32_u32": "v_ffbh_u32", "v_cls_i32": "v_ffbh_i32", "v_cvt_floor_i32_f32": "v_cvt_flr_i32_f32",
	"v_cvt_nearest_i32_f32": "v_cvt_rpi_i32_f32",
	"v_mul_dx9_zero_f32":    "v_mul_legacy_f32", "v_fmac_dx9_zero_f32": "v_fmac_legacy_f32",
	"s_and_not1_b32": "s_andn2_b32", "s_and_not1_b64": "s_andn2_b64", "s_or_not1_b32": "s_orn2_b32",
	"s_or_not1_b64": "s_orn2_b64", "s_ctz_i32_b32": "s_ff1_i32_b32", "s_ctz_i32_b64": "s_ff1_i32_b64",
	"s_clz_i32_u32": "s_flbit_i32_b32", "s_clz_i32_u64": "s_flbit_i32_b64", "s_cls_i32": "s_flbit_i32",
	"s_and_not1_saveexec_b32": "s_andn2_saveexec_b32", "s_and_not0_saveexec_b32": "s_andn1_saveexec_b32",
	"s_or_not1_saveexec_b32": "s_orn2_saveexec_b32", "s_or_not0_saveexec_b32": "s_orn1_saveexec_b32",
	"buffer_gl0_inv": "buffer_inv", "buffer_gl1_inv": "buffer_inv",
}

// sizesRenamed are the sizes of accesses to memory.
var sizesRenamed = map[string]string{"u8": "ubyte", "i8": "sbyte", "u16": "ushort", "i16": "sshort",
	"b8":  "byte",
	"b16": "short", "b32": "dword", "b64": "dwordx2", "b96": "dwordx3", "b128": "dwordx4", "b256": "dwordx8",
	"b512": "dwordx16"}

// canonical returns the name that GCN and CDNA have for an instruction of RDNA 3.
func canonical(name string) string {
	if to, ok := renamed[name]; ok {
		return to
	}
	words := strings.Split(name, "_")
	switch {
	case words[0] == "ds":
		return canonicalLDS(name)
	case len(words) < 3:
		return name
	case words[1] == "atomic":
		return canonicalAtomic(words)
	case words[0] == "s" && words[1] == "load" || words[1] == "load" && words[0] != "s" ||
		words[1] == "store":
		return canonicalAccess(words)
	case words[0] == "s" && words[1] == "buffer" && words[2] == "load":
		words[3] = sizesRenamed[words[3]]
	}
	return strings.Join(words, "_")
}

// canonicalAccess renames global_load_d16_hi_b16 to global_load_short_d16_hi.
func canonicalAccess(words []string) string {
	last := len(words) - 1
	size, ok := sizesRenamed[words[last]]
	if !ok {
		return strings.Join(words, "_")
	}
	out := append([]string{words[0], words[1], size}, words[2:last]...)
	return strings.Join(out, "_")
}

var ldsRenamed = strings.NewReplacer("ds_load_2addr_stride64", "ds_read2st64", "ds_load_2addr", "ds_read2",
	"ds_store_2addr_stride64", "ds_write2st64", "ds_store_2addr", "ds_write2", "ds_load", "ds_read",
	"ds_store", "ds_write", "storexchg", "wrxchg")

func canonicalLDS(name string) string { return ldsRenamed.Replace(name) }

// canonicalAtomic renames global_atomic_max_i64 to global_atomic_smax_x2.
func canonicalAtomic(words []string) string {
	last := len(words) - 1
	typ := words[last]
	op := strings.Join(words[2:last], "_")
	if typ[0] == 'f' || strings.HasPrefix(op, "pk") {
		return strings.Join(words, "_")
	}
	if op == "min" || op == "max" {
		op = map[byte]string{'i': "s", 'u': "u"}[typ[0]] + op
	}
	out := words[0] + "_atomic_" + op
	if strings.HasSuffix(typ, "64") {
		out += "_x2"
	}
	return out
}
