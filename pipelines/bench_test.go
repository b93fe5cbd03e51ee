package pipelines

import (
	"context"
	"strings"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// ten is a handler with ten parameters that does nothing.
type ten struct {
	URL     string            `json:"url" required:"true" doc:"a text"`
	Method  string            `json:"method" enum:"GET,PUT" doc:"a choice"`
	Body    any               `json:"body" doc:"any value"`
	Headers map[string]string `json:"headers" doc:"a map"`
	Status  []int             `json:"status" doc:"a list"`
	Most    int               `json:"most" doc:"a whole number"`
	Share   float64           `json:"share" doc:"a number"`
	Wait    handlers.Duration `json:"wait" doc:"a length of time"`
	Size    handlers.Size     `json:"size" doc:"a size"`
	Strict  bool              `json:"strict" doc:"true or false"`
}

func (*ten) Handle(context.Context, *handlers.Call) (any, error) { return nil, nil }

const tenParameters = `  - handler: Ten
    with: {url: "https://example.com/${{ payload.s }}", method: PUT, body: {n: "${{ payload.n }}", s: x}, headers: {A: a, B: "${{ payload.s }}"},
      status: [200, 201], most: 5, share: 0.5, wait: 30s, size: 10MB, strict: true}
`

func benchmarkCompiler() *Compiler {
	rows := make([]any, 1000)
	for i := range rows {
		rows[i] = map[string]any{"id": i, "name": "a name", "price": 1.5}
	}
	r := registry(map[string]do{"Nothing": returns(nil, nil), "Rows": returns(rows, nil)})
	r.MustRegister(handlers.Kind{Name: "Ten", New: func() handlers.Handler { return &ten{} }})
	return NewCompiler(r, Options{})
}

// BenchmarkStep measures the cost of a step without its handler, for each form of a step.
// ns/step is the cost of ten additional steps in a pipeline of one step, per step.
func BenchmarkStep(b *testing.B) {
	for _, form := range []struct{ name, step string }{
		{"plain", "  - {handler: Nothing}\n"},
		{"if", "  - {handler: Nothing, if: payload.n == 1}\n"},
		{"skipped", "  - {handler: Nothing, if: payload.n == 2}\n"},
		{"timeout", "  - {handler: Nothing, timeout: 1m}\n"},
		{"retry", "  - {handler: Nothing, retry: {attempts: 3, delay: 1s}}\n"},
		{"expression", "  - {handler: Echo, with: {text: 'a ${{ payload.s }}'}}\n"},
		{"output", "  - {handler: Echo, with: {value: '${{ steps.rows.output }}'}}\n"},
		{"input", "  - {handler: Echo, with: {value: '${{ input }}'}}\n"},
		{"ten", tenParameters},
	} {
		b.Run(form.name, func(b *testing.B) {
			c, e := benchmarkCompiler(), testEngine(nil)
			first := "steps:\n  - {handler: Rows, name: rows}\n" + form.step
			last := "  - {handler: Nothing}\n" // so that nothing is written as the run's output
			one, more := parse(b, c, first+last), parse(b, c, first+strings.Repeat(form.step, 10)+last)
			run := func(p *Pipeline) time.Duration {
				in := RunInput{Run: testRun(`{"n": 1, "s": "x"}`)}
				started := time.Now()
				if got := e.Run(b.Context(), p, in); got.Error != "" {
					b.Fatal(got.Error)
				}
				return time.Since(started)
			}
			var extra time.Duration
			for b.Loop() {
				extra += run(more) - run(one)
			}
			allocated := testing.AllocsPerRun(100, func() { run(more) }) - testing.AllocsPerRun(100, func() { run(one) })
			b.ReportMetric(float64(extra)/float64(b.N)/10, "ns/step")
			b.ReportMetric(allocated/10, "allocs/step")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkItem runs an item with one step that does nothing, with and without a payload.
// The log level is warning.
func BenchmarkItem(b *testing.B) {
	k := NewCatalogue(benchmarkCompiler())
	if findings := k.Add("nothing.yaml", []byte("steps: [{handler: Nothing}]")); len(findings) > 0 {
		b.Fatal(findings)
	}
	for _, payload := range []string{"", `{"n": 1, "s": "x", "lines": [{"id": 1}, {"id": 2}]}`} {
		name := "empty"
		if payload != "" {
			name = "payload"
		}
		b.Run(name, func(b *testing.B) {
			log := &strings.Builder{}
			runItem := NewEngine(EngineOptions{Log: zerolog.New(log).Level(zerolog.WarnLevel), LogTo: log}).RunItem(k)
			item := &workqueue.Item{ID: 42, QueueName: "default", IntegrationConfig: "nothing", Payload: workqueue.JSONText(payload)}
			b.ReportAllocs()
			for b.Loop() {
				if got := runItem(b.Context(), workqueue.NewRun(item)); got.Error != "" {
					b.Fatal(got.Error)
				}
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	text := []byte("steps:\n" + strings.Repeat("  - {handler: Echo, if: payload.n == 1, with: {text: 'a ${{ payload.s }}'}}\n", 5))
	c := testCompiler(nil)
	for b.Loop() {
		if _, findings := c.Parse("b.yaml", text); len(findings) > 0 {
			b.Fatal(findings)
		}
	}
}
