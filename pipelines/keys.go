package pipelines

import (
	"fmt"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/policykeys"
	"botwork/internal/cron"
	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/matching"
)

// The values of keys, the default first.
var (
	onErrors = []OnError{OnErrorFail, OnErrorContinue, OnErrorBreak}
	overlaps = []Overlap{OverlapSkip, OverlapQueue}
	scopes   = []Scope{ScopeOnce, ScopeEachWorker}
	finishes = []Finish{FinishBatch, FinishSync}
	dsts     = []cron.DST{cron.First, cron.Last, cron.Both, cron.Skip}
)

// Keys describes the keys of a pipeline file, including the nested ones of its steps, its
// trigger and so on.
func Keys() keydocs.Keys {
	return keydocs.For[rawPipeline](keydocs.Keys{
		{
			Name: "name", Pattern: pipelinePattern, Wanted: nameRule, Without: "the file's name without its extension",
			Doc: "the name of the pipeline. Letters, digits, spaces, dots, dashes and underscores, at most 100; the first is a " +
				"letter or a digit. Names that differ only in upper and lower case are not allowed, nor names that no file has on Windows, such as `con` or `a.`.",
		},
		{Name: "description", Doc: "a one-line description for listings"},
		{Name: "trigger", Type: "object", Keys: triggerKeys(), Doc: "when the pipeline starts: [schedules.md](schedules.md)"},
		{
			Name: "input", Type: "JSON Schema", Without: "anything",
			Doc: "a JSON Schema of the payload (draft 2020-12; formats such as `date` are checked). `$ref` leads only to the schema itself.",
		},
		{
			Name: "resilience", Type: "object", Keys: ResilienceKeys(), Without: "the queue's",
			Doc: "how often an item is tried, how long it waits between attempts, and how long a run may take: [below](#the-keys-of-resilience)",
		},
		{
			Name: "estimatedDuration", Type: "duration", Min: new(0.0), Without: "unknown", Example: "20s",
			Doc: "how long a run takes, until the duration has been [learned](durations.md) from three runs. Items are distributed by this " +
				"estimate; an item's own estimate takes precedence.",
		},
		{
			Name: "labels", Type: "map of scalar", Doc: "labels of the pipeline's items, for [scores](assignment.md#scores); an item's own labels take precedence",
		},
		{
			Name: "selectors", Type: "list of string or object", Keys: matching.SelectorKeys(),
			Doc: "which workers can run the items: [selectors](assignment.md#selectors); an item's own selectors are added to them",
		},
		{
			Name: "selectorsReplace", Type: "true or false", Default: "false",
			Doc: "whether an item's own selectors replace those of the pipeline: [assignment.md](assignment.md#whose-labels-and-selectors-count)",
		},
		{
			Name: "distribution", Type: "object", Keys: matching.DistributionKeys(), Without: "the queue's",
			Doc: "how the items are distributed to workers: `{mode, bypassSelectors, scoring}`: [assignment.md](assignment.md#modes)",
		},
		{
			Name: "escalation", Type: "list of object", Keys: escalation.Keys(),
			Doc: "what happens to items that wait too long: [escalation.md](escalation.md); beside the rules of their queue. Ignored in an inline pipeline.",
		},
		{
			Name: "channel", Pattern: queueName, Wanted: "1 to 200 Latin letters, digits and the characters _ - .",
			Doc: "the channel of the pipeline's items, which determines how many slots each of them uses on a worker: [workers.md](workers.md#channels). " +
				"The rules for names are those of queues. Ignored in an inline pipeline.",
		},
		{
			Name: "learnBy", Type: "object", Keys: learnByKeys(),
			Doc: "`{keyPrefix: \":\"}`: durations are [learned](durations.md) separately for items whose natural keys are equal up to the first `:`",
		},
		{
			Name: "finish", Enum: keydocs.Words(finishes...), Default: string(finishes[0]),
			EnumDocs: []string{
				"together with those of other items, within about 10 ms, while the slot begins its next item",
				"before the slot begins its next item: slower, but a crash repeats only items that were running",
			},
			Doc: "when the result of an item's run is written",
		},
		{
			Name: "batch", Type: "object", Keys: BatchKeys(), Without: "each item runs alone",
			Doc: "`{by: ${{ payload.customer }}}`: items with the same key run together in one run: [below](#items-that-run-together-batch). " +
				"Ignored in an inline pipeline.",
		},
		{
			Name: "resume", Type: "true or false", Default: "false",
			Doc: "whether an attempt goes on at the first step that has not ended well: [below](#going-on-where-it-failed-resume)",
		},
		{
			Name: "vars", Type: "map of any", Names: elementPattern,
			Doc: "values with expressions, evaluated once before the first step, in order; steps read them as `vars.NAME`: [below](#values-vars)",
		},
		{Name: "steps", Type: "list of step", Min: new(1.0), Doc: "one step or more: [below](#the-keys-of-a-step)"},
		{Name: "onSuccess", Type: "list of step", Doc: "steps that run after the steps if they have succeeded: [below](#afterwards-onsuccess-onfailure-finally)"},
		{Name: "onFailure", Type: "list of step", Doc: "steps that run after the steps if the run has failed"},
		{Name: "finally", Type: "list of step", Doc: "steps that run after the steps in any case"},
		{Name: "cleanupTimeout", Type: "duration", Min: new(0.0), Default: "1m", Doc: "how long these steps may take in all, even if the run has timed out or was cancelled"},
	})
}

