package queues_test

import (
	"encoding/json"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestEscalations(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", `queues:
  erp:
    escalation:
      - {name: now, after: 0s, raise: {by: 100, to: 1500}}
      - {name: late, after: 1h, cancel: true}
      - {name: busy, when: running > 5, notify: true}
`)
	clitest.Must(t, "queues", "define")
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--queue", "erp", "--count", "2", "--payload", `{"name": "Ada"}`)
	out := clitest.Must(t, "queues", "escalations", "erp")
	for _, line := range []string{
		"now   waiting 0s   priority + 100, at most 1500  2    -     0", "late  waiting 1h   cancel                        0    -     0",
		"busy  running > 5  notify                        -    -     0",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("queues escalations prints\n%swant the line\n%s", out, line)
		}
	}
	var plans []struct {
		Scope, Owner string
		Rule         struct{ Name string }
		Holds        bool
		Now          int
		Items        int64
	}
	if err := json.Unmarshal([]byte(clitest.Must(t, "queues", "escalations", "erp", "-o", "json")), &plans); err != nil {
		t.Fatal(err)
	}
	if len(plans) != 3 || plans[0].Rule.Name != "now" || plans[0].Owner != "erp" || plans[0].Scope != "queue" || plans[0].Now != 2 || !plans[1].Holds || plans[2].Holds {
		t.Errorf("JSON: %+v", plans)
	}
	if out := clitest.Must(t, "queues", "show", "erp"); !strings.Contains(out, "late: waiting 1h: cancel") {
		t.Errorf("queues show prints\n%s", out)
	}
	if out := clitest.Must(t, "queues", "escalations", "default"); out != "queue default has no rules of escalation\n" {
		t.Errorf("a queue without rules: %q", out)
	}
	clitest.Must(t, "queues", "pause", "erp")
	if out := clitest.Must(t, "queues", "escalations", "erp"); !strings.Contains(out, "now   waiting 0s   priority + 100, at most 1500  0 ") || !strings.Contains(out, "queue erp is paused") {
		t.Errorf("a paused queue:\n%s", out)
	}
	clitest.Do(t, "queues", "escalations", "epr").WantFailure(t, cli.ExitFailed, `did you mean "erp"?`)
	clitest.Do(t, "queues", "set", "erp", "escalation=[{name: late, after: 1h}]").WantFailure(t, cli.ExitUsage, "got no action")
	clitest.Must(t, "queues", "set", "erp", "escalation=[{name: late, after: 2h, cancel: true}]")
	if out := clitest.Must(t, "queues", "escalations", "erp"); !strings.Contains(out, "waiting 2h") || strings.Contains(out, "busy") {
		t.Errorf("after queues set:\n%s", out)
	}
}
