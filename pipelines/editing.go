package pipelines

import (
	"fmt"
	"slices"

	"botwork/handlers"

	"github.com/expr-lang/expr/types"
)

// Registry returns the compiler's handlers.
func (c *Compiler) Registry() *handlers.Registry { return c.registry }

// Variable is a name that expressions may use, as an editor explains it.
type Variable struct {
	Name string

	// Type is "number", "text", "time", "true or false", "list", "map" or "any".
	Type string

	// Doc is Markdown with links, which work in docs/pipelines.md.
	Doc string

	// Fields are those of a variable that always has the same ones.
	Fields []Variable
}

// Variables lists the variables of expressions. The fields of payload, steps, env, secrets,
// values, vars and each depend on the pipeline and its settings. A system pipeline, which a trigger
// starts, has no item and no batch. vars, each, attempt and error exist only where their
// descriptions say.
func Variables(system bool) []Variable {
	var list []Variable
	for _, v := range variableDocs {
		if v.Name != varItem && v.Name != varBatch || !system {
			list = append(list, v)
		}
	}
	return list
}

// StepFields lists what expressions can read of a step that has run: of one with foreach, if
// loop is true.
func StepFields(loop bool) []Variable {
	if loop {
		return loopFieldDocs
	}
	return stepFieldDocs
}

// NamesStep reports whether an expression can name a step with a dot: steps.name. Any other
// name is written steps["a name"].
func NamesStep(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != "" && !operatorWords[name]
}

// operatorWords are read as operators where a name could be.
var operatorWords = map[string]bool{
	"not": true, "in": true, "and": true, "or": true, "matches": true, "contains": true, "startsWith": true, "endsWith": true,
	"let": true, "if": true, "else": true,
}

// CheckStepName returns what is wrong with the name of a step, "" if nothing.
func CheckStepName(name string) string {
	if !isStepName(name) {
		return fmt.Sprintf("got %q, %s", name, nameRule)
	}
	return ""
}

var stepFieldDocs = []Variable{
	{Name: "output", Type: "any", Doc: "the step's output; nil if it was skipped or failed"},
	{Name: "skipped", Type: "true or false", Doc: "whether its `if` was false"},
	{Name: "error", Type: "any", Doc: "the text of its error if it failed with `onError: continue`, otherwise nil"},
}

var loopFieldDocs = append(slices.Clip(stepFieldDocs), Variable{
	Name: "errors", Type: "list", Doc: "of a [loop](#loops-foreach): the elements that failed with `onError: continue`, a list of " +
		"`{index, error, kind}`; the first 1,000",
})

var variableDocs = []Variable{
	{Name: varPayload, Type: "any", Doc: "the item's payload; in a [called](#calls-uses) pipeline the step's `with`"},
	{Name: varInput, Type: "any", Doc: "the output of the previous step; in the first step the payload, in a loop the element"},
	{Name: varSteps, Type: "map", Doc: "the steps that have run, by name"},
	{Name: varVars, Type: "map", Doc: "the values under `vars`"},
	{Name: varEach, Type: "any", Doc: "in a [loop](#loops-foreach): the element, which `as` gives another name in addition", Fields: []Variable{
		{Name: "index", Type: "number", Doc: "the number of the element, from 0"},
	}},
	{Name: varAttempt, Type: "number", Doc: "in `onSuccess`, `onFailure` and `finally`: 1 for the first attempt"},
	{Name: varError, Type: "map", Doc: "in `onFailure` and `finally`: how the run has failed; in `finally` nil after a success, so write `error?.text`", Fields: []Variable{
		{Name: "text", Type: "text", Doc: "the text of the failure"},
		{Name: "kind", Type: "text", Doc: "its kind, such as error, timeout, business or permanent; `released` if the worker gives the item up, for example because it stops"},
		{Name: "step", Type: "text", Doc: "the path of the step that failed"},
		{Name: "final", Type: "true or false", Doc: "whether no attempt will follow"},
	}},
	{Name: varItem, Type: "map", Doc: "the item that runs", Fields: []Variable{
		{Name: "id", Type: "number", Doc: "its number; 0 in `botwork pipelines run`"},
		{Name: "queue", Type: "text", Doc: "its queue"},
		{Name: "priority", Type: "number", Doc: "its priority; larger runs first"},
		{Name: "attempt", Type: "number", Doc: "1 for the first attempt"},
		{Name: "fence", Type: "number", Doc: "a number that grows with every claim of the item: an external system that keeps the largest " +
			"it has seen can refuse a run that has lost its lease"},
		{Name: "idempotencyKey", Type: "text", Doc: "a random key that no other item has, in this database or another; retries and copies keep it: " +
			"an external system can refuse work that it has done under this key"},
		{Name: "createdAt", Type: "time", Doc: "when it was created, in UTC"},
		{Name: "availableAt", Type: "time", Doc: "when it became due, in UTC"},
		{Name: "deadlineAt", Type: "any", Doc: "its deadline, a time in UTC; nil if none"},
		{Name: "createdBy", Type: "any", Doc: "who created it, a text; nil if not given"},
		{Name: "naturalKey", Type: "any", Doc: "its key in the system that it comes from, a text; nil if none"},
		{Name: "taskName", Type: "any", Doc: "its task's name, a text; nil if none"},
	}},
	{Name: varBatch, Type: "map", Doc: "the items that [run together](#items-that-run-together-batch); without `batch` one", Fields: []Variable{
		{Name: "key", Type: "any", Doc: "the value of `batch.by`, a text; nil without one"},
		{Name: "items", Type: "list", Doc: "of each item the fields of `item`, and `payload`"},
	}},
	{Name: varEnv, Type: "map", Doc: "environment variables, texts; nil if not set. Those that begin with `BOTWORK_` are hidden, and those that a setting " +
		"reads as a secret or a DSN are errors"},
	{Name: varSecrets, Type: "map", Doc: "the [secrets](configuration.md#secrets) of the settings, texts"},
	{Name: varValues, Type: "map", Doc: "the [values](configuration.md#values) of the settings, in the chosen environment"},
	{Name: varNow, Type: "time", Doc: "when the run started, in UTC"},
	{Name: varWorker, Type: "map", Doc: "the worker that runs the step", Fields: []Variable{
		{Name: "name", Type: "text", Doc: "its name"},
	}},
}

// typeWord names a type of the expression compiler.
func typeWord(t types.Type) string {
	switch t.String() {
	case "int":
		return "number"
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "time.Time":
		return "time"
	case "any", "interface {}":
		return "any"
	case "[]interface {}":
		return "list"
	default:
		return "map"
	}
}