// elementPattern matches the names that the element of a loop may have.
const elementPattern = `^[A-Za-z_][A-Za-z0-9_]*$`

// queueName matches the names that workqueue.CheckName accepts.
const queueName = `^[A-Za-z0-9_.-]{1,200}$`

// StepActions returns the keys that say what a step does: a step has one of them.
func StepActions() []string { return []string{"handler", "steps", "uses"} }

// StepKeys describes the keys of a step. The handler describes the keys of `with`.
func StepKeys() keydocs.Keys {
	return keydocs.For[rawStep](keydocs.Keys{
		{Name: "handler", Doc: "the handler that does the work: [handlers.md](handlers.md). A step has `handler`, `steps` or `uses`."},
		{
			Name: "name", Pattern: stepPattern, Wanted: nameRule, Without: "the handler's name; the second one is `HTTP-2`",
			Doc: "the step's name in expressions, errors and logs; unique in the file",
		},
		{
			Name: "if", Type: "expression", Without: "run always", Example: "payload.amount > 0",
			Doc: "an expression that is true or false, with or without `${{ }}`. If it is false, the step is skipped.",
		},
		{Name: "timeout", Type: "duration", Min: new(0.0), Example: "30s", Doc: "how long one attempt of the step may take; the failure is of the kind `timeout`"},
		{
			Name: "retry", Type: "object", Keys: RetryKeys(), Without: "one attempt", Example: "{attempts: 3}",
			Doc: "retry the step within the same run: [below](#the-keys-of-retry)",
		},
		{
			Name: "onError", Enum: keydocs.Words(onErrors...), Default: string(onErrors[0]),
			EnumDocs: []string{
				"the run fails", "the next step runs and gets this step's input; `steps.NAME.error` has the text", "the run ends here, successfully",
			},
			Doc: "what happens when the step fails",
		},
		{Name: "with", Type: "object", Doc: "the handler's parameters, or the payload of the pipeline in `uses`"},
		{Name: "steps", Type: "list of step", Min: new(1.0), Doc: "the steps of a block: [below](#blocks)"},
		{Name: "uses", Example: "common/post-to-ledger", Doc: "the pipeline that the step calls, with `with` as its payload: [below](#calls-uses)"},
		{
			Name: "foreach", Type: "any", Without: "the step runs once", Example: "${{ payload.lines }}",
			Doc: "a list or a map: the step runs once for each element: [below](#loops-foreach)",
		},
		{
			Name: "as", Pattern: elementPattern, Wanted: "a name of letters, digits and underscores", Without: "`each`", Example: "line",
			Doc: "the name of the element in expressions",
		},
		{
			Name: "collect", Type: "true or false", Default: "true",
			Doc: "whether the output of a `foreach` is the list of the outputs of its iterations; `false` keeps none",
		},
		{
			Name: "parallel", Type: "whole number or true or false", Min: new(1.0), Max: new(float64(mostParallel)), Without: "one after another", Example: "4",
			Doc: "of a `foreach`: how many iterations run at the same time. `true` of another block: its steps run side by side: [below](#side-by-side-parallel)",
		},
	})
}

