package pipelines

import (
	"fmt"

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

	Doc string

	// Fields are those of a variable that always has the same ones.
	Fields []Variable
}

// Variables lists the variables of expressions. The fields of payload, steps, env and
// secrets depend on the pipeline and its settings. A system pipeline, which a trigger
// starts, has no item and no batch.
func Variables(system bool) []Variable {
	var list []Variable
	for _, v := range variableDocs {
		if v.Name != varItem && v.Name != varBatch || !system {
			list = append(list, v)
		}
	}
	return list
}

// StepFields lists what expressions can read of each step that has run.
func StepFields() []Variable { return stepFieldDocs }

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

var variableDocs = []Variable{
	{Name: varPayload, Type: "any", Doc: "the item's payload"},
	{Name: varInput, Type: "any", Doc: "the output of the previous step; in the first step the payload"},
	{Name: varSteps, Type: "map", Doc: "the steps that have run, by name: `.output`, `.skipped`, `.error`"},
	{Name: varItem, Type: "map", Doc: "the item that runs", Fields: []Variable{
		{Name: "id", Type: "number", Doc: "the item's number; 0 in `botwork pipelines run`"},
		{Name: "queue", Type: "text", Doc: "its queue"},
		{Name: "priority", Type: "number", Doc: "its priority; larger runs first"},
		{Name: "attempt", Type: "number", Doc: "1 for the first attempt"},
		{Name: "fence", Type: "number", Doc: "a number that grows with every claim of the item: an external system that keeps the largest " +
			"it has seen can reject a run that has lost its lease"},
		{Name: "idempotencyKey", Type: "text", Doc: "a random key that is unique across databases; retries and copies keep it, so an external system " +
			"can reject work that it has already done for this key"},
		{Name: "createdAt", Type: "time", Doc: "when it was created, in UTC"},
		{Name: "availableAt", Type: "time", Doc: "when it became due, in UTC"},
		{Name: "deadlineAt", Type: "any", Doc: "its deadline, a time in UTC; nil if none"},
		{Name: "createdBy", Type: "any", Doc: "who created it, a text; nil if unknown"},
		{Name: "naturalKey", Type: "any", Doc: "its key in an external system, a text; nil if none"},
		{Name: "taskName", Type: "any", Doc: "its task's name, a text; nil if none"},
	}},
	{Name: varBatch, Type: "map", Doc: "the items that run together: with `batch`, those of one key; otherwise one", Fields: []Variable{
		{Name: "key", Type: "any", Doc: "the value of `batch.by`, a text; nil without `batch` or a value"},
		{Name: "items", Type: "list", Doc: "a list with one map for each item: the fields of `item`, and `payload`"},
	}},
	{Name: varEnv, Type: "map", Doc: "environment variables by name, texts; nil if not set. Those that begin with `BOTWORK_` are left out"},
	{Name: varSecrets, Type: "map", Doc: "the secrets of the settings by name, texts"},
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
