package pipelines

import (
	"strconv"
	"strings"

	"botwork/internal/author/strictyaml"
)

// pipelineHabits and stepHabits are keys of other tools, in lower case without - and _, with what is
// written here instead.
var (
	pipelineHabits = map[string]string{
		"on": habitTrigger, "schedule": habitTrigger, "cron": habitTrigger, "every": habitTrigger, "triggers": habitTrigger, "interval": habitTrigger,
		"when": "write an if in each step", "if": "write an if in each step", "condition": "write an if in each step",
		"retries": habitLimit, "retry": habitLimit, "maxretries": habitLimit, "attempts": habitLimit,
		"timeout": "write resilience: {timeout: 10m}", "timeoutminutes": "write resilience: {timeout: 10m}",
		"env": "write variables of a program in the with of its step: env: {NAME: value}", "environment": "write variables of a program in the with of its step: env: {NAME: value}",
		"jobs": habitSteps, "tasks": habitSteps, "stages": habitSteps, "actions": habitSteps, "inputs": "write input: a JSON Schema of the payload",
		"params": "write input: a JSON Schema of the payload", "parameters": "write input: a JSON Schema of the payload",
		"priority": habitItem, "queue": habitItem, "concurrency": "write limits: {concurrency: 1} in the queue",
		"id": "write name", "version": "remove it: the program keeps the versions of a pipeline",
	}
	stepHabits = map[string]string{
		"when": "write if", "condition": "write if", "on": "write if", "unless": "write if: not (…)", "id": "write name",
		"retries": habitRetry, "maxretries": habitRetry, "attempts": habitRetry, "maxattempts": habitRetry, "retrycount": habitRetry,
		"run": habitExec, "script": habitExec, "command": habitExec, "cmd": habitExec, "shell": habitExec, "program": "write it under with",
		"action": "write handler: and the name of a handler", "type": "write handler: and the name of a handler",
		"task": "write handler: and the name of a handler", "kind": "write handler: and the name of a handler", "module": "write handler: and the name of a handler",
		"params": "write with", "parameters": "write with", "args": habitWith, "inputs": "write with", "input": habitWith, "options": "write with", "env": habitWith, "url": habitWith,
		"loop": habitLoop, "for": habitLoop, "each": habitLoop, "withitems": habitLoop, "items": habitLoop, "range": habitLoop, "matrix": habitLoop, "var": "write as",
		"call": habitCall, "pipeline": habitCall, "workflow": habitCall, "include": habitCall, "template": habitCall,
		"block": "write steps", "do": "write steps", "branches": habitSide, "concurrency": habitSide,
		"dependson": habitOrder, "needs": habitOrder, "requires": habitOrder, "after": habitOrder,
		"continueonerror": "write onError: continue", "ignoreerrors": "write onError: continue", "allowfailure": "write onError: continue",
		"timeoutminutes": "write timeout: 10m", "schedule": "write a trigger for the whole pipeline: trigger: {cron: \"0 6 * * *\"}",
		"delay": "write a step before it: handler: Delay", "sleep": "write a step before it: handler: Delay",
	}
)

const (
	habitTrigger = `write trigger: {cron: "0 6 * * *"} or trigger: {every: 5m}`
	habitLimit   = "write resilience: {limit: 3} for the item, or retry: {attempts: 3} in a step"
	habitRetry   = "write retry: {attempts: 3}"
	habitSteps   = "write steps: a list, in the order in which they run"
	habitItem    = "give it with each item: enqueue --priority and --queue, or in the step Enqueue"
	habitExec    = "write handler: Exec, with: {program: python, args: [x.py]}"
	habitWith    = "write it under with, if the handler has it"
	habitLoop    = "write foreach: ${{ payload.lines }}"
	habitCall    = "write uses: and the name of the pipeline"
	habitSide    = "write parallel: true in a block, or parallel: 4 in a step with foreach"
	habitOrder   = "remove it: steps run in the order of the file"
)

// plainKey removes what the notations of keys differ in: from continue-on-error to continueonerror.
var plainKey = strings.NewReplacer("-", "", "_", "")

// decodeWithHabits decodes a mapping. Its unknown keys that come from other tools get hints.
func (c *compilation) decodeWithHabits(n *strictyaml.Node, into any, hints map[string]string) {
	before := len(c.Findings)
	c.Decode(n, into)
	added := c.Findings[before:]
	if len(added) == 0 {
		return
	}
	for _, e := range n.Entries {
		hint := hints[strings.ToLower(plainKey.Replace(e.Key))]
		for i := range added {
			if f := &added[i]; hint != "" && f.Code == "unknown-key" && f.Line == e.KeyLine && f.Column == e.KeyColumn {
				f.Hint, f.Edit = hint, nil
			}
		}
	}
}

// decodeMapping decodes a mapping that other tools write as a single value: retry: 3. write returns
// what to write instead, "" if the value says nothing.
func (c *compilation) decodeMapping(n *strictyaml.Node, into any, write func(text string) string) {
	if c.Decode(n, into) || n.Kind != strictyaml.Scalar {
		return
	}
	f := &c.Findings[len(c.Findings)-1]
	if text := write(n.Text); text != "" && f.Hint == "" {
		key := n.Path[strings.LastIndexByte(n.Path, '.')+1:]
		f.Hint, f.Edit = "write "+key+": "+text, n.Replace(text, true)
	}
}

// countAs returns how a number of attempts is written under a key.
func countAs(key string) func(string) string {
	return func(text string) string {
		if n, err := strconv.Atoi(text); err != nil || n < 1 {
			return ""
		}
		return "{" + key + ": " + text + "}"
	}
}
