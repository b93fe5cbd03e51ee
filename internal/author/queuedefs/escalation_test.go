package queuedefs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"botwork/internal/author/queuedefs"
	"botwork/workqueue"
)

func TestEscalationFaultsHavePositions(t *testing.T) {
	_, findings := decode(t, `queues:
  invoices:
    escalation:
      - {name: late, after: 10, raise: {by: 100}}
      - name: away
        after: 1h
        moveTo: invoices
      - {name: late, after: 1h, cancell: true}
  mail:
    escalation: [{name: back, after: 1h, moveTo: mail}]
  others:
    escalation: {name: late}
`, nil)
	var got []string
	for _, f := range findings {
		got = append(got, f.String())
	}
	want := []string{
		"4:29: queues.invoices.escalation[0].after: got 10, want a duration such as 90s, 10m or 7d [invalid-value]",
		`8:16: queues.invoices.escalation[2].name: got "late", which is the name of rule 1; want another name [invalid-value]`,
		`8:33: queues.invoices.escalation[2].cancell: unknown key "cancell"; valid keys: name, after`,
		`10:17: queues.mail.escalation: got "mail", want another queue [invalid-value]`,
		"12:17: queues.others.escalation: got a mapping, want a list of rules [invalid-value]",
	}
	if len(got) != len(want) {
		t.Fatalf("findings:\n%s", strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("finding %d is\n     %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestPatchSetsRules(t *testing.T) {
	q, err := queuedefs.Patch(workqueue.Queue{Name: "erp"}, map[string]json.RawMessage{
		"escalation": json.RawMessage(`[{"name": "full", "when": "length > 500 and oldest > 1h", "moveTo": "other", "keep": 5}, {"name": "late", "after": "10m", "raise": {"by": 1}}]`),
	})
	want := workqueue.JSONText(`[{"name":"full","when":"length > 500 and oldest > 1h","moveTo":"other","keep":5},{"name":"late","after":"10m","raise":{"by":1}}]`)
	if err != nil || q.Escalation != want {
		t.Errorf("the rules are %s, %v, want %s", q.Escalation, err, want)
	}
	if q, err = queuedefs.Patch(q, map[string]json.RawMessage{"escalation": json.RawMessage("null")}); err != nil || q.Escalation != "" {
		t.Errorf("the rules are %s, %v, want none", q.Escalation, err)
	}
}
