package matching

import (
	"slices"

	"botwork/internal/author/keydocs"
)

// SelectorKeys describes the keys of a selector that is written as a mapping.
func SelectorKeys() keydocs.Keys { return selectorKeys }

// DistributionKeys describes the keys of a distribution.
func DistributionKeys() keydocs.Keys { return distributionKeys }

// QueueDistributionKeys describes the keys of a queue's distribution.
func QueueDistributionKeys() keydocs.Keys { return queueDistributionKeys }

// These tables contain all keys that the decoder accepts: it uses them.
var (
	selectorKeys = keydocs.Keys{
		{
			Name: "key", Required: true, Pattern: labelKey.String(), Wanted: wantedKey, Example: "ram",
			Doc: "the label of the worker that is compared",
		},
		{Name: "operator", Required: true, Enum: slices.Compact(operatorNames()), Doc: "how the worker's label is compared with the value"},
		{Name: "value", Type: "scalar or list of scalar", Doc: "what it is compared with; a list for `in`, none for `exists`"},
		{Name: "values", Type: "list of scalar", Doc: "the values of which the label must be one; for `in`"},
		{
			Name: "expiresAfter", Type: "duration", Min: new(0.0), Example: "45s",
			Doc: "the selector filters no longer when the item has waited for so long",
		},
		{
			Name: "expedite", Type: "true or false", Default: "false",
			Doc: "the item goes before all others that wait for the same workers while the selector filters; only an item's own selectors can say it",
		},
	}

	distributionKeys = keydocs.Keys{
		{
			Name: "mode", Enum: keydocs.Words(modes...), Doc: "which of the workers that may have an item and have room for it gets it",
			EnumDocs: []string{
				"the worker that can start it first; of equals the one with the least summed estimated duration for each slot", "the next worker in turn",
				"the worker that uses the smallest share of its capacity", "the worker with the best score",
			},
		},
		{Name: "bypassSelectors", Type: "true or false", Doc: "`true` lets every worker have the items, whatever their selectors ask; they still score"},
		{
			Name: "scoring", Type: "object", Keys: scoringKeys,
			Doc: "how `best-worker` scores: [scores](assignment.md#scores). It goes as a whole",
		},
	}

	queueDistributionKeys = append(slices.Clip(distributionKeys), keydocs.Key{
		Name: "share", Type: "whole number", Min: new(1.0), Max: new(float64(MaxShare)), Example: "3",
		Doc: "how many items of the queue start for each one of a queue with the share 1, while both have due items: [shares](assignment.md#shares)",
	})

	scoringKeys = keydocs.Keys{
		{
			Name: "rule", Enum: keydocs.Words(ruleKinds...), Default: string(ruleKinds[0]), Doc: "what makes the score",
			EnumDocs: []string{
				"the share of the item's labels and selectors that the worker satisfies", "the score of the first of the cases that the worker satisfies",
				"the number that `scores` has for the value of the worker's label", "the value of an expression", "what a service answers",
			},
		},
		{Name: "score", Type: "number", Doc: "the score if no case, or no value, matches; for `static` and `map`"},
		{Name: "cases", Type: "list of object", Min: new(1.0), Keys: caseKeys, Doc: "the score of the first case whose conditions the worker satisfies; for `static`"},
		{Name: "label", Pattern: labelKey.String(), Wanted: wantedKey, Doc: "the worker's label whose value is looked up; for `map`"},
		{Name: "scores", Type: "map of number", Doc: "the score of each value of the label; for `map`", Example: "{expert: 10, novice: 1}"},
		{Name: "expression", Doc: "an expression over `job`, `selectors` and `worker` that gives the score; for `expression`", Example: "worker.ram - 2 * (worker.load ?? 0)"},
		{Name: "http", Type: "object", Keys: httpKeys, Doc: "the service that is asked for scores; for `http`"},
		{Name: "batch", Type: "true or false", Default: "false", Doc: "the expression or the service gets many workers at once"},
		{Name: "batchSize", Type: "whole number", Min: new(1.0), Max: new(float64(maxBatch)), Doc: "how many at most; beside `batch: true`"},
		{Name: "descending", Type: "true or false", Default: "true", Doc: "`false`: the lowest score is the best one"},
		{Name: "send", Type: "list of string", Enum: []string{sendLabels, sendSelectors}, Doc: "what of the item is taken into account"},
	}

	caseKeys = keydocs.Keys{
		{
			Name: "when", Type: "list of string or object", Required: true, Keys: selectorKeys.Without("expiresAfter", "expedite"),
			Doc: "conditions on the worker's labels, such as `ram >= 32`",
		},
		{Name: "score", Type: "number", Required: true, Doc: "the score of a worker that satisfies them all"},
	}

	httpKeys = keydocs.Keys{
		{Name: "url", Required: true, Pattern: `^https?://.*$`, Wanted: "an address that begins with http:// or https://", Doc: "where the scores are asked for"},
		{
			Name: "headers", Type: "map of string or object", Keys: headerKeys, Example: `{Authorization: {secret: scorer, prefix: "Bearer "}}`,
			Doc: "headers of the request: a text, or the name of a secret of the settings",
		},
		{Name: "timeout", Type: "duration", Min: new(0.0), Doc: "how long a pass waits for the answer, at most " + maxHTTPTimeout.String()},
		{Name: "fallback", Type: "scalar", Doc: "the score where no answer comes: a number, or `default` for the default score", Default: string(DefaultRule)},
	}

	headerKeys = keydocs.Keys{
		{Name: "secret", Required: true, Doc: "the name of a secret of the settings"},
		{Name: "prefix", Doc: "the text before it", Example: `"Bearer "`},
	}
)
