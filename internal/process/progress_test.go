package process_test

import (
	"context"
	"strings"
	"testing"

	"botwork/handlers"
	"botwork/internal/testdb"
	"botwork/pipelines"
	"botwork/workqueue"
)

// The log lines of a run and the progress that a handler or the step Progress reports are stored
// with the item and its attempt, without secrets.
func TestFailedRunKeepsProgressAndLog(t *testing.T) {
	const secret = "open-sesame-7"
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		x.kinds["Say"] = func(_ context.Context, call *handlers.Call) (any, error) {
			call.Log.Warn().Str("key", call.Input.(string)).Msg("knocking with " + secret)
			call.Progress("knocked with " + secret)
			return nil, nil
		}
		x.files["door"] = `
steps:
  - {handler: Transform, with: {value: "${{ secrets.key }}"}}
  - {handler: Say}
  - {name: refuse, if: payload.closed, handler: Fail, with: {message: it stays shut}}
  - {handler: Progress, with: {text: "through ${{ payload.doors }} doors with ${{ secrets.key }}"}}
  - {name: lost, handler: Fail, with: {message: lost the way}}
`
		ids := []int64{
			x.enqueue(workqueue.NewItem{Priority: 1000, IntegrationConfig: "door", Payload: `{"closed": true}`}),
			x.enqueue(workqueue.NewItem{Priority: 1000, IntegrationConfig: "door", Payload: `{"closed": false, "doors": 2}`}),
		}
		b := x.newOptions("w")
		redactor := pipelines.NewRedactor(secret)
		to := redactor.Writer(b.log)
		b.Engine = pipelines.NewEngine(pipelines.EngineOptions{
			Secrets: map[string]string{"key": secret}, Log: b.log.logger().Output(to), LogTo: to, Redactor: redactor,
		})
		x.runOnce(b, medium)

		for i, want := range []struct{ step, progress string }{
			{"refuse", "knocked with <secret>"}, {"lost", "through 2 doors with <secret>"},
		} {
			it, attempts := x.item(ids[i]), x.attempts(ids[i])
			if len(attempts) != 1 {
				t.Fatalf("item %d has %d attempts, want 1", ids[i], len(attempts))
			}
			at := attempts[0]
			if text(it.Step) != want.step || text(at.Step) != want.step {
				t.Errorf("step of the item %q, of the attempt %q, want %q", text(it.Step), text(at.Step), want.step)
			}
			if text(it.Progress) != want.progress || text(at.Progress) != want.progress {
				t.Errorf("progress of the item %q, of the attempt %q, want %q", text(it.Progress), text(at.Progress), want.progress)
			}
			for _, tail := range []string{text(it.LogTail), text(at.LogTail)} {
				if !strings.Contains(tail, "WRN knocking with <secret>") || !strings.Contains(tail, "key=<secret>") || !strings.Contains(tail, "step=Say") {
					t.Errorf("the log tail lacks the handler's line:\n%s", tail)
				}
				if strings.Contains(tail, secret) {
					t.Errorf("the log tail shows the secret:\n%s", tail)
				}
			}
			if text(at.Host) != b.hostIn(x) {
				t.Errorf("the attempt's machine is %q, want %q", text(at.Host), b.hostIn(x))
			}
		}
	})
}

// hostIn returns the host in the worker's row.
func (b *testProcess) hostIn(x *fixture) string {
	x.Helper()
	workers, err := x.store.Workers(x.Context())
	if err != nil || len(workers) != 1 || workers[0].Host == "" {
		x.Fatalf("workers = %+v, %v, want one with its host", workers, err)
	}
	return workers[0].Host
}

// A pipeline's timeout ends the run of its item, even while a step waits for its next attempt, and
// its setting within ends the attempts.
func TestPipelineTimeouts(t *testing.T) {
	inBubble(t, func(x *virtual) {
		x.kinds["Hang"] = func(ctx context.Context, _ *handlers.Call) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		const shut = "with: {message: it stays shut}"
		for _, tt := range []struct {
			config string
			kind   workqueue.ErrorKind
			error  string
		}{
			{"resilience: {limit: 1, timeout: 30ms}\nsteps: [{name: s, handler: Hang}]\n", workqueue.KindTimeout,
				`step "s" (Hang): timed out after 30ms, the timeout of the whole run (resilience.timeout)`},
			{"resilience: {limit: 1, timeout: 30ms}\nsteps: [{name: s, handler: Fail, retry: {attempts: 2, delay: 1h}, " + shut + "}]\n", workqueue.KindTimeout,
				`step "s" (Fail): timed out after 30ms, the timeout of the whole run (resilience.timeout), ` +
					"while waiting for the next attempt: attempt 1 of 2 failed: it stays shut"},
			{"resilience: {limit: 1, timeout: 1h}\nsteps: [{name: s, handler: Hang, timeout: 30ms}]\n", workqueue.KindTimeout,
				`step "s" (Hang): timed out after 30ms, the step's timeout: context deadline exceeded`},
			{"resilience: {limit: 9, delay: 1h, jitter: 0, within: 30m}\nsteps: [{name: s, handler: Fail, " + shut + "}]\n", workqueue.KindError,
				`step "s" (Fail): it stays shut` + "\n" + `given up: the next attempt would begin 1h after the first one, and "within" allows 30m`},
		} {
			id := x.enqueue(workqueue.NewItem{Priority: 1000, IntegrationConfig: tt.config})
			x.runOnce(x.newOptions("w"), medium)
			it := x.item(id)
			if it.State != workqueue.Cancelled || text(it.ErrorKind) != string(tt.kind) || text(it.Error) != tt.error {
				t.Errorf("%s: %s, %s, %q\nwant Cancelled, %s, %q", tt.config, it.State, text(it.ErrorKind), text(it.Error), tt.kind, tt.error)
			}
		}
	})
}
