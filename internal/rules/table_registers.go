package rules

// Rules of assembling: how many blocks an SM should run at once, and what that may cost.
var (
	LeftoverRegisters = add(Rule{
		Name: "leftover-registers", Area: areaRegisters, Test: goalTest,
		Kind: Above, Value: 64, Off: always, Unit: "registers of a thread",
		Decides: "a kernel that leaves registers unused is assembled again for the same occupancy",
		Reason: "The assembler may save registers by loading less at once without gaining a block per " +
			"SM.",
	})
	FewRegisters = add(Rule{
		Name: "few-registers", Area: areaRegisters, Test: goalTest,
		Kind: AtMost, Value: 56, Off: never, Unit: "registers of a thread",
		Decides: "a kernel of one product without a loop may lose as many registers as one with few " +
			"threads",
		Reason: "Its accumulators are small, and it loads once and multiplies once: it mostly waits.",
	})
	SpareFew = add(Rule{
		Name: "spare-few", Area: areaRegisters, Test: goalTest,
		Kind: Share, Value: 3, Off: always, Unit: "parts of the registers",
		Decides: "a kernel with few threads on an SM gives up registers for a further block per SM",
		Reason:  "Below half of an SM's threads the next block hides more latency than spills cost.",
	})
	SpareLoop = add(Rule{
		Name: "spare-loop", Area: areaRegisters, Test: goalTest,
		Kind: Share, Value: 5, Off: always, Unit: "parts of the registers",
		Decides: "a kernel with a loop gives up registers for a further block per SM: one without " +
			"products, or with products of single warps while less than three quarters of an SM's threads run",
		Reason: "A loop waits for its loads; further warps run meanwhile. Batched products in tiles of " +
			"32x32 are 1.16 and 1.19 times as fast with 12 blocks per SM as with 10.",
	})
	SpareProducts = add(Rule{
		Name: "spare-products", Area: areaRegisters, Test: goalTest,
		Kind: Share, Value: 10, Off: always, Unit: "parts of the registers",
		Decides: "another kernel with products and many threads gives up registers for a further block per " +
			"SM",
		Reason: "Accumulators cannot be spilled cheaply, so little else may be given up.",
	})
	FewPrograms = add(Rule{
		Name: "few-programs", Area: areaRegisters, Test: goalTest,
		Kind: AtMost, Value: 2, Off: never, Unit: "blocks per SM",
		Decides: "a further block per SM may cost spills",
		Reason: "One more of two is half as many warps again to hide latency; one more of five, for " +
			"spills, made loops up to a tenth slower.",
	})
	FewBytes = add(Rule{
		Name: "few-bytes", Area: areaRegisters, Test: goalTest,
		Kind: Number, Value: 48, Off: NoOff, Unit: "bytes of a thread's stack",
		Decides: "how much may be spilled for a further block per SM",
		Reason:  "A dozen spilled values cost little where a further block per SM hides latency.",
	})
	SomePrograms = add(Rule{
		Name: "some-programs", Area: areaRegisters, Test: goalTest,
		Kind: AtMost, Value: 4, Off: never, Unit: "blocks per SM",
		Decides: "a further block per SM may cost one or two spilled values",
		Reason:  "One more of four is a quarter more warps: worth two values, not a dozen.",
	})
	SomeBytes = add(Rule{
		Name: "some-bytes", Area: areaRegisters, Test: goalTest,
		Kind: Number, Value: 16, Off: NoOff, Unit: "bytes of a thread's stack",
		Decides: "how much may be spilled for a fourth or fifth block per SM",
		Reason: "48 bytes made a kernel that reads and writes columns 1.4 times slower; 8 bytes gain 3% in " +
			"the backward pass of attention. A product of experts is 1.65 times as fast with a fifth " +
			"block, for 8 or 16 bytes that its epilogue spills.",
	})
	GroupBytes = add(Rule{
		Name: "group-bytes", Area: areaRegisters, Test: goalTest,
		Kind: Cap, Value: 8, Off: 1, Unit: "bytes of a thread's stack",
		Decides: "how much a kernel with wgmma may spill for a second or third block per SM",
		Reason: "The assembler serializes wgmma where it spills around products; attention that spilled 24 to " +
			"32 bytes lost up to 6%, a product of fp8 with scales a third of its speed by 16.",
	})
	FewWarps = add(Rule{
		Name: "few-warps", Area: areaRegisters, Test: goalTest,
		Kind: Number, Value: 4, Off: NoOff, Unit: "warps of a block",
		Decides: "blocks with fewer warps may spill less",
		Reason:  "A further block of one warp hides a quarter of what one of four warps does.",
	})
	ShortPTX = add(Rule{
		Name: "short-ptx", Area: areaAssembler, Test: goalTest,
		Kind: AtMost, Value: 64 << 10, Off: never, Unit: "bytes of PTX",
		Decides: "a kernel is assembled for up to three goals, not for one",
		Reason:  "Assembling takes time in proportion to the text; a launch waits for it.",
	})
	HugePTX = add(Rule{
		Name: "huge-ptx", Area: areaAssembler, Test: goalTest,
		Kind: Above, Value: 600_000, Off: always, Unit: "bytes of PTX",
		Decides: "a kernel is assembled once, with few optimizations",
		Reason:  "The assembler takes minutes for such a text, about 14,000 instructions.",
	})
	LoopPrograms = add(Rule{
		Name: "loop-programs", Area: areaRegisters, Test: goalTest,
		Kind: Above, Value: 3, Off: never, Unit: "blocks per SM",
		Decides: "a kernel with a loop keeps the registers of its goal",
		Reason: "From four blocks per SM on, the loads in flight of each are worth as much as a fifth " +
			"block.",
	})
	BusyThreads = add(Rule{
		Name: "busy-threads", Area: areaRegisters, Test: goalTest,
		Kind: AtLeast, Value: 75, Off: never, Unit: "percent of an SM's threads",
		Decides: "a kernel has enough warps and asks for no further block per SM",
		Reason: "At three quarters of the occupancy the schedulers nearly always find a warp that is " +
			"ready.",
	})
	WaitingRegisters = add(Rule{
		Name: "waiting-registers", Area: areaRegisters, Test: goalTest,
		Kind: Share, Value: 3, Off: always, Unit: "parts of the registers",
		Decides: "a loop with barriers takes the assembler's own choice for a further block per SM",
		Reason: "Threads that meet wait for all loads of an iteration; only another block runs " +
			"meanwhile.",
	})
	MostPrograms = add(Rule{
		Name: "most-programs", Area: areaRegisters, Test: goalTest,
		Kind: AtMost, Value: 8, Off: never, Unit: "blocks per SM",
		Decides: "a kernel is assembled for one more block per SM",
		Reason:  "One more than eight is less than an eighth more warps.",
	})
	LoopWarps = add(Rule{
		Name: "loop-warps", Area: areaRegisters, Test: goalTest,
		Kind: AtLeast, Value: 16, Off: always, Unit: "warps of a block",
		Decides: "a kernel with a loop is assembled for one more block per SM",
		Reason: "Blocks of 16 warps wait at the barriers of their reductions, which a second block " +
			"fills.",
	})
	LoopRegisters = add(Rule{
		Name: "loop-registers", Area: areaRegisters, Test: goalTest,
		Kind: Share, Value: 3, Off: always, Unit: "parts of the registers",
		Decides: "what one more block per SM may cost a kernel with a loop",
		Reason:  "With a third less, the loads in flight of an iteration still fit.",
	})
	DeepStack = add(Rule{
		Name: "deep-stack", Area: areaAssembler, Test: goalTest,
		Kind: AtLeast, Value: 256, Off: always, Unit: "bytes of a thread's stack",
		Decides: "a kernel that spills with registers free is assembled again",
		Reason:  "More than 64 values are no incidental spill: the assembler has given up.",
	})
	KeptStack = add(Rule{
		Name: "kept-stack", Area: areaAssembler, Test: goalTest,
		Kind: AtMost, Value: 75, Off: never, Unit: "percent of the stack",
		Decides: "code for one block per SM replaces code that spills",
		Reason:  "Giving up occupancy must save a quarter of the spills at least.",
	})
	PlainStack = add(Rule{
		Name: "plain-stack", Area: areaAssembler, Test: goalTest,
		Kind: Share, Value: 2, Off: always, Unit: "parts of the stack",
		Decides: "code with few optimizations replaces code that spills",
		Reason:  "It schedules loads less well, so it must halve the spills.",
	})
	PressureStack = add(Rule{
		Name: "pressure-stack", Area: areaAssembler, Test: goalTest,
		Kind: Share, Value: 2, Off: always, Unit: "parts of the stack",
		Decides: "few optimizations are tried",
		Reason: "In the order of the text, the values beyond the registers must fill at most half of the " +
			"stack.",
	})
)
