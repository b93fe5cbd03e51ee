package pipelines

import (
	"testing"
)

func TestEscalations(t *testing.T) {
	k := NewCatalogue(testCompiler(nil))
	for file, text := range map[string]string{
		"letters.yaml": "escalation: [{name: late, after: 10m, raise: {by: 1}}, {name: old, after: 1d, cancel: true}]\nsteps: [{handler: Echo}]\n",
		"calls.yaml":   "escalation: [{name: late, when: length > 5, notify: true}]\nsteps: [{handler: Echo}]\n",
		"plain.yaml":   "steps: [{handler: Echo}]\n",
		"system.yaml":  "trigger: {every: 1h}\nescalation: [{name: late, after: 10m, cancel: true}]\nsteps: [{handler: Echo}]\n",
	} {
		if findings := k.Add(file, []byte(text)); len(findings) > 0 {
			t.Fatal(findings)
		}
	}
	var got []string
	for _, e := range k.Escalations() {
		got = append(got, e.String())
	}
	want := []string{`rule "late" of the pipeline "calls"`, `rule "late" of the pipeline "letters"`, `rule "old" of the pipeline "letters"`}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("rules %q, want %q", got, want)
	}
	if warnings := k.Warnings(); len(warnings) != 1 || warnings[0].Code != CodeNoEffect {
		t.Errorf("warnings %v, want one about the rules of a pipeline with a trigger", warnings)
	}
}
