package rules

// Areas of the table.
const (
	areaProducts  = "tensor cores"
	areaPipeline  = "pipelines"
	areaPingPong  = "ping-pong"
	areaPersist   = "persistent kernels"
	areaTMA       = "tile loads and stores by TMA"
	areaEarly     = "early loads"
	areaMerge     = "merged programs"
	areaBranches  = "branches"
	areaMemory    = "caches"
	areaExchange  = "exchanges between threads"
	areaHost      = "numbers computed by the host"
	areaRegisters = "register goals"
	areaAssembler = "assembling again"
)

// Rules of passes: loops of products.
var (
	EarlyAccumulators = add(Rule{
		Name: "early-accumulators", Area: areaProducts, Test: passCases,
		Kind: AtMost, Value: 160, Off: never, Unit: "registers of a thread",
		Decides: "a product that does not depend on the one before begins together with it",
		Reason: "Two products in flight hold the accumulators of both. Beside 160 registers a thread has " +
			"95 for addresses, operands and arithmetic; with more accumulators the assembler spills.",
	})
	EarlyReads = add(Rule{
		Name: "early-reads", Area: areaProducts, Test: switches,
		Kind: AtMost, Value: 16, Off: never, Unit: "registers of a thread",
		Decides: "a vector is read from shared memory before the products in flight, not behind them",
		Reason: "The latency of shared memory is hidden by the product. A larger vector would hold " +
			"registers that the accumulators need.",
	})
	StepsInFlight = add(Rule{
		Name: "steps-in-flight", Area: areaProducts, Test: switches,
		Kind: Cap, Value: 2, Off: 1, Unit: "steps along k",
		Decides: "how many steps of a product run while the registers of the next step are computed",
		Reason: "Two steps keep the tensor cores busy while a third one's operand is converted; each " +
			"further step holds its operand's registers.",
	})
	StepColumns = add(Rule{
		Name: "step-columns", Area: areaProducts, Test: switches,
		Kind: AtLeast, Value: 64, Off: always, Unit: "columns of an instruction",
		Decides: "the steps of a product with a computed left operand are waited for one by one",
		Reason: "An instruction of n columns takes n/2 cycles. Below 32 cycles the wait between two " +
			"steps costs more than it hides.",
	})
	NarrowColumns = add(Rule{
		Name: "narrow-columns", Area: areaProducts, Test: passCases,
		Kind: Below, Value: 64, Off: never, Unit: "columns of an instruction",
		Decides: "a left operand that a loop does not change is kept in registers",
		Reason: "An instruction of n columns takes n/2 cycles and reads shared memory for 16+n/4, or n/4 " +
			"with its rows in registers: below 64 columns the tensor cores wait for shared memory.",
	})
	BesideProducts = add(Rule{
		Name: "beside-products", Area: areaProducts, Test: passCases,
		Kind: Number, Value: 38, Off: NoOff, Unit: "registers of a thread",
		Decides: "how many registers are left for operands held during a loop",
		Reason:  "Addresses, counters and arithmetic of a loop of products take about as many.",
	})
	HeldWords = add(Rule{
		Name: "held-words", Area: areaProducts, Test: passCases,
		Kind: AtLeast, Value: 132, Off: always, Unit: "registers of a thread",
		Decides: "a kernel may hold left operands in registers",
		Reason: "From 65536/(3*128) - 38 registers of products on, an SM has room for two warp groups " +
			"alone: threads may use all registers without losing a block per SM.",
	})
	BriefLoop = add(Rule{
		Name: "brief-loop", Area: areaProducts, Test: switches,
		Kind: AtMost, Value: 16, Off: always, Unit: "iterations",
		Decides: "a loop holds all of its left operands in registers or none",
		Reason:  "A short loop gains less by one operand than loading it early costs.",
	})
	OperandBuffer = add(Rule{
		Name: "operand-buffer", Area: areaProducts, Test: passCases,
		Kind: AtLeast, Value: 64, Off: always, Unit: "registers of a thread",
		Decides: "a loaded operand of mma.sync goes through shared memory although its warp holds it",
		Reason: "Behind a buffer the product reads the operand piece by piece; in registers, all of it " +
			"is alive at once and the assembler spills.",
	})
)

