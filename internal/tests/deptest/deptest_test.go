// Package deptest checks the imports of the module: which package may import which,
// and which package may import a third-party module. A new package, or a new import,
// is a decision; it must be added here, with its reason, or the test fails.
package deptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "botwork"

// may lists, for each package of the module, the packages of the module that it
// may import, and why. testFences has the rules for test files.
var may = map[string]map[string]string{
	"client": {}, // programs of others import it
	"config": {
		"workqueue/notify":           "the events, labels and bounds that rules of notifications may name",
		"internal/filenames":         "the name of an environment is a part of its file's name",
		"internal/hostrules":         "an entry that is no host or network is reported at its place",
		"internal/author/keydocs":    "the keys of the file are described beside the structs that read them",
		"workqueue/matching":         "a worker's labels are checked as items meet them",
		"internal/database":          "a DSN is judged, and redacted, where it is read",
		"internal/redaction":         "which names of headers suggest a secret",
		"internal/author/strictyaml": "a mistake in the file has a line, a column and a suggestion",
	},
	"handlers": {
		"internal/values":            "values of JSON, and their names in messages, are those of the built-in kinds",
		"internal/spans":             "lengths of time are written alike in steps and in the queue",
		"internal/author/strictyaml": "parameters are decoded strictly, with their places",
	},
	"handlers/builtin": {
		"handlers":                   "its kinds implement the contract",
		"internal/values":            "values of JSON, and their names in messages, are those of the contract",
		"internal/tracing":           "requests and statements of steps are spans",
		"internal/bounded":           "expressions and templates of steps cannot use up a worker",
		"internal/database":          "the SQL handler opens the connections that the settings name",
		"internal/hostrules":         "the HTTP handler asks them before it connects",
		"internal/namedsql":          "one way of writing parameters in every dialect",
		"internal/programs":          "Exec starts programs that must not outlive the worker",
		"internal/author/strictyaml": "a mistyped connection gets a suggestion",
	},
	"handlers/queue": {
		"workqueue/assign":   "its steps are the parameters of passes",
		"workqueue/runner":   "they run items as a runner executes them",
		"workqueue/scoring":  "the rules by which a pass scores, checked where a step is",
		"workqueue/matching": "the distribution, labels and selectors of steps",
		"handlers":           "it implements the contract",
		"workqueue":          "it moves the queue",
		"pipelines":          "running an item runs its pipeline: this is one of the two joints",
		"internal/moments":   "the stretch of a report is written as on the command line",
		"internal/tracing":   "items continue the trace of the run that enqueues them",
		"workqueue/report":   "a step's output is the report of botwork report",
		"workqueue/forecast": "a step records the forecast of botwork forecast",
		"workqueue/learned":  "forecasts and reasons estimate how long items take",
		"tasks":              "it serves the tasks that are due",
	},
	"internal/api": {
		"internal/filenames":         "the name of a new pipeline becomes that of a file",
		"internal/api/auth":          "who calls",
		"internal/api/events":        "what it streams to clients",
		"internal/api/hooks":         "webhooks, which make items",
		"internal/api/longpoll":      "robots wait for items",
		"internal/author/strictyaml": "a mistyped name gets a suggestion",
		"internal/httpserver":        "the id and the address of a request, and the form of problems",
		"internal/itemquery":         "lists of items have the filters of the command line",
		"internal/newitems":          "new items are those of the command line",
		"workqueue/assign":           "why an item waits",
		"workqueue/matching":         "labels and selectors of items",
		"internal/author/queuedefs":  "a queue is changed by the keys of its definition",
		"internal/doctor":            "the results of an examination",
		"internal/moments":           "times are written as on the command line",
		"internal/operations":        "what the command line answers, too, and the pipelines of a project",
		"internal/savefile":          "pipelines are written where they are edited",
		"pipelines/graph":            "it draws pipelines",
		"tasks":                      "the faults of tasks",
		"workqueue/forecast":         "the forecast of botwork forecast",
		"workqueue/report":           "the report of botwork report",
		"workqueue":                  "its operations are methods of the store's contract",
		"workqueue/access":           "roles, tokens and users",
		"workqueue/learned":          "the learned durations are part of the store",
		"workqueue/notify":           "the rules and targets of notifications that it lists and tests",
	},
	"internal/api/apitest": {
		"internal/api":         "the API that it runs",
		"internal/api/auth":    "it creates tokens",
		"internal/httpserver":  "the server that it runs",
		"internal/jsonschemas": "answers are compared with the document's schemas",
		"internal/metrics":     "the figures of the process",
		"workqueue/access":     "roles",
		"workqueue/sqlstore":   "the API runs over a database",
		"internal/database":    "SQLite",
		"internal/testdb":      "a database of its own for each test",

		"handlers/builtin":           "the pipelines of a folder that is edited use the built-in kinds",
		"internal/author/strictyaml": "what is wrong with them",
		"internal/doctor":            "the report of no machine",
		"internal/operations":        "a project is a folder of pipelines",
		"internal/savefile":          "it is edited",
		"pipelines":                  "it is a folder of pipelines",
		"workqueue/assign":           "why an item waits depends on no passes",
	},
	"internal/tracing":           {},
	"internal/values":            {},
	"internal/tracing/otlp":      {"internal/tracing": "the spans that it sends"},
	"internal/tracing/tracetest": {},
	"internal/metrics": {
		"workqueue":        "the figures of the queues are read over the store's contract",
		"workqueue/runner": "what a worker does is observed over the runner's interface",
	},
	"internal/api/hooks": {
		"internal/bounded": "the expression for the payload cannot use up the server",
		"internal/values":  "the body's numbers are those of expressions",
		"workqueue":        "the item that a request makes",
	},
	"internal/api/events": {
		"workqueue": "what changes is read over the store's contract",
	},
	"internal/api/auth": {
		"workqueue":           "a token that does not exist",
		"workqueue/access":    "the contracts that it looks callers up by",
		"internal/httpserver": "the network of an address, and a failed attempt that waits keeps no place of the server",
	},
	"internal/api/longpoll": {},
	"internal/httpserver":   {},
	"internal/dashboard": {
		"internal/filenames":  "the name of a new pipeline becomes that of a file",
		"internal/api/events": "the changes after which an answer is asked for again",
		"internal/httpserver": "the limits that requests for pages have",
		"internal/doctor":     "the report that a page shows",
		"internal/moments":    "times of a filter are written as on the command line",
		"pipelines/graph":     "the graph of a pipeline in which a page marks a run",
		"tasks":               "the priority of a task's items that a page shows",
		"workqueue":           "the statistics that pages draw",
		"workqueue/access":    "the users and tokens that pages show",
		"workqueue/forecast":  "the forecasts that pages show",
		"workqueue/matching":  "the scores of workers that the page of an item shows",
		"workqueue/report":    "the groups of failures that pages show",
	},
	"internal/itemquery": {
		"internal/author/strictyaml": "a mistyped word gets a suggestion",
		"internal/moments":           "times are written as on the command line",
		"workqueue":                  "the filter that it reads",
	},
	"internal/bench": {
		"client":                     "the robots that are measured",
		"internal/api":               "the server that is measured",
		"internal/api/auth":          "the robots' token",
		"internal/dashboard":         "the pages that are measured",
		"internal/doctor":            "the report that a project makes, and this one cannot",
		"internal/httpserver":        "the server that is measured",
		"internal/operations":        "the project whose pages are measured",
		"workqueue/access":           "the robots' token, and the user of the browsers",
		"handlers":                   "it drains the shipped way: registry, pipelines, process, store",
		"handlers/queue":             "the handlers that drain",
		"internal/bench/mixed":       "the load of one measurement, and the judge of what came of it",
		"internal/database":          "it makes a database of its own and drops it",
		"internal/process":           "the process that drains",
		"internal/author/strictyaml": "findings of a pipeline that cannot be read",
		"pipelines":                  "the item's pipeline, which does nothing",
		"pipelines/shipped":          "the pipeline that is measured",
		"workqueue":                  "the items",
		"workqueue/assign":           "what the passes that are forecast depend on",
		"workqueue/forecast":         "the forecasts that are compared with what happens",
		"workqueue/sqlstore":         "the store that is measured",
	},
	"internal/bounded":            {"internal/values": "numbers in texts, and of JSON, are those of steps"},
	"internal/bench/mixed":        {},
	"internal/tests/browsertest":  {},
	"internal/tests/chaos":        {},
	"internal/tests/chaos/ledger": {},
	"internal/tests/chaos/program": {
		"internal/tests/chaos/ledger": "in which it notes what it does",
	},
	"internal/tests/chaos/worker": {
		"cmd":                         "it is the program with one handler more, as a program of a user's would be",
		"handlers":                    "that handler",
		"internal/tests/chaos/ledger": "in which it notes what it does",
	},
	"internal/author/checker": {
		"internal/notifier":          "notifications are part of a project",
		"workqueue/notify":           "the rules of notifications",
		"workqueue/escalation":       "the queues to which rules move items",
		"internal/api/hooks":         "webhooks are part of a project",
		"config":                     "the settings define the folder, the secrets and the connections of a project",
		"handlers":                   "the kinds that steps can use",
		"handlers/builtin":           "the built-in kinds get the resources of the settings",
		"internal/database":          "the names of drivers are checked when they are read",
		"internal/author/queuedefs":  "queues are part of a project",
		"internal/savefile":          "it fixes the files in which a server saves",
		"internal/spans":             "findings show durations as in a file",
		"internal/author/strictyaml": "it returns findings",
		"pipelines":                  "it compiles pipelines, and checks them together",
		"tasks":                      "tasks are part of a project",
		"workqueue":                  "it returns the definitions of queues and tasks",
	},
	"internal/cron": {},
	"internal/database": {
		"internal/namedsql": "an opened connection knows its driver's parameter style",
	},
	"internal/dist": {
		"cmd": "the settings, pipelines, schemas and the unit in an archive are what the program's commands write",
	},
	"internal/tests/docstest": {},
	"internal/doctor": {
		"internal/procid":   "whether the process that has the name runs on this machine",
		"internal/database": "it connects to databases, and says what is wrong without their passwords",
		"internal/keyring":  "it seals and opens a text, and reports the keys",
		"sql":               "it asks questions of its own, also where a store cannot be opened",
		"workqueue":         "it reports a hanging session in the same way as a worker",
	},
	"internal/tests/e2e":      {},
	"internal/tests/failover": {},
	"internal/faultproxy":     {},
	"internal/gate": {
		"workqueue": "sizes are written as in the settings of queues",
	},
	"internal/hostrules":      {},
	"internal/jsonschemas":    {},
	"internal/author/keydocs": {},
	"internal/keyring": {
		"workqueue": "it is the cipher of the store's contract",
	},
	"internal/logfile": {},
	"internal/author/lsp": {
		"handlers":                   "the descriptions of handlers and their parameters",
		"internal/author/keydocs":    "the descriptions of keys",
		"internal/author/lsp/rpc":    "its protocol",
		"internal/author/lsp/sketch": "it parses incomplete texts",
		"internal/author/strictyaml": "it converts findings to diagnostics, and their edits to fixes",
		"pipelines":                  "it checks pipelines outside a project's folder, and explains variables",
	},
	"internal/author/lsp/rpc":    {},
	"internal/author/lsp/sketch": {},
	"internal/moments": {
		"internal/spans": "how long ago is a duration",
	},
	"internal/namedsql": {},
	"internal/newitems": {
		"internal/author/strictyaml": "it returns findings",
		"internal/moments":           "times are written as on the command line",
		"pipelines":                  "an item must fit its pipeline",
		"workqueue":                  "the items that it reads",
		"workqueue/matching":         "labels and selectors of items",
		"internal/spans":             "durations are written as in a step",
	},
	"internal/procid": {},
	"internal/notifier": {
		"handlers":         "messages are sent by the handlers HTTP, Mail and Template",
		"workqueue":        "messages are items of a queue",
		"workqueue/notify": "it evaluates the rules and sends their messages to the targets",
	},
	"internal/operations": {
		"internal/cron":              "the first instants of the days of a zone",
		"workqueue/notify":           "the rules, events and targets of notifications",
		"internal/author/strictyaml": "a mistyped name gets a suggestion, and findings are what a project's files say",
		"pipelines":                  "what pipelines are, and what a run of one would do",
		"pipelines/graph":            "the tasks in the chart of a project",
		"workqueue/matching":         "the labels and selectors of pipelines",
		"tasks":                      "the windows of tasks",
		"workqueue":                  "the stores that it reads",
		"workqueue/assign":           "what passes would do now",
		"workqueue/learned":          "learned durations",
		"internal/spans":             "durations are written as in a step",
	},
	"internal/process": {
		"internal/tracing":           "log lines of items have the id of their trace",
		"workqueue/runner":           "it runs a worker over a store",
		"internal/procid":            "whether the process that had a name has ended",
		"handlers/queue":             "the system pipelines' handlers get their executor here",
		"internal/scheduler":         "it runs one",
		"internal/author/strictyaml": "a mistyped pipeline gets a suggestion",
		"pipelines":                  "it loads them",
		"tasks":                      "the handlers that serve tasks get the store here",
		"workqueue/matching":         "the label by which a worker names its broken pipelines",
		"workqueue/report":           "the handler Report gets the store here",
		"workqueue":                  "it runs a worker over a store",
	},
	"internal/programs":  {},
	"internal/redaction": {},
	"internal/reload": {
		"internal/author/strictyaml": "what is found in the files decides which text holds",
		"pipelines":                  "it reads them, and hands on catalogues",
	},
	"internal/author/policykeys": {
		"handlers":                   "durations and sizes are written as in a step",
		"internal/author/strictyaml": "it reports mistakes at their positions",
		"workqueue":                  "the retry policy that it reads",
		"workqueue/matching":         "the mistakes in labels, selectors and distributions",
	},
	"internal/author/queuedefs": {
		"workqueue/escalation":       "the rules for items that wait too long, with positions",
		"internal/author/policykeys": "a queue has the same retry policy as a pipeline",
		"workqueue/scoring":          "it checks the expressions of scorings, with positions",
		"workqueue/matching":         "it checks distributions, with positions",
		"internal/author/keydocs":    "it describes its keys together with the structs for them",
		"internal/jsonschemas":       "it checks schemas, with positions",
		"internal/author/strictyaml": "it decodes definitions, with positions",
		"workqueue":                  "the queues that it decodes",
		"internal/spans":             "durations are written as in a pipeline",
	},
	"internal/author/schemas": {
		"handlers":                   "the parameters of steps are those of their handlers",
		"internal/author/keydocs":    "it converts descriptions of keys to schemas",
		"internal/author/queuedefs":  "the keys of queues",
		"internal/spans":             "the pattern of durations",
		"internal/author/strictyaml": "it parses defaults and examples",
		"pipelines":                  "the keys of pipelines",
		"tasks":                      "the keys of tasks",
	},
	"internal/servertrial": {
		"internal/database": "it asks the server what it is, and hides passwords",
	},
	"internal/service": {
		"internal/syncdir": "an upgrade that renames the executable survives a power failure",
	},
	"internal/filenames": {},
	"internal/savefile": {
		"internal/filenames": "a file has a name that every system allows",
		"internal/syncdir":   "a saved file survives a power failure",
	},
	"internal/syncdir":          {},
	"internal/tests/simulation": {},
	"internal/scheduler": {
		"internal/cron": "planned instants",
		"pipelines":     "what it starts, and their triggers",
		"workqueue":     "firings and runs are recorded in the store",
	},
	"internal/spans":   {},
	"internal/visible": {},
	"internal/author/strictyaml": {
		"internal/spans": "durations have the same format in settings and steps",
	},
	"internal/testdb": {
		"internal/database":  "it opens a database of its own for a test",
		"workqueue/sqlstore": "and migrates it",
	},
	"internal/testgroup":         {},
	"internal/tests/openapitest": {},
	"internal/tests/testbuild":   {},
	"internal/tests/winetest":    {},
	"internal/tests/wordstest":   {},
	"internal/tests/yamllstest":  {},
	"pipelines": {
		"internal/filenames":         "a pipeline has a name that a file can have on every system",
		"internal/tracing":           "steps are spans",
		"workqueue/escalation":       "the rules for items that wait too long, with positions",
		"internal/author/policykeys": "a pipeline has the same retry policy as a queue",
		"internal/redaction":         "texts of runs have no secrets, and which names suggest one",
		"workqueue/scoring":          "it checks the expressions of scorings",
		"workqueue/matching":         "labels, selectors and the distribution of a pipeline's items",
		"handlers":                   "a step runs a handler",
		"internal/bounded":           "expressions must not exhaust a worker's CPU and memory",
		"internal/cron":              "it checks the schedules of triggers",
		"internal/author/keydocs":    "it describes its keys together with the structs for them",
		"internal/jsonschemas":       "a pipeline's input is a JSON Schema",
		"internal/author/strictyaml": "it decodes pipelines, with positions",
		"workqueue":                  "it runs claimed items: this is the other joint",
	},
	"pipelines/graph": {
		"pipelines":      "it draws pipelines",
		"workqueue":      "whether a name is an inline pipeline",
		"internal/spans": "durations are written as in a file",
	},
	"pipelines/pipelinetest": {
		"handlers":                   "it calls pure handlers, and creates handler errors",
		"internal/author/strictyaml": "it decodes test files, with positions",
		"pipelines":                  "it runs pipelines",
		"workqueue":                  "the item of a case",
	},
	"pipelines/shipped": {},
	"sql":               {},
	"tasks": {
		"internal/cron":              "windows open by the wall clock, as triggers fire",
		"internal/author/keydocs":    "the keys of a task are described beside the structs that read them",
		"internal/author/strictyaml": "tasks in the settings file are read with their places",
		"workqueue":                  "a task's items, and the store that keeps tasks",
	},
	"workqueue": {
		"workqueue/escalation":    "a queue's rules for items that wait too long",
		"workqueue/plan":          "the assignments that a store writes",
		"workqueue/matching":      "an item's labels and selectors, a queue's distribution",
		"internal/jsonschemas":    "a queue's items must meet its schemas, in every way to enqueue them",
		"internal/author/keydocs": "the keys of a policy of retrying are the same in pipelines, queues and tasks",
		"internal/spans":          "lengths of time are written alike in steps and in the queue",
	},
	"workqueue/access": {},
	"workqueue/learned": {
		"workqueue": "the classes of durations, and a pipeline's profile",
	},
	"workqueue/escalation": {
		"internal/author/keydocs": "rules are read by the tables that describe them",
		"internal/bounded":        "a condition cannot use up the pass that evaluates it",
		"internal/spans":          "times to wait are written as every length of time",
		"workqueue/matching":      "the mistakes in rules are those of labels and selectors",
	},
	"workqueue/assign": {
		"workqueue/escalation": "what rules do to a waiting item",
		"workqueue/learned":    "the expected durations of items",
		"internal/spans":       "reasons name lengths of time",
		"workqueue":            "it assigns items over the store's contract",
		"workqueue/matching":   "labels and selectors say which worker may have an item",
		"workqueue/plan":       "it decides who gets what; passes read and write",
	},
	"workqueue/runner": {
		"internal/tracing":  "passes, claims and items are spans",
		"workqueue/learned": "it records the durations of its runs",
		"workqueue/assign":  "its sessions make passes",
		"workqueue":         "it runs items, with the rules and over the store's contract",
	},
	"workqueue/plan": {
		"workqueue/matching": "the modes have names, and items have selectors, in one place",
	},
	"workqueue/matching": {
		"internal/author/keydocs": "selectors and distributions are read by the tables that describe them",
		"internal/spans":          "a selector's life is written as every length of time",
	},
	"workqueue/scoring": {
		"internal/bounded":   "an expression cannot use up the pass that scores",
		"workqueue/matching": "it makes rules of its scorings",
	},
	"workqueue/sqlstore": {
		"internal/tracing":         "statements are spans",
		"workqueue/escalation":     "what a rule does to an item",
		"workqueue/access":         "it stores tokens, users and sessions",
		"workqueue/learned":        "it stores the durations of runs",
		"workqueue/matching":       "it writes labels and selectors of new items",
		"workqueue/report":         "what it keeps of the failures of deleted items",
		"internal/database":        "the connections, and what their errors mean",
		"internal/namedsql":        "one way of writing parameters in every dialect",
		"sql":                      "the importer of its statements",
		"workqueue":                "it implements the store's contract",
		"workqueue/sqlstore/check": "the checks, which read through it",
	},
	"workqueue/notify": {
		"workqueue": "it reads and writes a store, through an interface of its own",
	},
	"workqueue/forecast": {
		"tasks":              "the items of coming windows are part of what arrives",
		"workqueue":          "the items, queues and statistics",
		"workqueue/assign":   "it simulates the passes and the workers",
		"workqueue/learned":  "how long runs take is drawn from what was learned",
		"workqueue/matching": "the labels of a worker that is added",
	},
	"workqueue/report": {
		"workqueue": "it reads a store, through an interface of its own",
	},
	"workqueue/sqlstore/check": {
		"internal/database": "times as each engine returns them",
		"workqueue":         "what the checks find, and the rows of workers and queues",
	},
	"workqueue/storetest": {
		"internal/testgroup":            "how many cases are drawn",
		"workqueue/escalation":          "the rules that stores apply",
		"workqueue/access":              "stores keep tokens, users and sessions",
		"workqueue/learned":             "stores keep the durations of runs",
		"workqueue/assign":              "passes are what a store serves",
		"workqueue/plan":                "the places of expedited items",
		"workqueue/matching":            "labels and selectors of its items",
		"workqueue/report":              "what a deleted failure leaves",
		"workqueue":                     "it tests the store's contract",
		"workqueue/storetest/reference": "stores are compared with the rules in plain Go",
	},
	"workqueue/storetest/reference": {
		"workqueue/plan":     "the places of expedited items",
		"workqueue/matching": "selectors that expedite",
		"workqueue":          "its rows are the store's",
	},
}

