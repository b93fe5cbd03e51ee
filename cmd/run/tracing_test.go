package run_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/tracing/tracetest"
)

const (
	callerTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	callerSpan   = "00f067aa0ba902b7"
	callerParent = "00-" + callerTrace + "-" + callerSpan + "-01"
)

// tracedProject is a project whose pipeline call asks an address, and sends traces to a collector.
func tracedProject(t *testing.T, settings string) (asked *string) {
	t.Helper()
	asked = new(string)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { *asked = r.Header.Get("traceparent") }))
	t.Cleanup(server.Close)
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "worker: {name: w1}\nsecrets: {token: {value: hunter2}}\nlog: {file: {path: logs/worker.log}}\n"+settings)
	clitest.WriteFile(t, "pipelines/call.yaml", `
steps:
  - name: greet
    handler: Log
    with: {message: greeted}
  - name: ask
    handler: HTTP
    with: {url: "`+server.URL+`/orders/hunter2?token=hunter2"}
`)
	return asked
}

// A worker sends what it does as spans: an item continues the trace of the program that enqueued it,
// its request continues the item's, and the log has the id of the trace.
func TestWorkerSendsTraces(t *testing.T) {
	c := tracetest.Start(t)
	asked := tracedProject(t, "tracing: {otlp: {endpoint: "+c.URL+"}}\n")
	clitest.Must(t, "enqueue", "--pipeline", "call", "--meta", "traceparent="+callerParent, "--payload", `{"card": "hunter3"}`)
	if r := clitest.Do(t, "run", "--once", "ExecuteWorkQueue"); r.Code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", r.Code, r.Stderr)
	}
	byID, byName := map[string]tracetest.Span{}, map[string][]tracetest.Span{}
	for _, s := range c.Spans() {
		byID[s.ID] = s
		byName[s.Name] = append(byName[s.Name], s)
		if text := fmt.Sprint(s); strings.Contains(text, "hunter") || strings.Contains(text, "orders") {
			t.Errorf("the span has what may be secret: %s", text)
		}
		if s.Resource["service.instance.id"] != "w1" {
			t.Errorf("the resource of %s is %v", s.Name, s.Resource)
		}
	}
	one := func(name string) tracetest.Span {
		t.Helper()
		if len(byName[name]) != 1 {
			t.Fatalf("got %d spans %s, want one: %+v", len(byName[name]), name, c.Spans())
		}
		return byName[name][0]
	}
	item, request := one("item"), one("HTTP GET")
	if item.Trace != callerTrace || item.Parent != callerSpan || item.Kind != "consumer" || item.Failed {
		t.Errorf("the item's span %+v does not continue %s", item, callerParent)
	}
	for key, want := range map[string]string{
		"botwork.item.id": "1", "botwork.item.attempt": "1", "botwork.queue": "default", "botwork.pipeline": "call", "botwork.worker": "w1", "botwork.outcome": "succeeded",
	} {
		if item.Attributes[key] != want {
			t.Errorf("the item's span has %s = %q, want %q", key, item.Attributes[key], want)
		}
	}
	steps := map[string]string{}
	for _, s := range byName["step"] {
		steps[s.Attributes["botwork.step"]] = s.Attributes["botwork.handler"]
		if s.Attributes["botwork.step"] == "ask" && s.ID != request.Parent {
			t.Errorf("the request %+v is not part of its step", request)
		}
	}
	if len(steps) != 2 || steps["greet"] != "Log" || steps["ask"] != "HTTP" {
		t.Errorf("got the steps %v", steps)
	}
	if request.Kind != "client" || request.Attributes["http.response.status_code"] != "200" || request.Attributes["server.address"] != "127.0.0.1" {
		t.Errorf("got the request %+v", request)
	}
	if want := "00-" + callerTrace + "-" + request.ID + "-01"; *asked != want {
		t.Errorf("the server got the traceparent %q, want %q", *asked, want)
	}
	// A pass is a trace of its own, with its statements.
	statements := 0
	for _, s := range c.Spans() {
		if s.Attributes["botwork.statement"] == s.Name && s.Kind == "client" && byID[s.Parent].Name == "pass" {
			statements++
		}
	}
	if len(byName["pass"]) == 0 || statements == 0 {
		t.Errorf("got %d passes with %d statements: %+v", len(byName["pass"]), statements, c.Spans())
	}
	log := clitest.ReadFile(t, "logs/worker.log")
	for _, line := range []string{"greeted", "item succeeded"} {
		if !hasLine(log, `"message":"`+line+`"`, `"trace_id":"`+callerTrace+`"`) {
			t.Errorf("the log has no line %q with the trace:\n%s", line, log)
		}
	}
}

