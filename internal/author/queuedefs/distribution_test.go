package queuedefs_test

import (
	"strings"
	"testing"
)

func TestDecodeDistributionReportsAllFaults(t *testing.T) {
	queues, findings := decode(t, `queues:
  mail:
    distribution:
      mode: bestWorker
      bypasSelectors: true
      scoring: {rule: static, cases: [{when: [gpu], score: 1}, {when: ["ram > 1"], score: high}]}
  text: {distribution: best-worker}
  odd: {distribution: {mode: best-worker, scoring: {rule: expression, expression: worker.ram >}}}
  secret: {distribution: {scoring: {rule: http, http: {url: "https://x.test", headers: {Cookie: abc}}}}}
  nothing: {distribution: }
`, nil)
	want := strings.TrimSpace(`
etc/botwork.yaml:4:13: queues.mail.distribution.mode: got "bestWorker", want least-loaded, round-robin, longest-idle or best-worker [invalid-value]; did you mean "best-worker"?
etc/botwork.yaml:5:7: queues.mail.distribution.bypasSelectors: unknown key "bypasSelectors"; valid keys: mode, bypassSelectors, scoring, share [unknown-key]; did you mean "bypassSelectors"?
etc/botwork.yaml:6:47: queues.mail.distribution.scoring.cases[0].when[0]: got "gpu", want a condition such as gpu = true, ram >= 32, site in [lisbon, porto] or gpu exists [invalid-value]
etc/botwork.yaml:6:91: queues.mail.distribution.scoring.cases[1].score: got the text "high", want a finite number [invalid-value]
etc/botwork.yaml:7:24: queues.text.distribution: got the text "best-worker", want {mode, bypassSelectors, scoring, share} [invalid-value]
etc/botwork.yaml:8:83: queues.odd.distribution.scoring.expression: unexpected token EOF (line 1, column 12) [invalid-value]
etc/botwork.yaml:9:97: queues.secret.distribution.scoring.http.headers.Cookie: got a text, want {secret: name} with the name of a secret of the settings; {secret: name, prefix: "Bearer "} puts a text before it [invalid-value]
`)
	if got := findings.Error(); got != want {
		t.Errorf("findings:\n%s\nwant:\n%s", got, want)
	}
	for _, q := range queues {
		if q.Distribution != "" {
			t.Errorf("the queue %s has the distribution %s, want none after a finding", q.Name, q.Distribution)
		}
	}
}
