package pipelines

import (
	"errors"
	"testing"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/cron"
	"botwork/workqueue"

	"github.com/google/go-cmp/cmp"
)

func asFindings(err error, into *strictyaml.Findings) bool { return errors.As(err, into) }

func TestParseFillsThePipeline(t *testing.T) {
	const text = `
description: imports
estimatedDuration: 1m30s
learnBy: {keyPrefix: "::"}
channel: voice
resilience: {limit: 2, delay: 1d, factor: 1.5, maxDelay: 2d, jitter: 0, retryOn: [], timeout: 10m, within: 7d}
steps:
  - {name: a, handler: Echo, timeout: 5s, retry: {attempts: 4}, onError: break, if: "1 < 2", with: {count: 3}}
`
	p, findings := testCompiler(nil).Parse("some/folder/Import.v2.yaml", []byte(text))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	jitter := 0.0
	if diff := cmp.Diff(workqueue.Resilience{Limit: 2, Delay: workqueue.Duration(24 * time.Hour), Factor: 1.5,
		MaxDelay: workqueue.Duration(48 * time.Hour), Jitter: &jitter, RetryOn: []workqueue.ErrorKind{},
		Timeout: workqueue.Duration(10 * time.Minute), Within: workqueue.Duration(7 * 24 * time.Hour)}, p.Resilience); diff != "" {
		t.Errorf("resilience (-want +got):\n%s", diff)
	}
	s := p.Steps[0]
	got := []any{p.Name, p.Description, p.EstimatedDuration, p.Channel, p.KeySeparator, p.Text, len(p.Hash), s.Name, s.Handler, s.Timeout, s.Attempts, s.OnError, s.If, s.With}
	want := []any{"Import.v2", "imports", 90 * time.Second, "voice", "::", text, 64, "a", "Echo", 5 * time.Second, 4, OnErrorBreak, "1 < 2", map[string]any{"count": 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pipeline (-want +got):\n%s", diff)
	}
}

func TestTriggerDefaults(t *testing.T) {
	lisbon, err := time.LoadLocation("Europe/Lisbon")
	if err != nil {
		t.Fatal(err)
	}
	c := NewCompiler(registry(nil), Options{Location: lisbon})
	p := parse(t, c, "trigger: {cron: 30 6 * * *}\nsteps: [{handler: Echo}]")
	got := *p.Trigger
	next := got.Schedule.Next(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC))
	if want := time.Date(2026, 7, 1, 5, 30, 0, 0, time.UTC); !next.Equal(want) {
		t.Errorf("next = %v, want %v: 06:30 in the default zone", next, want)
	}
	if got.Overlap != OverlapSkip || got.Scope != ScopeOnce || got.DST != cron.First || got.AtStart || got.CatchUp != 0 {
		t.Errorf("trigger = %+v", got)
	}
	p = parse(t, c, "trigger: {every: 90s, scope: each-worker, overlap: queue, catchUp: 1h, atStart: true}\nsteps: [{handler: Echo}]")
	if got := *p.Trigger; got.Every != 90*time.Second || got.Scope != ScopeEachWorker || got.Overlap != OverlapQueue ||
		got.CatchUp != time.Hour || !got.AtStart || got.Schedule == nil {
		t.Errorf("trigger = %+v", got)
	}
}

func TestUnknownSecretsPassWithoutNames(t *testing.T) {
	parse(t, NewCompiler(registry(nil), Options{}), `steps: [{handler: Echo, with: {value: "${{ secrets.anything }}"}}]`)
}

func TestCheckPayload(t *testing.T) {
	p := parse(t, testCompiler(nil), "input: {type: object, properties: {day: {type: string, format: date}}}\nsteps: [{handler: Echo}]")
	for payload, want := range map[workqueue.JSONText]string{
		`{"day": "2026-02-28"}`: "",
		`{"day": "2026-02-30"}`: `the payload does not match the pipeline's input: payload.day: '2026-02-30' is not valid date: parsing time "2026-02-30": day out of range`,
		"":                      "the payload does not match the pipeline's input: payload: got null, want object",
		"{":                     `the payload is not JSON: json ends too early; hint: a JSON text needs double quotes: "text"`,
	} {
		got := ""
		if err := p.CheckPayload(payload); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("CheckPayload(%s) = %s, want %s", payload, got, want)
		}
	}
}

// A file with a warning is valid, and a file with mistakes has no warnings.
func TestWarnings(t *testing.T) {
	k := NewCatalogue(testCompiler(nil))
	const repeated = "steps: [{handler: Echo, retry: {attempts: 2}}]\n"
	for file, text := range map[string]string{"b.yaml": repeated, "a.yaml": repeated, "c.yaml": "steps: [{handler: Echo}]\n"} {
		if findings := k.Add(file, []byte(text)); len(findings) > 0 {
			t.Errorf("%s: %v", file, findings)
		}
	}
	var got []string
	for _, w := range k.Warnings() {
		got = append(got, w.File+" "+w.Code+" "+string(w.Severity))
	}
	want := []string{"a.yaml retry-multiplies warning", "b.yaml retry-multiplies warning"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if _, err := k.Resolve("a"); err != nil {
		t.Errorf("a pipeline with a warning cannot run: %v", err)
	}
	if findings := k.CheckIntegrationConfig(repeated); len(findings) > 0 {
		t.Errorf("an inline pipeline with a warning is rejected: %v", findings)
	}
	if findings := k.Add("d.yaml", []byte("steps: [{handler: Echo, retry: {attempts: 2}, tiemout: 1s}]\n")); len(findings) != 1 || findings[0].Severity == strictyaml.Warning {
		t.Errorf("findings = %v, want only the mistake", findings)
	}
}