func hasLine(log string, texts ...string) bool {
lines:
	for line := range strings.Lines(log) {
		for _, text := range texts {
			if !strings.Contains(line, text) {
				continue lines
			}
		}
		return true
	}
	return false
}

// Without settings, and with a collector that does not exist, items run as ever.
func TestWorkerWithoutCollector(t *testing.T) {
	for name, c := range map[string]struct {
		settings, log string
		passedOn      bool
	}{
		"off":          {"", "", false},
		"no collector": {"tracing: {otlp: {endpoint: http://127.0.0.1:1}}\n", "spans were lost", true},
	} {
		t.Run(name, func(t *testing.T) {
			asked := tracedProject(t, c.settings)
			clitest.Must(t, "enqueue", "--pipeline", "call", "--meta", "traceparent="+callerParent)
			clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
			log := clitest.ReadFile(t, "logs/worker.log")
			if !strings.Contains(log, "item succeeded") || !strings.Contains(log, c.log) || strings.Contains(log, "trace_id") != c.passedOn {
				t.Errorf("got the log\n%s", log)
			}
			if (*asked != "") != c.passedOn {
				t.Errorf("the server got the traceparent %q", *asked)
			}
		})
	}
}

func TestWorkerRefusesBadTracing(t *testing.T) {
	clitest.InProject(t)
	for settings, want := range map[string]string{
		"{otlp: {endpoint: collector}}":                                 "want an http or https address",
		"{otlp: {endpoint: http://collector.example.com}}":              "use https, or set tracing.otlp.insecure",
		"{otlp: {endpoint: 'https://u:hunter2@collector.example.com'}}": "the address has a user or a password",
		"{sample: 10%}": "without endpoint nothing is traced",
		"{sample: 101%, otlp: {endpoint: http://127.0.0.1}}":                               "up to 100%",
		"{otlp: {endpoint: http://127.0.0.1, headers: {'a b': {value: x}}}}":               "want that of an HTTP header",
		"{otlp: {endpoint: http://127.0.0.1, headers: {Authorization: {env: NOT_SET_1}}}}": "NOT_SET_1",
	} {
		clitest.WriteFile(t, "botwork.yaml", "tracing: "+settings+"\n")
		r := clitest.Do(t, "run", "--once", "ExecuteWorkQueue")
		if r.Code == cli.ExitDone || !strings.Contains(r.Stderr, want) || strings.Contains(r.Stderr, "hunter2") {
			t.Errorf("%s: exit code %d, want an error with %q, got\n%s", settings, r.Code, want, r.Stderr)
		}
	}
}

// An item and the items that its pipeline enqueues are one trace.
func TestEnqueuedItemsContinueTheTrace(t *testing.T) {
	c := tracetest.Start(t)
	tracedProject(t, "tracing: {otlp: {endpoint: "+c.URL+"}}\n")
	clitest.WriteFile(t, "pipelines/fan.yaml", "steps:\n  - name: spread\n    handler: Enqueue\n    with: {pipeline: call, items: [1, 2], metadata: {customer: Ada}}\n")
	clitest.Must(t, "enqueue", "--pipeline", "fan", "--meta", "traceparent="+callerParent)
	for range 2 {
		clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
	}
	items, steps := 0, map[string]string{}
	for _, s := range c.Spans() {
		if s.Name == "step" {
			steps[s.ID] = s.Attributes["botwork.step"]
		}
	}
	for _, s := range c.Spans() {
		if s.Name != "item" {
			continue
		}
		items++
		if s.Trace != callerTrace || s.Attributes["botwork.pipeline"] == "call" && steps[s.Parent] != "spread" {
			t.Errorf("the span %+v is not part of the trace, or not of the step that enqueued it", s)
		}
	}
	if items != 3 {
		t.Errorf("got spans of %d items, want 3", items)
	}
	if list := clitest.Must(t, "items", "list", "--meta", "customer=Ada", "--count"); strings.TrimSpace(list) != "2" {
		t.Errorf("%s items keep the metadata of the step, want 2", list)
	}
}