// roots connect everything, so they may import everything.
var roots = []string{module, "cmd", "examples"}

// testsOnly contain only tests of the whole program, which may import everything.
var testsOnly = []string{"internal/tests/browsertest", "internal/tests/chaos", "internal/tests/deptest", "internal/tests/docstest", "internal/tests/e2e", "internal/tests/failover", "internal/tests/openapitest", "internal/tests/simulation", "internal/tests/winetest", "internal/tests/yamllstest"}

// thirdParty lists the only packages whose non-test code may import a module, so
// that only those must change if the module is replaced.
var thirdParty = []struct {
	path      string
	importers []string
	why       string
}{
	{"gorm.io", []string{module, "workqueue/sqlstore"}, "models and dialects are the store's business; programs enqueue in their own transactions of gorm"},
	{module + "/workqueue/sqlstore", []string{module, "cmd", "cmd/internal/clitest", "examples/internal/worker", "internal/api/apitest", "internal/bench", "internal/testdb", "workqueue/sqlstore"}, "who opens a store chooses it; the others name the methods that they call"},
	{"github.com/pressly/goose", []string{"workqueue/sqlstore"}, "so are migrations"},
	{"github.com/go-co-op/gocron", []string{"internal/scheduler"}, "it fires; what is planned and what was fired is decided elsewhere"},
	{"github.com/aymanbagabas/go-udiff", []string{"cmd/pipelines", "internal/operations"}, "differences are for people to read"},
	{"github.com/fsnotify/fsnotify", []string{"internal/reload"}, "notices of changes get lost; who listens must not rely on them"},
	{"github.com/robfig/cron", []string{"internal/cron"}, "its own view of daylight saving is not ours"},
	{"gopkg.in/yaml.v3", []string{"internal/author/strictyaml"}, "it is archived: its heir shall take one import line"},
	{"github.com/tink-crypto/tink-go", []string{"internal/keyring"}, "sealed texts outlive the library that sealed them; it holds keys in the clear"},
	{"github.com/santhosh-tekuri/jsonschema", []string{"internal/jsonschemas"}, "what a schema may read is decided in one place"},
	{"github.com/expr-lang/expr", []string{"handlers/builtin", "internal/api/hooks", "internal/bounded", "pipelines", "workqueue", "workqueue/escalation", "workqueue/scoring"}, "expressions live in steps, in scorings, in conditions of rules and in filters of payloads"},
	{"github.com/spf13", []string{"cmd/..."}, "commands and flags end where the program begins"},
	{"github.com/sqlc-dev/teesql", nil, "a parser for tests"},
	{"pgregory.net/rapid", []string{"internal/testgroup", "workqueue/storetest"}, "for tests"},
	{"github.com/google/go-cmp", []string{"cmd/internal/clitest", "workqueue/storetest"}, "for tests: it may panic"},
	{"github.com/danielgtaylor/huma", []string{"internal/api"}, "the API is described once; what it calls knows nothing of HTTP"},
	{"go.opentelemetry.io", []string{"internal/tracing", "internal/tracing/otlp", "internal/tracing/tracetest"}, "what a span may hold is decided in one place"},
	{"google.golang.org/protobuf", []string{"internal/tracing/otlp", "internal/tracing/tracetest"}, "for OTLP"},
	{"github.com/prometheus", []string{"internal/metrics"}, "figures are described in one place"},
	{"github.com/shirou/gopsutil", []string{"internal/gate"}, "what a machine's figures mean is decided in one place"},
	{"golang.org/x/crypto", []string{"internal/api/auth"}, "passwords are hashed and compared in one place"},
	{"github.com/coreos/go-oidc", []string{"internal/api/auth"}, "who signs in is decided in one place"},
	{"golang.org/x/oauth2", []string{"internal/api/auth"}, "likewise"},
	{"github.com/zitadel/oidc", nil, "a provider for tests"},
	{"github.com/chromedp", nil, "a browser for tests"},
	{"go.uber.org/goleak", nil, "for tests"},
}

