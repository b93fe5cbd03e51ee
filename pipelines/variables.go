package pipelines

import (
	"slices"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/types"
)

// The variables of expressions; doc.go describes them.
const (
	varItem    = "item"
	varPayload = "payload"
	varInput   = "input"
	varSteps   = "steps"
	varEnv     = "env"
	varSecrets = "secrets"
	varValues  = "values"
	varNow     = "now"
	varWorker  = "worker"
	varBatch   = "batch"

	varVars    = "vars"
	varError   = "error"
	varAttempt = "attempt"

	varEach = "each"
	// varEachIndex is each.index. No expression can contain the name itself.
	varEachIndex = "each index"
)

// variableNames are names that the element of a loop cannot have.
var variableNames = []string{varItem, varPayload, varInput, varSteps, varEnv, varSecrets, varNow, varWorker, varBatch, varEach, varVars, varError, varAttempt, varValues}

var (
	itemFields = types.Map{
		"id": types.Int, "queue": types.String, "priority": types.Int, "attempt": types.Int, "fence": types.Int,
		"idempotencyKey": types.String,
		"createdAt":      types.TypeOf(time.Time{}), "availableAt": types.TypeOf(time.Time{}), "deadlineAt": types.Any,
		"createdBy": types.Any, "naturalKey": types.Any, "taskName": types.Any,
	}
	batchFields  = types.Map{"key": types.Any, "items": types.TypeOf([]any{})}
	workerFields = types.Map{"name": types.String}
	errorFields  = types.Map{"text": types.String, "kind": types.String, "step": types.String, "final": types.Bool}
	stepFields   = types.Map{"output": types.Any, "skipped": types.Bool, "error": types.Any}
)

// loopFields are the fields of a step with foreach.
var loopFields = types.Map{"output": types.Any, "skipped": types.Bool, "error": types.Any, "errors": types.TypeOf([]any{})}

// fieldsOf returns what expressions read of a step.
func fieldsOf(s *Step) types.Map {
	if s != nil && s.Foreach != nil {
		return loopFields
	}
	return stepFields
}

// names are what the expressions of one pipeline may name.
type names struct {
	steps   []string // in order
	byName  map[string]*Step
	vars    []string // those that are defined by then
	later   []string // all names under `vars`
	system  bool     // a trigger starts the pipeline, so there is no item
	secrets []string // nil: unknown, so any name is accepted

	secretEnv secretEnv

	values     []Values // see Options
	everywhere bool
}

// env describes the variables to the expression compiler, which refuses any other name.
func (n names) env() types.Map {
	steps := make(types.Map, len(n.steps))
	for _, name := range n.steps {
		steps[name] = fieldsOf(n.byName[name])
	}
	anything := types.TypeOf(map[string]any{})
	env := types.Map{
		varPayload: types.Any, varInput: types.Any, varSteps: steps, varEnv: anything,
		varSecrets: anything, varValues: anything, varNow: types.TypeOf(time.Time{}), varWorker: workerFields,
	}
	if !n.system {
		env[varItem], env[varBatch] = itemFields, batchFields
	}
	if len(n.later) > 0 {
		vars := make(types.Map, len(n.vars))
		for _, name := range n.vars {
			vars[name] = types.Any
		}
		env[varVars] = vars
	}
	return env
}

// hintFor suggests a variable or a function for a name that is neither.
func (n names) hintFor(name string) string {
	switch strings.ToLower(name) {
	case "yes", "on":
		return "write true"
	case "no", "off":
		return "write false"
	}
	if n.system && (name == varItem || name == varBatch) {
		return "a pipeline with a trigger runs without an item"
	}
	known := fieldNames(n.env())
	hint := strictyaml.Suggest(name, slices.Concat(known, builtin.Names))
	if hint == "" {
		hint = "the variables are " + strings.Join(known, ", ")
	}
	return hint
}

// nearest returns the only variable or function that the author of a name probably intended, "" if none.
func (n names) nearest(name string) string {
	best, only := strictyaml.Nearest(name, slices.Concat(fieldNames(n.env()), builtin.Names))
	if !only {
		return ""
	}
	return best
}

func fieldNames(m types.Map) []string {
	list := make([]string, 0, len(m))
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
