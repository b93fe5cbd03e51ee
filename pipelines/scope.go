package pipelines

import (
	"cmp"
	"os"
	"runtime"
	"strings"
	"time"

	"botwork/workqueue"
)

// notRun is the value of steps.<name> before the step has run.
var notRun = map[string]any{"output": nil, "skipped": false, "error": nil}

// variables builds the variables of one run.
func (r *run) variables() map[string]any {
	vars := map[string]any{
		varPayload: r.payload, varInput: r.message,
		varEnv: r.engine.env, varSecrets: r.engine.secrets, varWorker: r.engine.worker, varNow: r.in.now(),
	}
	if r.p.readsSteps {
		steps := make(map[string]any, len(r.p.Steps))
		for _, s := range r.p.Steps {
			steps[s.Name] = notRun
		}
		vars[varSteps] = steps
	}
	if r.in.Run != nil && r.p.readsItem {
		vars[varItem] = itemVariable(cmp.Or(r.lead, r.in.Run.Item))
	}
	if r.p.readsBatch {
		vars[varBatch] = r.batchVariable()
	}
	return vars
}

// now returns the value of `now` in the run's expressions, in UTC.
func (in *RunInput) now() time.Time {
	if in.Now.IsZero() {
		return time.Now().UTC()
	}
	return in.Now.UTC()
}

func itemVariable(it *workqueue.Item) map[string]any {
	return map[string]any{
		"id": int(it.ID), "queue": it.QueueName, "priority": it.Priority, "attempt": it.Attempt(), "fence": int(it.Fence),
		"idempotencyKey": it.IdempotencyKey,
		"createdAt":      it.CreatedAt, "availableAt": it.AvailableAt, "deadlineAt": orNil(it.DeadlineAt),
		"createdBy": orNil(it.CreatedBy), "naturalKey": orNil(it.NaturalKey), "taskName": orNil(it.TaskName),
	}
}

// orNil dereferences a pointer: a nil pointer in an any is not nil.
func orNil[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// remember records the result of a step for the expressions of later steps.
func (r *run) remember(s *Step, output any, skipped bool, failure any) {
	if r.vars == nil {
		return
	}
	r.vars[varInput] = r.message
	if !r.p.readsSteps {
		return
	}
	r.vars[varSteps].(map[string]any)[s.Name] = map[string]any{"output": output, "skipped": skipped, "error": failure}
}

// Environ returns the environment for EngineOptions.Env: all variables except those that
// configure this program, which include its database's password. On Windows, where names
// are not case-sensitive, each variable is also present in capitals.
func Environ() map[string]string {
	env := map[string]string{}
	for _, entry := range os.Environ() {
		name, text, ok := strings.Cut(entry, "=")
		if !ok || name == "" || strings.HasPrefix(strings.ToUpper(name), "BOTWORK_") {
			continue
		}
		env[name] = text
		if runtime.GOOS == "windows" {
			env[strings.ToUpper(name)] = text
		}
	}
	return env
}
