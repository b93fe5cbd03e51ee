// Package pipelines reads, checks and runs pipelines: YAML files whose steps
// name handlers.
//
//	name: ImportInvoice          # else the file's base name
//	description: one line for listings
//	input: {type: object, required: [file]}   # a JSON Schema of the payload
//	resilience: {limit: 3, delay: 30s, factor: 2, maxDelay: 1h, jitter: 0.1, retryOn: [error, timeout],
//	             timeout: 10m, within: 24h, maxRetryAfter: 1h}   # of one run; no attempt begins later than this after the first
//	estimatedDuration: 20s
//	steps:
//	  - name: load               # else the handler's name; the second one is "HTTP-2"
//	    handler: HTTP
//	    if: payload.kind == "invoice"
//	    timeout: 30s             # of each attempt
//	    retry: {attempts: 3, delay: 1s, factor: 2, maxDelay: 1m, jitter: 0.1}
//	    onError: fail            # or continue, or break
//	    with:
//	      url: https://example.test/files/${{ payload.file }}
//
// A pipeline with a `trigger` is a system pipeline: a schedule starts it, no
// item does. Its keys are cron or every, atStart, wake, timezone, dst (first, last,
// both, skip), overlap (skip, queue), scope (once, each-worker) and catchUp.
//
// # The message
//
// One message flows through the steps: the payload is the input of the first,
// and the output of each is the input of the next. A step that is skipped, or
// that failed with `onError: continue`, passes its input on. The last output is
// the item's, with <secret> for the values of secrets; where no step gave any,
// the item has none.
//
// # Expressions
//
// A value of `with` may hold expressions in ${{ }}, in the language of
// github.com/expr-lang/expr. A value that is one expression keeps the
// expression's type; within a text the result is written out: numbers in plain
// digits, times in RFC 3339 and UTC, lists and maps as JSON. nil has no text
// and is an error there. `if` takes an expression with or without ${{ }}, which
// gives true or false. $${{ is a literal ${{.
//
// The variables are:
//
//	payload          the item's payload
//	input            what the step before put out; the payload in the first step
//	steps.<name>     a step before this one:
//	  .output          what it put out; nil when it was skipped or failed
//	  .skipped         whether its `if` was false
//	  .error           the text of its error when it failed and the run went on, else nil
//	item             the item (not in a pipeline with a trigger): id, queue, priority,
//	                 attempt (1 for the first), fence, createdAt, availableAt, deadlineAt,
//	                 createdBy, naturalKey, taskName; times are UTC, what is not set is nil
//	env.<NAME>       an environment variable, nil when it is not set; those of this
//	                 program itself (BOTWORK_…) are not there
//	secrets.<name>   a secret of the configuration
//	now              when the run started, in UTC; it hides the function now()
//	worker.name      the worker that runs the step
//
// What an expression names is checked before anything runs: an unknown variable
// or secret, or a step that is not there or comes later, is a finding. A field
// of the payload cannot be checked: payload.a.b fails when there is no a, and
// payload?.a?.b ?? "x" does not. A step's name with a dash or a blank in it is
// written steps["load-data"]. An expression may build a million elements; it
// cannot reach anything outside its variables.
//
// # What comes of a run
//
//	every step ran, was skipped, or failed with onError: continue   succeeded
//	a handler broke off, or failed with onError: break              succeeded
//	a handler failed                              failed: error, timeout or panic
//	a handler failed for good, parameters or an
//	expression were wrong, the payload is not JSON                  failed: permanent
//	a handler said so, or the payload does not fit `input`          failed: business
//	a handler wants to run later                                    snoozed
//	the worker drains or has lost the item                          released
//
// onError concerns failures of every kind, those of expressions too; it does
// not concern break and snooze.
//
// A step's retry repeats it within the run, in the worker's slot; the item's
// resilience repeats the whole run later. Break, snooze, permanent and business
// errors are not repeated by the step, nor is a failure that asks for a longer
// wait than maxDelay. Expressions are evaluated once for all attempts of a step.
//
// The end of the run's context ends whatever the step is at: a handler, or the
// wait before its next attempt. A handler that has more to say then, such as a
// business error, is heard; its earlier attempts are not. Where the context
// ended because resilience.timeout is over, the run failed as a timeout.
package pipelines
