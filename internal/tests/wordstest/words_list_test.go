package wordstest

// done are the packages whose comments and texts follow the standard. The list
// grows until it has all packages.
var done = []string{
	"cmd",
	"cmd/assign",
	"cmd/botwork",
	"cmd/db",
	"cmd/durations",
	"cmd/handlers",
	"cmd/internal/batch",
	"cmd/internal/cli",
	"cmd/internal/clitest",
	"cmd/internal/payload",
	"examples/invoices/service",
	"examples/nightly",
	"internal/author/checker",
	"internal/author/keydocs",
	"internal/author/lsp",
	"internal/author/lsp/rpc",
	"internal/author/lsp/sketch",
	"internal/author/policykeys",
	"internal/author/queuedefs",
	"internal/author/schemas",
	"internal/author/strictyaml",
	"internal/bench/mixed",
	"internal/cron",
	"internal/database",
	"internal/faultproxy",
	"internal/jsonschemas",
	"internal/logfile",
	"internal/namedsql",
	"internal/reload",
	"internal/scheduler",
	"internal/tests/chaos",
	"internal/tests/docstest",
	"internal/tests/e2e",
	"internal/tests/failover",
	"internal/tests/testbuild",
	"internal/tests/winetest",
	"internal/tests/wordstest",
	"internal/tests/yamllstest",
	"pipelines",
	"pipelines/graph",
	"pipelines/pipelinetest",
	"pipelines/shipped",
	"sql",
	"workqueue",
	"workqueue/assign",
	"workqueue/learned",
	"workqueue/matching",
	"workqueue/plan",
	"workqueue/runner",
	"workqueue/scoring",
	"workqueue/storetest/reference",
}

// exception allows one pattern in one file.
type exception struct {
	file, pattern, reason string
}

// exceptions are uses that are correct.
var exceptions = []exception{
	{"workqueue/run.go", "Tell", "the name of the method Run.Tell"},
}
