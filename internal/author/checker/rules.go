package checker

// Rule is one kind of finding. The tables of docs/checks.md contain the same texts.
// Meaning and Fix are one line of Markdown each.
type Rule struct{ Code, Meaning, Fix string }

// Rules returns all kinds of findings, in the order of docs/checks.md.
func Rules() []Rule {
	return []Rule{
		// Warnings.
		{"retry-multiplies", "a step has a `retry`, but the number of attempts of the item is not set, so the default of three attempts multiplies with it", "set `resilience.limit` explicitly: [how both limits combine](pipelines.md#a-steps-retry-and-the-items)"},
		{"timeout-too-long", "a step's `timeout` is longer than `resilience.timeout`, which ends the whole run; or the `timeout` of its handler is longer than one of them", "shorten the longer timeout, or extend the other one"},
		{"exposed-files", "a folder of `handlers.folders` contains the pipelines, the settings, schemas, a file of secrets or keys, or the SQLite database, or is inside the pipelines folder: a step that writes files can change what runs, or read a secret", "allow a folder that contains only the files of steps"},
		{"waits-too-long", "the waits of a step's `retry` alone are longer than `resilience.timeout`: its last attempts never begin", "use fewer attempts, shorter waits, or a longer timeout"},

		// The YAML itself.
		{"yaml-syntax", "the text is not valid YAML, or a quote or bracket is not closed", "check the reported position, then the line above it"},
		{"yaml-tab", "a line is indented with a tab", "indent with spaces"},
		{"yaml-trap", "YAML probably reads another value than intended: unquoted `{{ }}`, a `#` that cuts off an expression or, without a space after it, a text (a warning), a Windows path in double quotes, in which `\\t` and `\\n` are other characters, a number with a leading zero or with underscores", "put the value in quotes, a path in single ones"},
		{"yaml-limit", "nesting too deep, or aliases that expand to too many values", "use less nesting, or write the values without aliases"},
		{"yaml-merge", "the value of `<<` is not a mapping", "use an alias of a mapping"},
		{"yaml-tag", "a tag such as `!!binary`, which is not supported", "remove it"},
		{"not-utf8", "the file is not UTF-8", "save it as UTF-8"},
		{"empty-file", "the file has no content", "add content, or remove the file"},
		{"several-documents", "a second document after `---`", "move it to another file"},
		{"non-string-key", "a key that is a number, true, false or a collection", "put it in quotes"},
		{"duplicate-key", "a mapping contains the same key twice", "remove one of them"},
		{"unknown-key", "the key does not exist here", "see the hint: it suggests a valid key or lists all"},
		{"missing-key", "a required key is missing", "add it"},
		{"wrong-type", "the value has the wrong type, such as text instead of a number", "write a value of the type in the message"},
		{"invalid-value", "the type is right, but the value is out of range or not one of the allowed words", "write a value as described in the message"},

		// Pipelines.
		{"invalid-name", "the name of a pipeline, its file, a step, connection, secret, label or queue breaks a rule", "rename it according to the rule in the message"},
		{"no-steps", "`steps` is an empty list", "add a step"},
		{"duplicate-step", "two steps have the same name, also in different blocks", "rename one"},
		{"two-kinds", "a step has two of `handler`, `steps` and `uses`", "make two steps of it"},
		{"too-deep", "more than eight blocks are in one another", "put the inner steps into a pipeline of their own, and call it with `uses`"},
		{"not-a-list", "`foreach` has a text or a number", "write an expression that gives a list or a map, such as `${{ payload.lines }}`"},
		{"unreachable-step", "the step before it always ends the pipeline", "add an `if` to that step, or remove the steps after it"},
		{"no-effect", "the key has no effect here", "remove it"},
		{"invalid-schema", "a pipeline's `input` or a queue's schema is not a valid JSON Schema, or refers to another file", "fix the schema at the reported position"},
		{"unknown-keyword", "`input` or a queue's schema has a keyword that JSON Schema does not have, such as `requierd`; a warning, because the standard ignores such keywords", "fix the keyword"},
		{"empty-trigger", "a trigger without `cron`, `every`, `atStart: true` and `wake: true`", "add one of them, or remove `trigger`"},
		{"wake-scope", "`wake: true` without `scope: each-worker`: each worker runs its own items, so each must be woken", "add `scope: each-worker`"},
		{"two-schedules", "both `cron` and `every`", "keep one"},
		{"invalid-schedule", "an invalid cron expression or interval", "fix the field in the message: [schedules.md](schedules.md#cron-expressions)"},
		{"unknown-timezone", "the time zone does not exist", "use a name such as `Europe/Lisbon`, or `UTC`"},

		// Handlers and their parameters.
		{"unknown-handler", "no handler has this name; names are case-sensitive", "see the hint, or run `botwork handlers`"},
		{"unknown-parameter", "the handler does not have this parameter", "see the hint, or run `botwork handlers show KIND`"},
		{"missing-parameter", "a required parameter is missing", "add it"},
		{"wrong-value", "the handler rejects the value of a parameter, such as an unknown connection", "write a value as described in the message"},

		{"literal-secret", "the value of a key such as `password`, `token` or `Authorization`, or the password of an address, is written in the file; a warning", "define it under `secrets`, and write `${{ secrets.NAME }}`"},
		{"secret-in-text", "a text for people, such as that of `Log` or `Fail`, contains a secret, which is shown as `<secret>`; a warning", "remove it"},

		// Expressions.
		{"bare-braces", "a text contains `{{ payload.x }}`, `${payload.x}`, `$payload` or similar, which is not evaluated; a warning", "write `${{ payload.x }}`"},
		{"without-output", "an expression is only `steps.NAME`: a mapping of `output`, `skipped` and `error`; a warning", "write `steps.NAME.output`"},
		{"unclosed-expression", "`${{` without `}}`", "add `}}`, or write `$${{` for a literal `${{`"},
		{"expression-syntax", "not a valid expression", "fix it at the reported column"},
		{"expression-type", "an operation that its values do not support, for example with the output of a step, or a condition that is not true or false", "convert or compare the value"},
		{"expression-in-key", "an expression in a key of `with`", "use one expression for the whole mapping"},
		{"mixed-condition", "an `if` with text around its expression", "write the condition without `${{ }}`"},
		{"unknown-variable", "a name that does not exist, or a field that an item, a step or the output of a step does not have; `env.BOTWORK_NAME`, because pipelines cannot read settings; in settings, an environment variable that begins with `BOTWORK_` but is not a setting", "see the hint and the list of [variables](pipelines.md#expressions)"},
		{"unknown-field", "`payload.NAME`, but the pipeline's `input` has no such property, so its value would be nil: reported if the name looks misspelt, and always with `additionalProperties: false`; a warning", "fix the name, or add the property to `input`"},
		{"unknown-step", "`steps.NAME`, but no step has this name", "fix the name; write `steps[\"a-b\"]` for a name with a hyphen"},
		{"later-step", "`steps.NAME`, but the step runs later, at the same time, or in a block that has ended", "use an earlier step, or the output of the block"},
		{"unknown-secret", "`secrets.NAME`, but the settings do not define the secret", "fix the name, or add the secret to `botwork.yaml`"},
		{"unset-value", "`values.NAME`, but the settings do not set the value in an environment: an error for the chosen environment, and in `botwork pipelines check` and the editor for all; elsewhere a warning for the others", "fix the name, or add the value to `botwork.yaml` or to the file of the environment"},
		{"secret-variable", "`env.NAME`, but a setting reads this environment variable as a secret or a DSN", "define the secret under `secrets`, and write `secrets.NAME`"},

		// The folder and what is enqueued.
		{"no-folder", "the pipelines folder does not exist, or is not a folder", "create it (`botwork init` does), or set `pipelines.dir`"},
		{"unreadable-file", "a pipeline file cannot be read", "check its permissions"},
		{"duplicate-pipeline", "two files define pipelines with the same name; names are not case-sensitive", "rename one; until then, the file with the first path is used"},
		{"no-cases", "a test file has an empty list of `cases`", "add a case"},
		{"duplicate-case", "two cases of a test file have the same name", "rename one"},
		{"unknown-pipeline", "an item, a task, a step `Enqueue`, a step with `uses` or a test file refers to a pipeline that does not exist; a warning for a filter of `notifications`", "fix the name, or add the file"},
		{"broken-pipeline", "an item, a task or a step with `uses` refers to a pipeline whose file has errors; a warning for a task, because its items wait until the file is fixed", "fix the file"},
		{"call-cycle", "pipelines call one another without end, with `uses`", "remove one of the calls"},
		{"triggered-pipeline", "an item or a step with `uses` refers to a pipeline with a trigger", "use a pipeline without a trigger; `botwork run --once` starts the one with a trigger"},
		{"unsigned-key", "the natural key of a webhook comes from a header or from the query, which the signature does not cover; a warning", "use an expression over the body"},
		{"shared-secret", "two webhooks have the same secret, so both accept a request that was signed for one; a warning", "use a secret for each webhook"},
		{"unknown-queue", "an item, a task, a rule of escalation, `worker.queues` or a filter of `notifications` refers to a queue that does not exist; a warning if the settings define queues but not this one, because it may still exist in the database", "fix the name, or define the queue"},
		{"unheard-escalation", "a rule of escalation has `notify: true`, but no rule of `notifications` has `event: escalation` for its queue or pipeline; a warning", "add such a rule, or use another action"},
		{"key-in-use", "with `conflict: fail`, another item has the key of a line", "use another key, or leave out the line"},
		{"invalid-payload", "the payload is not valid JSON, or does not match the pipeline's `input`", "fix the payload"},
		{"not-json", "a line of standard input is not a JSON object", "write one object per line"},
		{"too-long", "a line is longer than the largest payload of all queues plus 1 MB", "store the data elsewhere and refer to it, or increase `maxPayload`"},
		{"too-many", "there are so many errors that the remaining lines were not read", "fix the first ones"},

		// Between pipelines.
		{"unserved-priorities", "the steps `ExecuteWorkItems` of all pipelines with a trigger leave a gap between two ranges of priorities, or run priorities that no `AssignTasksToWorker` assigns; or a queue, a task, a webhook or a step `Enqueue` gives items a priority that no pipeline runs", "extend a range, add a step, or change the priority"},
		{"endless-loop", "each run of a pipeline reaches a step `Enqueue` without `if` that enqueues the pipeline again, directly or through others; or a step `Snooze` without `if` that no earlier step can prevent, or with an `if` that reads the outputs of steps although `resume` keeps them", "give the step an `if`"},
		{"key-not-unique", "a step `Enqueue` has a `naturalKey`, but the keys of its queue are not unique, so another item of the same key is created", "set `keys.unique` of the queue, or remove the key"},
		{"overlapping-priorities", "two pipelines run items of the same priorities", "let one range begin where the other ends: `minPriority: 500` and `belowPriority: 500`"},
		{"seen-too-short", "a `workerSeenWithin` shorter than `worker.lease`: a worker whose heartbeat is late gets no items although it is running", "use the lease or a longer duration"},
		{"moved-setting", "a `maxReleases` in a step `AssignTasksToWorker`, although it is a setting of queues", "remove it, and set `queues.NAME.maxReleases` in botwork.yaml"},

		// Settings.
		{"no-environment", "the chosen environment has no settings file beside `botwork.yaml`", "fix `--environment` or `BOTWORK_ENVIRONMENT`, or create the file, such as `botwork.prod.yaml`"},
		{"secret-value", "a value under `values` looks like a password, a token or an address with a password, and values are not secret; a warning", "define it under `secrets`, and write `${{ secrets.NAME }}`"},
		{"no-file", "the settings file, or the file of a queue's schema, cannot be read", "fix `--config`, `BOTWORK_CONFIG` or the path; `botwork init` creates a settings file"},
		{"out-of-range", "a number or duration is outside its limits", "write a value as described in the message"},
		{"insecure-address", "the HTTP API would be reached from other machines in clear text", "set `http.tls`, or `http.insecure: true` behind a proxy that terminates TLS"},
		{"missing-folder", "a folder of `handlers.folders` does not exist, or is a file; a warning, because it may exist on another machine", "create it, or correct the path"},
		{"invalid-pair", "two settings contradict each other, such as a lease shorter than two heartbeats", "change one of them"},
		{"unknown-target", "a rule of `notifications` names a target that does not exist", "fix the name, or add the target"},
		{"invalid-target", "a target of `notifications` has an address or a template with which nothing can be sent", "fix what the message names"},
		{"wrong-source", "a secret has none or more than one of `env`, `file`, `credential` and `value`", "keep exactly one"},
		{"no-value", "the environment variable or file of a secret or a DSN does not exist", "create it"},
	}
}
