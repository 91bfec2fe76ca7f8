package view

// Model is everything that a page shows.
type Model struct {
	Title   string    `json:"title"` // "softmax.py:softmax_kernel"
	Files   []File    `json:"files"` // sources that lines come from; the kernel's is the first
	Targets []*Target `json:"targets"`
	Run     *Run      `json:"run,omitempty"`
	Values  *Values   `json:"values,omitempty"`
	Cost    *Cost     `json:"cost,omitempty"`
	Scopes  *Scopes   `json:"scopes,omitempty"`
	Beside  *Model    `json:"beside,omitempty"` // what the page compares it with
	Label   string    `json:"label,omitempty"`  // of Beside: what it is that the page's own kernel is not
	Own     string    `json:"own,omitempty"`    // of Beside: what the page's own kernel is instead
	Choices *Choices  `json:"choices,omitempty"`
	Live    bool      `json:"live"`            // a server compiles what the reader edits
	Token   string    `json:"token,omitempty"` // of requests to the server
	Took    float64   `json:"took,omitempty"`  // milliseconds that all stages took
	Errors  []string  `json:"errors,omitempty"`
}

// Choices are what a reader can have compared with the kernel.
type Choices struct {
	Kernels  []string `json:"kernels"` // of the file
	Releases []string `json:"releases"`
}

// Choice is what a reader wants compared with the kernel; what is empty is as in the kernel's own.
type Choice struct {
	Kernel string // of the same file
	Config string // "BLOCK=64 num_warps=8"
	Triton string // release
}

// File is a source file.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Target is a compilation for one target.
type Target struct {
	Name    string   `json:"name"` // "cuda:90"
	Stages  []Stage  `json:"stages"`
	Passes  []Pass   `json:"passes"`
	Layouts []Layout `json:"layouts,omitempty"`
	Memory  Memory   `json:"memory"`
	Figures []Figure `json:"figures,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// Stage is the text of a stage and where its lines come from.
type Stage struct {
	Name  string   `json:"name"` // "ttgir"
	Label string   `json:"label"`
	Took  float64  `json:"took"` // milliseconds
	Lines []string `json:"lines"`
	// Links has, for each line, pairs of an index into Model.Files and a line of that file.
	Links [][]int `json:"links"`
}

// Place is a line of a source file.
type Place struct {
	File string
	Line int
}

// Pass is a pass and what it changed.
type Pass struct {
	Name  string  `json:"name"`
	Stage string  `json:"stage"` // the stage whose pipeline it belongs to
	Took  float64 `json:"took"`  // milliseconds
	// Edits turn the text before the pass into the text after it.
	Edits []Edit `json:"edits,omitempty"`
	First bool   `json:"first,omitempty"` // Edits start from nothing: it is the input of all passes
}

// Edit keeps some lines, then removes some, then adds some.
type Edit struct {
	Keep   int      `json:"k,omitempty"`
	Remove int      `json:"r,omitempty"`
	Add    []string `json:"a,omitempty"`
}
