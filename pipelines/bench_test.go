package pipelines

import (
	"strings"
	"testing"
)

// The figures are for a run; divide by the steps for the cost of one.

func benchmarkRun(b *testing.B, step string, steps int) {
	p := parse(b, testCompiler(map[string]do{"Nothing": returns(nil, nil)}), "steps:\n"+strings.Repeat(step, steps))
	e, in := testEngine(nil), RunInput{Run: testRun(`{"n": 1, "s": "x"}`)}
	b.ReportAllocs()
	for b.Loop() {
		if got := e.Run(b.Context(), p, in); got.Error != "" {
			b.Fatal(got.Error)
		}
	}
}

func BenchmarkRunNoSteps(b *testing.B) { benchmarkRun(b, "  - {handler: Nothing, if: 'false'}\n", 1) }
func BenchmarkRunPlain10(b *testing.B) { benchmarkRun(b, "  - {handler: Nothing}\n", 10) }
func BenchmarkRunTimeout10(b *testing.B) {
	benchmarkRun(b, "  - {handler: Nothing, timeout: 1m}\n", 10)
}
func BenchmarkRunIf10(b *testing.B) {
	benchmarkRun(b, "  - {handler: Nothing, if: payload.n == 1}\n", 10)
}
func BenchmarkRunTemplate10(b *testing.B) {
	benchmarkRun(b, "  - {handler: Echo, with: {text: 'a ${{ payload.s }}'}}\n", 10)
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