func learnByKeys() keydocs.Keys {
	return keydocs.For[rawLearnBy](keydocs.Keys{
		{
			Name: "keyPrefix", Pattern: `^.*\S.*$`, Wanted: "a separator of at most 20 characters", Example: `":"`,
			Doc: "the separator after the part of a natural key by which durations are learned",
		},
	})
}

// BatchKeys describes the keys of `batch`.
func BatchKeys() keydocs.Keys {
	return keydocs.For[rawBatch](keydocs.Keys{
		{
			Name: "by", Example: "${{ payload.customer }}",
			Doc: "the key: a text with expressions that read `payload` only. An item without a value, or for which it fails, runs alone.",
		},
		{
			Name: "max", Type: "whole number", Min: new(float64(workqueue.LeastBatch)), Max: new(float64(workqueue.MostBatch)), Default: fmt.Sprint(batchMax),
			Doc: "the most items of a run; a batch of so many items does not wait",
		},
		{
			Name: "wait", Type: "duration", Min: new(0.0), Default: workqueue.Duration(batchWait).String(),
			Doc: "how long a batch waits for another item after the latest one became due",
		},
		{
			Name: "atMost", Type: "duration", Min: new(0.0), Without: "`5m`, or `wait` if that is longer",
			Doc: "how long the first item of a batch waits in all",
		},
		{
			Name: "failed", Type: "expression", Without: "none", Example: "${{ steps.post.output.failed }}",
			Doc: "which items failed although the run succeeded: a list of ids, or of `{id, error, kind}`; evaluated after the last step",
		},
	})
}

func triggerKeys() keydocs.Keys {
	return keydocs.For[rawTrigger](keydocs.Keys{
		{Name: "cron", Example: `"30 6 * * mon-fri"`, Doc: "a cron expression of five or six fields; not together with `every`"},
		{Name: "every", Type: "duration", Min: new(0.0), Example: "5m", Doc: "an interval of one second or more, in whole milliseconds; not together with `cron`"},
		{Name: "atStart", Type: "true or false", Default: "false", Doc: "start once when a process starts"},
		{
			Name: "wake", Type: "true or false", Default: "false",
			Doc: "start as soon as there are items that the pipeline would assign or run: [below](#as-soon-as-there-is-work-wake); needs `scope: each-worker`",
		},
		{
			Name: "timezone", Without: "the setting `pipelines.timezone`", Example: "Europe/Lisbon",
			Doc: "the zone of the cron expression: a name such as `Europe/Lisbon`, or `UTC`",
		},
		{Name: "dst", Enum: keydocs.Words(dsts...), Default: string(dsts[0]), Doc: "what happens to fixed hours when the clocks change"},
		{
			Name: "overlap", Enum: keydocs.Words(overlaps...), Default: string(overlaps[0]),
			EnumDocs: []string{"the new run is skipped", "it runs afterwards"}, Doc: "what happens to a scheduled run while the previous run is still active",
		},
		{
			Name: "scope", Enum: keydocs.Words(scopes...), Default: string(scopes[0]),
			EnumDocs: []string{"one worker of the cluster", "each worker"}, Doc: "which workers run it",
		},
		{Name: "catchUp", Type: "duration", Min: new(0.0), Default: "0s", Doc: "the maximum age of a missed run that is still started"},
	})
}

// ResilienceKeys describes the keys of `resilience`. They are also those of a queue's
// `retry` and of a task's `resilience`.
func ResilienceKeys() keydocs.Keys {
	return keydocs.For[policykeys.Resilience](workqueue.ResilienceKeys())
}

// RetryKeys describes the keys of a step's `retry`.
func RetryKeys() keydocs.Keys {
	return keydocs.For[rawRetry](keydocs.Keys{
		{Name: "attempts", Type: "whole number", Min: new(1.0), Example: "3", Doc: "the number of attempts in one run, including the first"},
		{Name: "delay", Type: "duration", Min: new(0.0), Default: "1s", Doc: "the wait before the second attempt; `0s` for none"},
		{Name: "factor", Type: "number", Min: new(1.0), Default: "2", Doc: "each further wait is multiplied by this"},
		{
			Name: "maxDelay", Type: "duration", Min: new(0.0), Without: "`1m`, or `delay` if that is longer", Doc: "the longest wait, before jitter",
		},
		{Name: "jitter", Type: "number", Min: new(0.0), Max: new(1.0), Default: "0.1", Doc: "the random share: 0.1 spreads a wait over ±10 %"},
	})
}
