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
func (f *frame) variables() map[string]any {
	vars := map[string]any{
		varPayload: f.payload, varInput: f.message,
		varEnv: f.engine.env, varSecrets: f.engine.secrets, varValues: f.engine.values, varWorker: f.engine.worker, varNow: f.in.now(),
	}
	if f.p.readsSteps {
		steps := make(map[string]any, len(f.p.Steps))
		for s := range f.p.Each() {
			steps[s.Name] = notRun
		}
		vars[varSteps] = steps
	}
	if f.in.Run != nil && f.p.readsItem {
		vars[varItem] = itemVariable(cmp.Or(f.lead, f.in.Run.Item))
	}
	if f.p.readsBatch {
		vars[varBatch] = f.batchVariable()
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
func (f *frame) remember(s *Step, output any, skipped bool, failure any) {
	if f.vars == nil {
		return
	}
	f.vars[varInput] = f.message
	if !f.p.readsSteps {
		return
	}
	f.vars[varSteps].(map[string]any)[s.Name] = map[string]any{"output": output, "skipped": skipped, "error": failure}
}

// settingPrefix begins the names of the variables that configure this program.
const settingPrefix = "BOTWORK_"

// settingHints name the values of variables that programs of Exec get under such a name.
var settingHints = map[string]string{
	"BOTWORK_ITEM_ID": "write item.id", "BOTWORK_ATTEMPT": "write item.attempt", "BOTWORK_FENCE": "write item.fence",
	"BOTWORK_IDEMPOTENCY_KEY": "write item.idempotencyKey", "BOTWORK_WORKER_NAME": "write worker.name",
}

// Environ returns the environment for EngineOptions.Env: all variables except those that
// configure this program, which include its database's password. On Windows, where names
// are not case-sensitive, each variable is also present in capitals.
func Environ() map[string]string {
	env := map[string]string{}
	for _, entry := range os.Environ() {
		name, text, ok := strings.Cut(entry, "=")
		if !ok || name == "" || strings.HasPrefix(strings.ToUpper(name), settingPrefix) {
			continue
		}
		env[name] = text
		if runtime.GOOS == "windows" {
			env[strings.ToUpper(name)] = text
		}
	}
	return env
}
