package rules

// Tests that change each rule's value and expect other code.
const (
	switches   = "nvidia.TestRuleSwitches" // of kernels
	passCases  = "gpu.TestRuleCases"       // of the cases of passes
	layoutTest = "lower.TestRuleLayouts"   // of conversions between random layouts
	goalTest   = "nvidia.TestGoalRules"    // of what an assembler returned
)

// Rules of the lowering.
var (
	WarpWords = add(Rule{
		Name: "warp-words", Area: areaExchange, Test: switches,
		Kind: AtMost, Value: 64, Off: never, Unit: "registers of a thread",
		Decides: "a conversion of layouts within warps lets only the warp meet",
		Reason: "Unless the whole block meets, the assembler moves later loads far ahead, and many of " +
			"them fill the registers.",
	})
	MaxShuffles = add(Rule{
		Name: "max-shuffles", Area: areaExchange, Test: switches,
		Kind: AtMost, Value: 32, Off: never, Unit: "shuffles of a thread",
		Decides: "a conversion within warps shuffles instead of using shared memory",
		Reason: "A shuffle moves one register of a warp; shared memory moves up to four at a time, but " +
			"takes a store, a meeting and a load.",
	})
	MaxChoices = add(Rule{
		Name: "max-choices", Area: areaExchange, Test: layoutTest,
		Kind: AtMost, Value: 8, Off: never, Unit: "shuffles of a thread",
		Decides: "lanes choose among registers that are sent to all",
		Reason:  "Each bit of the choice doubles the shuffles and adds a select.",
	})
	SpreadWavefronts = add(Rule{
		Name: "spread-wavefronts", Area: areaExchange, Test: switches,
		Kind: AtLeast, Value: 2, Off: always, Unit: "wavefronts of a word",
		Decides: "lanes store their registers to shared memory in different orders",
		Reason: "A wavefront occupies the shared memory of all warps for a cycle; the select that spares " +
			"one or more of them occupies one of four schedulers for two.",
	})
	RepeatedWords = add(Rule{
		Name: "repeated-words", Area: areaExchange, Test: layoutTest,
		Kind: AtMost, Value: 32, Off: never, Unit: "registers of a thread",
		Decides: "warps that hold the same elements all store them to shared memory",
		Reason:  "The condition would become a branch, across which the assembler moves nothing.",
	})
	RoundBytes = add(Rule{
		Name: "round-bytes", Area: areaExchange, Test: layoutTest,
		Kind: AtMost, Value: 2048, Off: never, Unit: "bytes for each warp",
		Decides: "a conversion takes twice the shared memory for half the rounds",
		Reason:  "Fewer rounds meet less often; so little shared memory costs no block per SM.",
	})
	GatherExchanges = add(Rule{
		Name: "gather-exchanges", Area: areaExchange, Test: layoutTest,
		Kind: AtMost, Value: 16, Off: NoOff, Unit: "shuffles beyond those of shared memory",
		Decides: "a gather within warps shuffles instead of using shared memory",
		Reason:  "Shared memory takes a barrier, which costs as much as about 16 shuffles.",
	})
	OftenRead = add(Rule{
		Name: "often-read", Area: areaExchange, Test: switches,
		Kind: AtLeast, Value: 64, Off: always, Unit: "partial results of a thread",
		Decides: "partial results of a reduction are combined in shared memory before threads read them",
		Reason: "A further barrier costs less than reading 64 partial results that other threads read " +
			"too.",
	})
	SplitPartials = add(Rule{
		Name: "split-partials", Area: areaExchange, Test: switches,
		Kind: Above, Value: 8, Off: always, Unit: "partial results",
		Decides: "four lanes share the partial results of a reduction, each reads a quarter",
		Reason:  "Two shuffles cost less than eight reads of shared memory one after the other.",
	})
	DearCombination = add(Rule{
		Name: "dear-combination", Area: areaExchange, Test: switches,
		Kind: Above, Value: 6, Off: always, Unit: "operations",
		Decides: "lanes halve the number of partial results by shuffles instead of combining them in " +
			"turn",
		Reason: "The combination of argmax or Welford's variance is a chain of dependent instructions.",
	})
	ReduceChains = add(Rule{
		Name: "reduce-chains", Area: areaExchange, Test: switches,
		Kind: AtLeast, Value: 16, Off: always, Unit: "elements of a thread",
		Decides: "a thread reduces its elements in four chains",
		Reason: "In one chain each element waits for the latency of the one before; four chains hide " +
			"most of that latency.",
	})
	ShortRun = add(Rule{
		Name: "short-run", Area: areaExchange, Test: switches,
		Kind: AtLeast, Value: 4, Off: always, Unit: "elements",
		Decides: "a run of indices is compared with a scalar by one difference",
		Reason: "One subtraction and a comparison with constants replace a comparison of registers for " +
			"each.",
	})
	LargestTwice = add(Rule{
		Name: "largest-twice", Area: areaBranches, Test: switches,
		Kind: AtMost, Value: 200, Off: never, Unit: "operations",
		Decides: "a loop whose barriers depend on the arguments is emitted twice, once without them",
		Reason: "A skipped barrier still keeps the assembler from unrolling; twice a larger loop is much " +
			"code.",
	})
	ComputedWords = add(Rule{
		Name: "computed-words", Area: areaHost, Test: switches,
		Kind: Cap, Value: 32, Off: 1, Unit: "words",
		Decides: "how many numbers the host computes for a launch",
		Reason: "Each number costs a launch some time on the host, and parameters are few on the " +
			"quickest way to launch.",
	})
)