// testFences are imports that tests must not have.
var testFences = []struct{ of, not, why string }{
	{"workqueue", "handlers", "a queue test needs no handler"},
	{"workqueue/assign", "handlers", "a queue test needs no handler"},
	{"workqueue/runner", "handlers", "a queue test needs no handler"},
	{"workqueue/sqlstore", "handlers", "a queue test needs no handler"},
	{"workqueue", "pipelines", "a queue test needs no pipeline"},
	{"workqueue/assign", "pipelines", "a queue test needs no pipeline"},
	{"workqueue/runner", "pipelines", "a queue test needs no pipeline"},
	{"workqueue/sqlstore", "pipelines", "a queue test needs no pipeline"},
	{"handlers", "workqueue", "a handler test needs no queue"},
	{"handlers", "workqueue/sqlstore", "a handler test needs no queue"},
	{"handlers", "pipelines", "a handler runs without a pipeline"},
	{"handlers/builtin", "workqueue", "a handler test needs no queue"},
	{"handlers/builtin", "workqueue/sqlstore", "a handler test needs no queue"},
	{"handlers/builtin", "pipelines", "a handler runs without a pipeline"},
}

// depFences are packages on which others must not depend, directly or indirectly. Their tests may.
var depFences = []struct{ of, not, why string }{
	{module, "handlers/builtin", "a program with functions of its own does not contain the kinds"},
	{"handlers/queue", "handlers/builtin", "a change of a kind must not recompile it"},
	{"internal/api", "handlers/builtin", "a change of a kind must not recompile it"},
	{"internal/dashboard", "handlers/builtin", "a change of a kind must not recompile it"},
	{"internal/operations", "handlers/builtin", "a change of a kind must not recompile it"},
	{"pipelines", "handlers/builtin", "a change of a kind must not recompile it"},
	{"tasks", "handlers/builtin", "a change of a kind must not recompile it"},
	{"workqueue", "handlers/builtin", "a change of a kind must not recompile it"},
}