// Rules of passes: software pipelines.
var (
	DeepenPrograms = add(Rule{
		Name: "deepen-programs", Area: areaPipeline, Test: switches,
		Kind: AtMost, Value: 2, Off: 0, Unit: "blocks per SM",
		Decides: "pipelines of a launch fill the shared memory that its blocks leave",
		Reason: "With more than two blocks per SM, others multiply while one waits for memory: further " +
			"stages hide nothing.",
	})
	DeepestStages = add(Rule{
		Name: "deepest-stages", Area: areaPipeline, Test: switches,
		Kind: Cap, Value: 8, Off: 1, Unit: "stages",
		Decides: "the depth of a pipeline of wgmma that fills the shared memory",
		Reason: "The latency of memory spans several iterations of a small product; beyond seven " +
			"iterations ahead an H200 gained nothing.",
	})
	DeepestWarpStages = add(Rule{
		Name: "deepest-warp-stages", Area: areaPipeline, Test: switches,
		Kind: Cap, Value: 3, Off: 1, Unit: "stages",
		Decides: "the depth of a pipeline of mma.sync that fills the shared memory",
		Reason: "Recurrences ask for two stages and wait for each iteration's loads. A third one hides " +
			"them; more take shared memory whose other uses are not known at this point.",
	})
	LoadsAtOnce = add(Rule{
		Name: "loads-at-once", Area: areaPipeline, Test: switches,
		Kind: AtMost, Value: 4, Off: never, Unit: "iterations",
		Decides: "a loop of products begins the loads of all iterations before the first",
		Reason: "A loop of up to four iterations waits for memory as often as it runs and does little " +
			"else.",
	})
	AtOnceRegisters = add(Rule{
		Name: "at-once-registers", Area: areaPipeline, Test: switches,
		Kind: Number, Value: 96, Off: NoOff, Unit: "registers of a thread",
		Decides: "how much shared memory the loads of all iterations may take",
		Reason: "An SM has about as many bytes of shared memory as of registers: with as many bytes of " +
			"one as of the other, occupancy does not change. Operands and addresses take about 96 " +
			"registers.",
	})
	FetchWarps = add(Rule{
		Name: "fetch-warps", Area: areaPipeline, Test: passCases,
		Kind: AtMost, Value: 16, Off: never, Unit: "warps per SM",
		Decides: "loops prefetch the memory of their next iteration to L2",
		Reason: "With more than four warps on each of an SM's four schedulers, others run while one " +
			"waits.",
	})
	FetchBytes = add(Rule{
		Name: "fetch-bytes", Area: areaPipeline, Test: switches,
		Kind: AtMost, Value: 64 << 10, Off: never, Unit: "bytes of an iteration",
		Decides: "a loop may prefetch",
		Reason:  "An iteration that loads more keeps the SM's path to L2 busy without prefetches.",
	})
	FetchAccesses = add(Rule{
		Name: "fetch-accesses", Area: areaPipeline, Test: switches,
		Kind: AtMost, Value: 64, Off: never, Unit: "loads of a thread in an iteration",
		Decides: "a loop may prefetch",
		Reason: "With 128 loads of single elements a thread has more under way than registers for their " +
			"values; the addresses of as many prefetches only displace others.",
	})
	UnrolledInstructions = add(Rule{
		Name: "unrolled-instructions", Area: areaPipeline, Test: switches,
		Kind: AtMost, Value: 36, Off: never, Unit: "instructions",
		Decides: "a loop does not prefetch, because the assembler unrolls it",
		Reason: "The assembler unrolls short loops and begins with the loads of four iterations; " +
			"prefetches would make the loop too long for that.",
	})
	LoadInstructions = add(Rule{
		Name: "load-instructions", Area: areaPipeline, Test: switches,
		Kind: Number, Value: 4, Off: NoOff, Unit: "instructions",
		Decides: "the estimated length of a loop",
		Reason: "A load of up to 16 bytes takes two instructions for its address, one for its mask, and " +
			"itself.",
	})
)

