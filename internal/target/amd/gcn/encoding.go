package gcn

// field is a run of bits of an instruction word.
type field struct {
	name  string
	lo, n uint
}

// encoding is one of the formats of an instruction: which bits select it, and which fields it has. Opcodes
// are numbered within an encoding.
type encoding struct {
	name        string
	size        int    // bytes, without a literal
	mask, match uint64 // of the first eight bytes
	op          field
	fields      []field
	literal     bool // a source of 255 is followed by a literal
}

func (f field) of(word uint64) uint64 { return word >> f.lo & (1<<f.n - 1) }

func (e *encoding) field(name string) (field, bool) {
	for _, f := range e.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// get returns the value of a field, 0 where the encoding does not have it.
func (e *encoding) get(word uint64, name string) uint64 {
	f, _ := e.field(name)
	return f.of(word)
}

// Values of the field src0 that announce a second word of modifiers.
const (
	srcSDWA    = 249
	srcDPP     = 250
	srcLiteral = 255
)

var (
	vop3Sources = []field{{"src0", 32, 9}, {"src1", 41, 9}, {"src2", 50, 9}}
	vop3Fields  = join([]field{{"vdst", 0, 8}, {"sdst", 8, 7}, {"abs", 8, 3}, {"op_sel", 11, 4},
		{"clamp", 15, 1},
		{"omod", 59, 2}, {"neg", 61, 3}}, vop3Sources)
	vop3pFields = join([]field{{"vdst", 0, 8}, {"neg_hi", 8, 3}, {"op_sel", 11, 3}, {"op_sel_hi2", 14, 1},
		{"clamp", 15, 1},
		{"op_sel_hi", 59, 2}, {"neg", 61, 3}}, vop3Sources)
	maiFields = join([]field{{"vdst", 0, 8}, {"cbsz", 8, 3}, {"abid", 11, 4}, {"acc_cd", 15, 1},
		{"acc", 59, 2}, {"blgp", 61, 3}}, vop3Sources)
	sdwaFields = []field{{"src0", 32, 8}, {"dst_sel", 40, 3}, {"dst_unused", 43, 2}, {"clamp", 45, 1},
		{"omod", 46, 2},
		{"src0_sel", 48, 3}, {"sext0", 51, 1}, {"neg0", 52, 1}, {"abs0", 53, 1}, {"scalar0", 55, 1},
		{"src1_sel", 56, 3}, {"sext1", 59, 1}, {"neg1", 60, 1}, {"abs1", 61, 1}, {"scalar1", 63, 1}}
	sdwabFields = []field{{"src0", 32, 8}, {"sdst", 40, 7}, {"has_sdst", 47, 1},
		{"src0_sel", 48, 3}, {"sext0", 51, 1}, {"neg0", 52, 1}, {"abs0", 53, 1}, {"scalar0", 55, 1},
		{"src1_sel", 56, 3}, {"sext1", 59, 1}, {"neg1", 60, 1}, {"abs1", 61, 1}, {"scalar1", 63, 1}}
	dppFields = []field{{"src0", 32, 8}, {"dpp_ctrl", 40, 9}, {"bound_ctrl", 51, 1}, {"neg0", 52, 1},
		{"abs0", 53, 1},
		{"neg1", 54, 1}, {"abs1", 55, 1}, {"bank_mask", 56, 4}, {"row_mask", 60, 4}}
	flatFields = []field{{"offset", 0, 13}, {"sve", 13, 1}, {"sc0", 16, 1}, {"nt", 17, 1}, {"sc1", 25, 1},
		{"addr", 32, 8}, {"data", 40, 8}, {"saddr", 48, 7}, {"acc", 55, 1}, {"vdst", 56, 8}}
	mubufFields = []field{{"offset", 0, 12}, {"offen", 12, 1}, {"idxen", 13, 1}, {"sc0", 14, 1},
		{"sc1", 15, 1}, {"lds", 16, 1}, {"nt", 17, 1}, {"vaddr", 32, 8}, {"vdata", 40, 8}, {"srsrc", 48, 5},
		{"acc", 55, 1}, {"soffset", 56, 8}}
	dsFields = []field{{"offset0", 0, 8}, {"offset1", 8, 8}, {"gds", 16, 1}, {"acc", 25, 1},
		{"addr", 32, 8}, {"data0", 40, 8}, {"data1", 48, 8}, {"vdst", 56, 8}}
	smemFields = []field{{"sbase", 0, 6}, {"sdata", 6, 7}, {"soffset_en", 14, 1}, {"nv", 15, 1},
		{"glc", 16, 1}, {"imm", 17, 1}, {"offset", 32, 21}, {"soffset", 57, 7}}
	vop1Op, vop2Op, vopcOp = field{"op", 9, 8}, field{"op", 25, 6}, field{"op", 17, 8}
	vop1Dst                = field{"vdst", 17, 8}
	vsrc1                  = field{"vsrc1", 9, 8}
	src0                   = field{"src0", 0, 9}
)

// gfx9 lists the encodings of GCN 5 and CDNA, the narrower before the wider: the first that matches a word is
// its encoding.
var gfx9 = []*encoding{
	{name: "SOP1", size: 4, mask: 0xff800000, match: 0xbe800000, op: field{"op", 8, 8}, literal: true,
		fields: []field{{"ssrc0", 0, 8}, {"sdst", 16, 7}}},
	{name: "SOPC", size: 4, mask: 0xff800000, match: 0xbf000000, op: field{"op", 16, 7}, literal: true,
		fields: []field{{"ssrc0", 0, 8}, {"ssrc1", 8, 8}}},
	{name: "SOPP", size: 4, mask: 0xff800000, match: 0xbf800000, op: field{"op", 16, 7},
		fields: []field{{"simm16", 0, 16}}},
	{name: "SOPK", size: 4, mask: 0xf0000000, match: 0xb0000000, op: field{"op", 23, 5}, literal: true,
		fields: []field{{"simm16", 0, 16}, {"sdst", 16, 7}}},
	{name: "SOP2", size: 4, mask: 0xc0000000, match: 0x80000000, op: field{"op", 23, 7}, literal: true,
		fields: []field{{"ssrc0", 0, 8}, {"ssrc1", 8, 8}, {"sdst", 16, 7}}},
	{name: "SMEM", size: 8, mask: 0xfc000000, match: 0xc0000000, op: field{"op", 18, 8}, fields: smemFields},
	{name: "VOP1_SDWA", size: 8, mask: 0xfe0001ff, match: 0x7e000000 | srcSDWA, op: vop1Op,
		fields: join([]field{vop1Dst}, sdwaFields)},
	{name: "VOP1_DPP", size: 8, mask: 0xfe0001ff, match: 0x7e000000 | srcDPP, op: vop1Op,
		fields: join([]field{vop1Dst}, dppFields)},
	{name: "VOP1", size: 4, mask: 0xfe000000, match: 0x7e000000, op: vop1Op, literal: true,
		fields: []field{src0, vop1Dst}},
	{name: "VOPC_SDWA", size: 8, mask: 0xfe0001ff, match: 0x7c000000 | srcSDWA, op: vopcOp,
		fields: join([]field{vsrc1}, sdwabFields)},
	{name: "VOPC", size: 4, mask: 0xfe000000, match: 0x7c000000, op: vopcOp, literal: true,
		fields: []field{src0, vsrc1}},
	{name: "VOP2_SDWA", size: 8, mask: 0x800001ff, match: srcSDWA, op: vop2Op,
		fields: join([]field{vsrc1, vop1Dst}, sdwaFields)},
	{name: "VOP2_DPP", size: 8, mask: 0x800001ff, match: srcDPP, op: vop2Op,
		fields: join([]field{vsrc1, vop1Dst}, dppFields)},
	{name: "VOP2", size: 4, mask: 0x80000000, op: vop2Op, literal: true,
		fields: []field{src0, vsrc1, vop1Dst}},
	{name: "MAI", size: 8, mask: 0xffc00000, match: 0xd3c00000, op: field{"op", 16, 7}, fields: maiFields},
	{name: "MAIX", size: 8, mask: 0xfffe0000, match: 0xd3be0000, op: field{"op", 16, 7}, fields: maiFields},
	{name: "VOP3P", size: 8, mask: 0xff800000, match: 0xd3800000, op: field{"op", 16, 7},
		fields: vop3pFields},
	{name: "VOP3", size: 8, mask: 0xfc000000, match: 0xd0000000, op: field{"op", 16, 10}, fields: vop3Fields},
	{name: "DS", size: 8, mask: 0xfc000000, match: 0xd8000000, op: field{"op", 17, 8}, fields: dsFields},
	{name: "FLAT", size: 8, mask: 0xfc00c000, match: 0xdc000000, op: field{"op", 18, 7}, fields: flatFields},
	{name: "SCRATCH", size: 8, mask: 0xfc00c000, match: 0xdc004000, op: field{"op", 18, 7},
		fields: flatFields},
	{name: "GLOBAL", size: 8, mask: 0xfc00c000, match: 0xdc008000, op: field{"op", 18, 7},
		fields: flatFields},
	{name: "MUBUF", size: 8, mask: 0xfc000000, match: 0xe0000000, op: field{"op", 18, 7},
		fields: mubufFields},
}

func join[T any](lists ...[]T) []T {
	var out []T
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}
