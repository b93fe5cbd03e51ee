package wordstest

// done are the packages whose comments and texts follow the standard. The list
// grows until it has all packages.
var done = []string{
	"internal/reload",
	"internal/author/checker",
	"internal/author/keydocs",
	"internal/author/lsp",
	"internal/author/lsp/rpc",
	"internal/author/lsp/sketch",
	"internal/author/policykeys",
	"internal/author/queuedefs",
	"internal/author/schemas",
	"internal/author/strictyaml",
	"internal/jsonschemas",
	"pipelines",
	"workqueue",
	"workqueue/matching",
	"workqueue/scoring",
	"workqueue/plan",
	"workqueue/storetest/reference",
	"pipelines/graph",
	"pipelines/pipelinetest",
	"pipelines/shipped",
	"workqueue/assign",
	"workqueue/runner",
	"workqueue/learned",
}

// exception allows one pattern in one file.
type exception struct {
	file, pattern, reason string
}

// exceptions are uses that are correct.
var exceptions = []exception{
	{"workqueue/run.go", "Tell", "the name of the method Run.Tell"},
}
