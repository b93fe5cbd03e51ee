// Package pipelines reads, checks and runs pipelines: YAML files with steps that name
// handlers.
//
//	name: ImportInvoice          # default: the base name of the file
//	description: one line for listings
//	input: {type: object, required: [file]}   # a JSON Schema of the payload
//	resilience: {limit: 3, delay: 30s, factor: 2, maxDelay: 1h, jitter: 0.1, retryOn: [error, timeout],
//	             timeout: 10m, within: 24h, maxRetryAfter: 1h}   # timeout: of one run; within: no attempt begins later than this after the first
//	estimatedDuration: 20s
//	steps:
//	  - name: load               # default: the handler's name; the second one is "HTTP-2"
//	    handler: HTTP
//	    if: payload.kind == "invoice"
//	    timeout: 30s             # of each attempt
//	    retry: {attempts: 3, delay: 1s, factor: 2, maxDelay: 1m, jitter: 0.1}
//	    onError: fail            # or continue, or break
//	    with:
//	      url: https://example.test/files/${{ payload.file }}
//
// A step calls a handler, or it is a block with `steps` of its own, or it calls another
// pipeline with `uses`. A block or any step with `foreach` runs once for each element of a
// list; `parallel` runs iterations, or the steps of a block, side by side. The engine treats
// them alike: what a step runs is a handlers.Handler, and the pipeline itself is a block.
// The lists `onSuccess`, `onFailure` and `finally` run when it is decided how the steps have
// ended. With `resume: true` the engine records how each step has ended, and the next attempt
// of the item takes that over. docs/pipelines.md describes all keys.
//
// A pipeline with a `trigger` is a system pipeline: it is started by a schedule, not by
// an item. The keys of a trigger are cron or every, atStart, wake, timezone, dst (first,
// last, both, skip), overlap (skip, queue), scope (once, each-worker) and catchUp.
//
// # The message
//
// One message is passed from step to step: the payload is the input of the first step,
// and the output of each step is the input of the next one. A step that is skipped, or
// that failed with `onError: continue`, passes on its input. The last output is the
// output of the item, with <secret> in place of the values of secrets. If no step has an
// output, the item has none.
//
// # Expressions
//
// A value of `with` can contain expressions in ${{ }}, in the language of
// github.com/expr-lang/expr. If the whole value is one expression, it keeps the type of
// the expression. Within a text, the result is formatted: numbers in plain digits, times
// in RFC 3339 and UTC, lists and maps as JSON. nil within a text is an error. `if` is an
// expression with or without ${{ }} that evaluates to true or false. $${{ is a literal
// ${{.
//
// The variables are:
//
//	payload          the item's payload
//	input            the output of the previous step; the payload in the first step
//	steps.<name>     an earlier step:
//	  .output          its output; nil if it was skipped or failed
//	  .skipped         whether its `if` was false
//	  .error           the text of its error if it failed and the run continued, otherwise nil
//	item             the item (not in a pipeline with a trigger): id, queue, priority,
//	                 attempt (1 for the first), fence, idempotencyKey, createdAt, availableAt,
//	                 deadlineAt, createdBy, naturalKey, taskName; times are UTC, unset values nil
//	env.<NAME>       an environment variable, nil if it is not set; without those of this
//	                 program (BOTWORK_…)
//	secrets.<name>   a secret of the settings
//	values.<name>    a value of the settings, which is not secret
//	now              when the run started, in UTC; it hides the function now()
//	worker.name      the worker that runs the step
//
// In a loop, each is the element, each.index its number from 0, and `as` names it; vars.<name> is
// a value under `vars`. In onFailure and finally, error has the text, kind and step of the
// failure, and final: whether no attempt follows.
//
// Names in expressions are checked before anything runs: an unknown variable or secret is
// a finding, and so is a step that does not exist or runs later. Fields of the payload
// cannot be checked: payload.a.b fails if a does not exist; payload?.a?.b ?? "x" does not
// fail. A step name with a dash or a space is written steps["load-data"]. An expression
// can build at most a million elements, and can only access its variables.
//
// # The outcome of a run
//
//	all steps ran, were skipped, or failed with onError: continue    succeeded
//	a handler ended the run (break), or failed with onError: break   succeeded
//	a handler failed                                 failed: error, timeout or panic
//	a handler failed permanently, a parameter or an
//	expression is invalid, the payload is not JSON   failed: permanent
//	a handler returned a business error, or the
//	payload does not match `input`                   failed: business
//	a handler snoozed the item                       snoozed
//	the worker drains or has lost the item           released
//
// onError applies to failures of all kinds, including those of expressions. It does not
// apply to break and snooze.
//
// The retry of a step repeats the step within the run, in the worker's slot. The
// resilience of the item repeats the whole run later. A step does not repeat break,
// snooze, permanent and business errors, or a failure that asks for a longer wait than
// maxDelay. Expressions are evaluated once for all attempts of a step.
//
// When the context of the run ends, it interrupts the step: its handler, or the wait
// before its next attempt. If the handler then returns another error, such as a business
// error, that error counts; errors of earlier attempts do not. If the context ended
// because of resilience.timeout, the run failed with a timeout.
package pipelines