// forTests are packages that no program may contain, directly or indirectly.
var forTests = []string{
	"testing", module + "/cmd/internal/clitest", module + "/internal/api/apitest", module + "/internal/faultproxy", module + "/internal/tests/testbuild", module + "/internal/testdb", module + "/internal/testgroup", module + "/workqueue/storetest",
	module + "/workqueue/storetest/reference",
}

// listed is the output of `go list -json` for one package.
type listed struct {
	ImportPath   string
	Name         string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
}

func TestImportsFollowMap(t *testing.T) {
	readFolders(t)
	// Files of both systems count, including imports behind a build tag.
	for _, goos := range []string{"linux", "windows"} {
		t.Run(goos, func(t *testing.T) {
			for _, fault := range faults(list(t, goos)) {
				t.Error(fault)
			}
		})
	}
}

func TestFaultsAreFound(t *testing.T) {
	sound := func() []listed {
		var packages []listed
		for name := range may {
			packages = append(packages, listed{ImportPath: module + "/" + name})
		}
		return packages
	}
	tests := map[string]struct {
		add  listed
		want string
	}{
		"a new package":             {listed{ImportPath: "botwork/util"}, "util is not on the map"},
		"a new edge":                {listed{ImportPath: "botwork/handlers", Imports: []string{"botwork/workqueue"}}, "handlers imports workqueue"},
		"settings below cmd":        {listed{ImportPath: "botwork/pipelines", Imports: []string{"botwork/config"}}, "pipelines imports config"},
		"a fenced third party":      {listed{ImportPath: "botwork/workqueue", Imports: []string{"gorm.io/gorm/clause"}}, "workqueue imports gorm.io/gorm/clause"},
		"cobra outside the program": {listed{ImportPath: "botwork/examples/x", Imports: []string{"github.com/spf13/cobra"}}, "examples/x imports github.com/spf13/cobra"},
		"a test helper in a program": {
			listed{ImportPath: "botwork/cmd", Name: "main", Deps: []string{"fmt", "testing"}}, "cmd contains testing",
		},
		"a forbidden import of a test": {
			listed{ImportPath: "botwork/workqueue", XTestImports: []string{"botwork/handlers"}}, "a test of workqueue imports handlers",
		},
		"a forbidden indirect import": {
			listed{ImportPath: "botwork/pipelines", Deps: []string{"botwork/handlers/builtin"}}, "pipelines depends on handlers/builtin",
		},
		"what a wiring package may do": {listed{ImportPath: "botwork/cmd", Imports: []string{"botwork/config", "botwork/sql"}}, ""},
		"a path with the same prefix": {
			listed{ImportPath: "botwork/workqueue", Imports: []string{"gorm.iota/x"}}, "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := faults(append(sound(), tt.add))
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("faults = %q, want none", got)
			case tt.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], tt.want)):
				t.Errorf("faults = %q, want one that begins %q", got, tt.want)
			}
		})
	}
	t.Run("a package that does not exist", func(t *testing.T) {
		left := slices.DeleteFunc(sound(), func(p listed) bool { return p.ImportPath == "botwork/config" })
		want := []string{"config is on the map and nowhere else: take it off"}
		if diff := cmp.Diff(want, faults(left)); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
	})
}

