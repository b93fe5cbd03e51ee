package checker

// Rule is one kind of finding. docs/checks.md has the same words; Means and Mend are
// Markdown in one line each.
type Rule struct{ Code, Means, Mend string }

// Rules are all kinds of findings, in the order of docs/checks.md.
func Rules() []Rule {
	return []Rule{
		// Warnings.
		{"retry-multiplies", "a step has a `retry`, and nothing says how often its item is tried, so that the default of three attempts multiplies with it", "state `resilience.limit`, 1 or whatever you mean: [the sum](pipelines.md#a-steps-retry-and-the-items)"},
		{"timeout-too-long", "a step's `timeout` is longer than `resilience.timeout`, which ends the whole run", "shorten the one or lengthen the other"},
		{"exposed-files", "a folder of `handlers.folders` holds the pipelines, the settings, schemas, a file of secrets or keys, or the SQLite database, or lies within the pipelines: a step that writes files can change what runs, or read a secret", "allow a folder that holds nothing but the files of steps"},
		{"waits-too-long", "the waits of a step's `retry` alone are longer than `resilience.timeout`: its last attempts never begin", "fewer attempts, shorter waits, or a longer timeout"},

		// The YAML itself.
		{"yaml-syntax", "the text is not YAML, or a quote or bracket is not closed", "look at the place that is named, then at the line above it"},
		{"yaml-tab", "a tab indents a line", "indent with spaces"},
		{"yaml-trap", "YAML would read something else than what seems to be meant: unquoted `{{ }}`, a `#` that cuts off an expression, a number with a leading zero or with underscores", "put the value in quotes"},
		{"yaml-limit", "nested too deeply, or aliases that unfold into too much", "write it out, flatter"},
		{"yaml-merge", "`<<` with something that is no mapping", "give it an alias of a mapping"},
		{"yaml-tag", "a tag such as `!!binary`", "remove it"},
		{"not-utf8", "the file is not UTF-8", "save it as UTF-8"},
		{"empty-file", "the file has no content", "fill or remove it"},
		{"several-documents", "a second document behind `---`", "make it a file of its own"},
		{"non-string-key", "a key that is a number, true, false or a collection", "put it in quotes"},
		{"duplicate-key", "a key stands twice in one mapping", "remove one of them"},
		{"unknown-key", "no such key here", "look at the hint; it suggests a known one or lists them"},
		{"missing-key", "a key that has to be there", "add it"},
		{"wrong-type", "text where a number was wanted, and the like", "write what the message wants"},
		{"invalid-value", "the right type with a value outside its bounds or words", "write what the message wants"},

		// Pipelines.
		{"invalid-name", "a pipeline, step, connection, secret, label or queue is called something that it may not be", "rename it by the rule in the message"},
		{"no-steps", "`steps` is an empty list", "add a step"},
		{"duplicate-step", "two steps of one name", "rename one"},
		{"unreachable-step", "the step before it always ends the pipeline", "give that step an `if`, or remove what follows"},
		{"no-effect", "a key that changes nothing where it stands", "remove it"},
		{"invalid-schema", "a pipeline's `input` or a queue's schema is no JSON Schema, or refers to another file", "mend the place that is named"},
		{"empty-trigger", "neither `cron` nor `every` nor `atStart: true` nor `wake: true`", "add one, or remove `trigger`"},
		{"wake-scope", "`wake: true` without `scope: each-worker`: each worker runs its own items, so each has to wake", "add `scope: each-worker`"},
		{"two-schedules", "`cron` beside `every`", "keep one"},
		{"invalid-schedule", "a cron expression or interval that cannot be", "mend the field that is named: [schedules.md](schedules.md#cron-expressions)"},
		{"unknown-timezone", "no such zone", "write it like `Europe/Lisbon`, or `UTC`"},

		// Handlers and their parameters.
		{"unknown-handler", "no handler of that name; upper and lower case count", "look at the hint, or at `botwork handlers`"},
		{"unknown-parameter", "the handler has no such parameter", "look at the hint, or at `botwork handlers show KIND`"},
		{"missing-parameter", "a parameter that the handler needs", "add it"},
		{"wrong-value", "a parameter that the handler refuses, such as an unknown connection", "write what the message wants"},

		// Expressions.
		{"bare-braces", "a text with `{{ payload.x }}` or the like, without a dollar, which stays as it is; a warning", "write `${{ payload.x }}`"},
		{"unclosed-expression", "`${{` without `}}`", "close it, or write `$${{` for the signs themselves"},
		{"expression-syntax", "not an expression", "mend it where the column points"},
		{"expression-type", "an operation that its values, such as what a step is known to put out, cannot do, or a condition that is neither true nor false", "convert or compare a value"},
		{"expression-in-key", "an expression in a key of `with`", "make the whole mapping an expression"},
		{"mixed-condition", "an `if` with text around its expression", "leave the `${{ }}` away"},
		{"unknown-variable", "a name that does not exist, or a field that an item, a step or what a step puts out does not have; in settings, an environment variable that begins with `BOTWORK_` and is no setting", "look at the hint: [the variables](pipelines.md#expressions)"},
		{"unknown-field", "`payload.NAME`, and the pipeline's `input` has no such property: one that looks misspelt, or any where it has `additionalProperties: false`; it would be nil; a warning", "mend the name, or add the property to `input`"},
		{"unknown-step", "`steps.NAME`, and no step has the name", "mend the name; one with a dash is written `steps[\"a-b\"]`"},
		{"later-step", "`steps.NAME`, and that step has not run by then", "use a step that stands before"},
		{"unknown-secret", "`secrets.NAME`, and the settings have no such secret", "mend the name, or add the secret to `botwork.yaml`"},
		{"secret-variable", "`env.NAME`, and a setting reads that environment variable as a secret or a DSN", "name the secret under `secrets`, and write `secrets.NAME`"},

		// The folder and what is enqueued.
		{"no-folder", "the pipelines folder does not exist, or is no folder", "create it (`botwork init` makes one), or set `pipelines.dir`"},
		{"unreadable-file", "a pipeline's file cannot be read", "look at its rights"},
		{"duplicate-pipeline", "two files with one name; upper and lower case make no difference", "rename one; until then the first by path counts"},
		{"no-cases", "a file of tests has an empty list of `cases`", "add a case"},
		{"duplicate-case", "two cases of one name in a file of tests", "rename one"},
		{"unknown-pipeline", "an item, a task, a step `Enqueue` or a file of tests names a pipeline that does not exist", "mend the name, or add the file"},
		{"broken-pipeline", "an item, or a task, names a pipeline whose file has mistakes; a warning where a task does, for its items wait", "fix the file"},
		{"triggered-pipeline", "an item names a pipeline that a trigger starts", "name one without; `botwork run --once` starts the other"},
		{"unknown-queue", "an item, or a task, names a queue that does not exist; a warning where the settings define queues and not this one, which may be in the database all the same", "mend the name, or define the queue"},
		{"invalid-payload", "the payload is not JSON, or does not fit the pipeline's `input`", "mend the payload"},
		{"not-json", "a line of standard input is no JSON object", "write one object per line"},
		{"too-long", "a line that is longer than the largest payload of all queues and 1 MB", "store the data elsewhere and refer to it, or raise `maxPayload`"},
		{"too-many", "so many mistakes that the lines behind were not read", "mend the first ones"},

		// Between pipelines.
		{"unserved-priorities", "the steps `ExecuteWorkItems` of all pipelines with a trigger leave a hole between two ranges of priorities, or run priorities that no `AssignTasksToWorker` gives out", "widen a range, or add a step"},
		{"overlapping-priorities", "two pipelines run items of the same priorities, so that each runs what the other is for", "let one begin where the other ends: `minPriority: 500` and `belowPriority: 500`"},
		{"seen-too-short", "a `workerSeenWithin` that is shorter than `worker.lease`: a worker that is late with one heartbeat gets no items although it works", "the lease or longer"},
		{"moved-setting", "a `maxReleases` in a step `AssignTasksToWorker`: it is a setting of queues", "remove it, and set `queues.NAME.maxReleases` in botwork.yaml"},

		// Settings.
		{"no-file", "the settings file that was named, or the file of a queue's schema, cannot be read", "mend `--config` or `BOTWORK_CONFIG`, or the path; `botwork init` writes settings"},
		{"out-of-range", "a number or duration outside its bounds", "write what the message wants"},
		{"invalid-pair", "two settings that do not go together, such as a lease shorter than two heartbeats", "change one of them"},
		{"wrong-source", "a secret with none, or more than one, of `env`, `file`, `credential` and `value`", "keep exactly one"},
		{"no-value", "a variable or file that should hold a secret or a DSN is not there", "set it"},
	}
}