// Rules of passes: warp groups and persistent kernels.
var (
	PingPongAccumulators = add(Rule{
		Name: "ping-pong-accumulators", Area: areaPingPong, Test: switches,
		Kind: Above, Value: 80, Off: always, Unit: "registers of a thread",
		Decides: "two warp groups alternate on the tensor cores (ping-pong)",
		Reason: "With more accumulators an SM has room for one block of two groups. With fewer, the " +
			"groups of several blocks overlap by chance, and waiting for turns costs.",
	})
	SpecializeAccumulators = add(Rule{
		Name: "specialize-accumulators", Area: areaPingPong, Test: switches,
		Kind: Above, Value: 192, Off: always, Unit: "registers of a thread",
		Decides: "a loop that asks for warp specialization gets a second warp group",
		Reason: "Beside 192 accumulators 63 registers are left, too few for addresses and operands of a " +
			"loop.",
	})
	PersistTrips = add(Rule{
		Name: "persist-trips", Area: areaPersist, Test: switches,
		Kind: Number, Value: 16, Off: NoOff, Unit: "iterations",
		Decides: "launches whose loops have at most as many iterations run a persistent kernel",
		Reason: "Start and end of a block are 18% of the time of attention with 8 iterations and 2% with " +
			"128; the cursor of a persistent kernel costs some cycles in each iteration.",
	})
	PersistAccumulators = add(Rule{
		Name: "persist-accumulators", Area: areaPersist, Test: switches,
		Kind: AtLeast, Value: 1 << 15, Off: always, Unit: "elements of a block's result",
		Decides: "a loop of plain products becomes a persistent kernel",
		Reason: "Accumulators of 32768 elements fill half of an SM's 65536 registers: one block per SM, " +
			"so nothing else runs while a block starts and stores.",
	})
	AheadCycles = add(Rule{
		Name: "ahead-cycles", Area: areaPersist, Test: switches,
		Kind: Number, Value: 2048, Off: NoOff, Unit: "cycles",
		Decides: "how many stages the loop of a persistent kernel has at most",
		Reason: "What is copied 2048 cycles ahead is there. Copies run on into the next tile, so more " +
			"stages only take shared memory.",
	})
	SectionShare = add(Rule{
		Name: "section-share", Area: areaPersist, Test: switches,
		Kind: Number, Value: 4, Off: NoOff, Unit: "parts",
		Decides: "how many heads a persistent causal attention works on at a time",
		Reason:  "Keys and values of a quarter as many heads as there are SMs fit the L2 cache.",
	})
)

// Rules of passes: TMA.
var (
	TileAccumulators = add(Rule{
		Name: "tile-accumulators", Area: areaTMA, Test: switches,
		Kind: AtLeast, Value: 128, Off: always, Unit: "registers of a thread",
		Decides: "loads by pointers of a loop of plain products become TMA loads",
		Reason: "With smaller results several blocks share an SM and hide what threads need for copies, " +
			"and a block is over before a tensor map is fetched.",
	})
	PersistentTileAccumulators = add(Rule{
		Name: "persistent-tile-accumulators", Area: areaTMA, Test: switches,
		Kind: AtLeast, Value: 64, Off: always, Unit: "registers of a thread",
		Decides: "loads by pointers of a loop of products in a loop over tiles become TMA loads",
		Reason: "A persistent block has an SM for itself and fetches the tensor maps once, so that smaller " +
			"results gain as well.",
	})
	TileBytes = add(Rule{
		Name: "tile-bytes", Area: areaTMA, Test: switches,
		Kind: AtLeast, Value: 4 << 10, Off: always, Unit: "bytes of a tile",
		Decides: "a tile is loaded by TMA",
		Reason: "A TMA copy costs a barrier and the latency of its descriptor; small copies by threads " +
			"(cp.async) are as fast.",
	})
	TileSide = add(Rule{
		Name: "tile-side", Area: areaTMA, Test: switches,
		Kind: AtLeast, Value: 32, Off: always, Unit: "elements of the shorter side",
		Decides: "a tile is loaded by TMA",
		Reason: "Rows of a box that are shorter than 64 bytes use a part of each request of the copy " +
			"engine.",
	})
	StoreStages = add(Rule{
		Name: "store-stages", Area: areaTMA, Test: switches,
		Kind: AtLeast, Value: 3, Off: always, Unit: "stages",
		Decides: "a result is stored by TMA",
		Reason:  "The buffer of the stored tile must leave room for a pipeline that hides the loads.",
	})
)

// Rules of passes: loads, branches, caches.
var (
	EarlyWords = add(Rule{
		Name: "early-words", Area: areaEarly, Test: switches,
		Kind: AtMost, Value: 96, Off: never, Unit: "registers of a thread",
		Decides: "a load moves above a product or a reduction",
		Reason: "Beside 96 registers of floats, addresses, masks and operands still fit 128 registers: " +
			"two blocks of eight warps per SM.",
	})
	EarlySmallWords = add(Rule{
		Name: "early-small-words", Area: areaEarly, Test: switches,
		Kind: AtMost, Value: 8, Off: never, Unit: "registers of a thread",
		Decides: "a load moves above a reduction however few registers are held there",
		Reason:  "Eight registers seldom cost a block per SM.",
	})
	EarlyMediumWords = add(Rule{
		Name: "early-medium-words", Area: areaEarly, Test: switches,
		Kind: AtMost, Value: 16, Off: never, Unit: "registers of a thread",
		Decides: "a load may move above a reduction",
		Reason: "Norms hold few registers and wait for memory more than for reductions: a larger load " +
			"above the reduction costs them occupancy.",
	})
	BranchElements = add(Rule{
		Name: "branch-elements", Area: areaBranches, Test: switches,
		Kind: AtLeast, Value: 16, Off: always, Unit: "elements of a thread",
		Decides: "a branch skips selects, and scaling moves behind a maximum",
		Reason: "A uniform branch costs a few instructions whatever it skips; selects cost one for each " +
			"element.",
	})
	ShortBranch = add(Rule{
		Name: "short-branch", Area: areaBranches, Test: switches,
		Kind: AtMost, Value: 4, Off: never, Unit: "operations",
		Decides: "both sides of a branch are computed and the result selected",
		Reason:  "Loads do not move across a branch; four operations cost less than waiting for them.",
	})
	StreamShare = add(Rule{
		Name: "stream-share", Area: areaMemory, Test: switches,
		Kind: Share, Value: 16, Off: always, Unit: "parts",
		Decides: "loads that a launch reads once are marked evict-first",
		Reason: "Where a kernel writes nearly as much as it reads, what it writes evicts the cache " +
			"anyway.",
	})
	LoopWeight = add(Rule{
		Name: "loop-weight", Area: areaMemory, Test: switches,
		Kind: Number, Value: 8, Off: NoOff, Unit: "iterations",
		Decides: "the estimated traffic of a loop whose length is not known",
		Reason: "Loops over the rows of libraries' norms and softmaxes run a few times to a few dozen " +
			"times.",
	})
)

