package gcn

// Encodings of RDNA 3. Formats that did not change since GCN are those of gfx9.

var (
	smem11Fields = []field{{"sbase", 0, 6}, {"sdata", 6, 7}, {"dlc", 13, 1}, {"glc", 14, 1},
		{"offset", 32, 21}, {"soffset", 57, 7}}
	flat11Fields = []field{{"offset", 0, 13}, {"dlc", 13, 1}, {"sc0", 14, 1}, {"slc", 15, 1}, {"addr", 32, 8},
		{"data", 40, 8}, {"saddr", 48, 7}, {"sve", 55, 1}, {"vdst", 56, 8}}
	mubuf11Fields = []field{{"offset", 0, 12}, {"slc", 12, 1}, {"dlc", 13, 1}, {"sc0", 14, 1},
		{"vaddr", 32, 8}, {"vdata", 40, 8}, {"srsrc", 48, 5}, {"offen", 54, 1}, {"idxen", 55, 1},
		{"soffset", 56, 8}}
	ds11Fields = []field{{"offset0", 0, 8}, {"offset1", 8, 8}, {"gds", 17, 1}, {"addr", 32, 8},
		{"data0", 40, 8}, {"data1", 48, 8}, {"vdst", 56, 8}}
	dpp11Fields = join([]field{{"fi", 50, 1}}, dppFields)
	// longDPP is the third word of a long instruction, as if it were the second. The first has the modifiers.
	longDPP = &encoding{fields: []field{{"src0", 32, 8}, {"dpp_ctrl", 40, 9}, {"fi", 50, 1},
		{"bound_ctrl", 51, 1}, {"bank_mask", 56, 4}, {"row_mask", 60, 4}}}
	vopdFields = []field{{"srcx0", 0, 9}, {"vsrcx1", 9, 8}, {"opy", 17, 5}, {"srcy0", 32, 9},
		{"vsrcy1", 41, 8}, {"vdsty", 49, 7}, {"vdstx", 56, 8}}
)

// gfx11 lists the encodings of RDNA 3, the narrower before the wider.
var gfx11 = join(gfx9[:scalarEncodings], []*encoding{
	{name: "SMEM11", size: 8, mask: 0xfc000000, match: 0xf4000000, op: field{"op", 18, 8},
		fields: smem11Fields},
	{name: "VOP1_DPP", size: 8, mask: 0xfe0001ff, match: 0x7e000000 | srcDPP, op: vop1Op,
		fields: join([]field{vop1Dst}, dpp11Fields)},
	{name: "VOP1", size: 4, mask: 0xfe000000, match: 0x7e000000, op: vop1Op, literal: true,
		fields: []field{src0, vop1Dst}},
	{name: "VOPC_DPP", size: 8, mask: 0xfe0001ff, match: 0x7c000000 | srcDPP, op: vopcOp,
		fields: join([]field{vsrc1}, dpp11Fields)},
	{name: "VOPC", size: 4, mask: 0xfe000000, match: 0x7c000000, op: vopcOp, literal: true,
		fields: []field{src0, vsrc1}},
	{name: "VOP2_DPP", size: 8, mask: 0x800001ff, match: srcDPP, op: vop2Op,
		fields: join([]field{vsrc1, vop1Dst}, dpp11Fields)},
	{name: "VOP2", size: 4, mask: 0x80000000, op: vop2Op, literal: true,
		fields: []field{src0, vsrc1, vop1Dst}},
	{name: "VOP3P", size: 8, mask: 0xff800000, match: 0xcc000000, op: field{"op", 16, 7}, literal: true,
		fields: vop3pFields},
	{name: "VOP3", size: 8, mask: 0xfc000000, match: 0xd4000000, op: field{"op", 16, 10}, literal: true,
		fields: vop3Fields},
	{name: "VOPD", size: 8, mask: 0xfc000000, match: 0xc8000000, op: field{"op", 22, 4}, literal: true,
		fields: vopdFields},
	{name: "DS", size: 8, mask: 0xfc000000, match: 0xd8000000, op: field{"op", 18, 8}, fields: ds11Fields},
	{name: "FLAT", size: 8, mask: 0xfc030000, match: 0xdc000000, op: field{"op", 18, 7},
		fields: flat11Fields},
	{name: "SCRATCH", size: 8, mask: 0xfc030000, match: 0xdc010000, op: field{"op", 18, 7},
		fields: flat11Fields},
	{name: "GLOBAL", size: 8, mask: 0xfc030000, match: 0xdc020000, op: field{"op", 18, 7},
		fields: flat11Fields},
	{name: "MUBUF", size: 8, mask: 0xfc000000, match: 0xe0000000, op: field{"op", 18, 8},
		fields: mubuf11Fields},
})

// scalarEncodings is the number of encodings at the head of gfx9 that RDNA 3 has unchanged.
const scalarEncodings = 5
