package escalation

import "botwork/internal/author/keydocs"

// Keys describes the keys of a rule. The decoder accepts these keys.
func Keys() keydocs.Keys { return ruleKeys }

// relaxAll is the element of relax that removes all selectors. No selector has this key.
const relaxAll = "*"

// namePattern matches the names of rules and queues.
const namePattern = `^[A-Za-z0-9_.-]{1,100}$`

var (
	ruleKeys = keydocs.Keys{
		{
			Name: "name", Required: true, Pattern: namePattern, Wanted: wantedName, Example: "late",
			Doc: "the name of the rule in histories, in the audit log and in `items why`",
		},
		{Name: "after", Type: "duration", Min: new(0.0), Example: "10m", Doc: "the rule acts on items that have waited for so long since they became due"},
		{
			Name: "when", Example: "length > 500",
			Doc: "a condition: `length`, `oldest`, `assigned` and `running` are figures of the queue or pipeline. Without it the rule always applies",
		},
		{Name: "raise", Type: "object", Keys: raiseKeys, Example: "{by: 100, to: 1500, every: 10m}", Doc: "raises the priority"},
		{Name: "moveTo", Pattern: namePattern, Wanted: wantedName, Example: "overflow", Doc: "moves the items to this queue"},
		{
			Name: "relax", Type: "list of string", Min: new(1.0), Example: "[gpu]",
			Doc: "removes the item's own selectors with these keys; `[\"*\"]` removes all of them",
		},
		{Name: "cancel", Type: "true or false", Default: "false", Doc: "cancels the items"},
		{Name: "notify", Type: "true or false", Default: "false", Doc: "reports the items, or that the condition has become true, in the log and the audit log"},
		{
			Name: "keep", Type: "whole number", Min: new(0.0), Example: "500",
			Doc: "`moveTo` and `cancel` leave so many items of the queue alone, the first in its order. Required for these actions without `after`; only for queues",
		},
	}

	raiseKeys = keydocs.Keys{
		{Name: "by", Type: "whole number", Min: new(1.0), Example: "100", Doc: "how much each step adds. Without it the priority becomes `to` at once"},
		{Name: "to", Type: "whole number", Example: "1500", Doc: "the highest priority that the rule gives; required with `every`"},
		{Name: "every", Type: "duration", Min: new(0.0), Example: "10m", Doc: "the time between two steps. Without it there is one step"},
	}
)