// faults compares packages with the map.
func faults(packages []listed) []string {
	var found []string
	report := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	seen := map[string]bool{}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		seen[name] = true
		edges, onMap := may[name]
		root := slices.ContainsFunc(roots, func(root string) bool { return within(name, root) })
		if !onMap && !root && !slices.Contains(testsOnly, name) {
			report("%s is not on the map: add it to may, with what it may import and why", name)
			continue
		}
		for _, path := range p.Imports {
			if to, ours := strings.CutPrefix(path, module+"/"); ours && !root && edges[to] == "" {
				report("%s imports %s, which the map does not allow", name, to)
			}
			for _, fence := range thirdParty {
				if within(path, fence.path) && !slices.ContainsFunc(fence.importers, func(of string) bool { return matches(of, name) }) {
					report("%s imports %s, want only %q to: %s", name, path, fence.importers, fence.why)
				}
			}
		}
		for _, fence := range testFences {
			if fence.of == name && slices.Contains(slices.Concat(p.TestImports, p.XTestImports), module+"/"+fence.not) {
				report("a test of %s imports %s: %s", name, fence.not, fence.why)
			}
		}
		for _, fence := range depFences {
			if fence.of == name && slices.Contains(p.Deps, module+"/"+fence.not) {
				report("%s depends on %s: %s", name, fence.not, fence.why)
			}
		}
		for _, path := range forTests {
			if p.Name == "main" && slices.Contains(p.Deps, path) {
				report("%s contains %s, which is for tests", name, path)
			}
		}
	}
	for name := range may {
		if !seen[name] {
			report("%s is on the map and nowhere else: take it off", name)
		}
	}
	slices.Sort(found)
	return found
}

// within reports whether an import path is the given one or below it.
func within(path, top string) bool {
	return path == top || strings.HasPrefix(path, top+"/")
}

// readFolders opens every folder of the module. The test cache does not know what a
// child process such as go list reads: without this, the test would use a cached
// result after a package was added.
func readFolders(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", "..", ".."), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, goos string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Imports,TestImports,XTestImports,Deps", module+"/...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("go list: %v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// matches reports whether a package is the one that pattern names, or, with "/..." at its
// end, one below it.
func matches(pattern, name string) bool {
	root, tree := strings.CutSuffix(pattern, "/...")
	return name == root || tree && strings.HasPrefix(name, root+"/")
}