// Rules of merged programs.
var (
	MergedBytes = add(Rule{
		Name: "merged-bytes", Area: areaMerge, Test: switches,
		Kind: Below, Value: 48, Off: never, Unit: "bytes of a thread",
		Decides: "one more doubling of the programs that become one",
		Reason: "An H200 starts about 1.6 blocks in a nanosecond: four warps that move 48 bytes in each " +
			"thread keep memory busy meanwhile.",
	})
	SmallProgram = add(Rule{
		Name: "small-program", Area: areaMerge, Test: switches,
		Kind: AtMost, Value: 4096, Off: never, Unit: "bytes of a program",
		Decides: "programs may be merged",
		Reason: "While an H200 starts 1.6 blocks its memory moves 3.5 KB: larger programs do not wait " +
			"for starts.",
	})
	MostMerged = add(Rule{
		Name: "most-merged", Area: areaMerge, Test: switches,
		Kind: Below, Value: 8, Off: never, Unit: "programs",
		Decides: "one more doubling of the programs that become one",
		Reason:  "With eight as one, starts are an eighth of what they were; more only takes registers.",
	})
	MergedOps = add(Rule{
		Name: "merged-ops", Area: areaMerge, Test: switches,
		Kind: AtMost, Value: 4096, Off: never, Unit: "operations of a thread",
		Decides: "one more doubling of the programs that become one",
		Reason: "Bounds the code, which is repeated for each merged program and must fit the instruction " +
			"cache.",
	})
	MergedCases = add(Rule{
		Name: "merged-cases", Area: areaMerge, Test: switches,
		Kind: AtMost, Value: 8, Off: never, Unit: "elements of a thread",
		Decides: "one more doubling of programs with functions that branch, such as tanh",
		Reason:  "With more elements in a thread a launch waits for the functions, not for memory.",
	})
	MergedDivisions = add(Rule{
		Name: "merged-divisions", Area: areaMerge, Test: switches,
		Kind: AtMost, Value: 512, Off: never, Unit: "instructions of a program",
		Decides: "programs may be merged",
		Reason:  "The SMs issue as many instructions while a block starts: more of them hide the starts.",
	})
	MergedElements = add(Rule{
		Name: "merged-elements", Area: areaMerge, Test: switches,
		Kind: AtMost, Value: 16, Off: never, Unit: "elements for each warp",
		Decides: "merged programs have half as many warps",
		Reason:  "Where no tensor has an element for each two threads, the other lanes repeat work.",
	})
	BusyPrograms = add(Rule{
		Name: "busy-programs", Area: areaMerge, Test: switches,
		Kind: Number, Value: 8, Off: NoOff, Unit: "programs for each SM",
		Decides: "launches with at least as many merged programs run them",
		Reason:  "Fewer do not keep the SMs busy, and a small grid starts quickly anyway.",
	})
	MergedUnit = add(Rule{
		Name: "merged-unit", Area: areaMerge, Test: switches,
		Kind: Cap, Value: 4, Off: 1, Unit: "programs",
		Decides: "how many programs of kernels with strides become one, where the strides are 1",
		Reason:  "Addresses of four programs take the registers of one block per SM; eight take more.",
	})
	MergedStrided = add(Rule{
		Name: "merged-strided", Area: areaMerge, Test: switches,
		Kind: Cap, Value: 2, Off: 1, Unit: "programs",
		Decides: "how many programs of kernels with strides become one, where the strides are not known",
		Reason:  "Each element has an address of its own there, in two registers.",
	})
)
