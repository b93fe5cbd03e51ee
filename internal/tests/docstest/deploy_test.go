package docstest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// alertRules are the parts of a file of rules that the tests read.
type alertRules struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr string
			Annotations map[string]string
		}
	}
}

// TestAlertRules checks that the alerts name metrics, labels and values that exist.
func TestAlertRules(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "deploy/prometheus/botwork-alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var rules alertRules
	if err := yaml.Unmarshal(data, &rules); err != nil {
		t.Fatal(err)
	}
	known, n := documentedMetrics(t), 0
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			n++
			for _, fault := range expressionFaults(known, r.Expr) {
				t.Errorf("%s: %s", r.Alert, fault)
			}
			if r.Annotations["summary"] == "" {
				t.Errorf("%s has no summary", r.Alert)
			}
			for _, m := range regexp.MustCompile(`\$labels\.(\w+)`).FindAllStringSubmatch(r.Annotations["summary"], -1) {
				if !regexp.MustCompile(`by \([^)]*\b` + m[1] + `\b`).MatchString(r.Expr) {
					t.Errorf("%s: the summary shows the label %s, which its expression drops", r.Alert, m[1])
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("got %d alerts", n)
	}
}

// dashboard has the parts of a dashboard of Grafana that the tests read.
type dashboard struct {
	Title, UID    string
	SchemaVersion int
	Templating    struct {
		List []struct{ Name, Type, Query string }
	}
	Panels []struct {
		ID          int
		Title, Type string
		GridPos     struct{ H, W, X, Y int }
		Datasource  struct{ Type, UID string }
		FieldConfig struct {
			Defaults struct {
				Unit   string
				Custom struct{ Stacking struct{ Mode string } }
			}
		}
		Targets []struct{ RefID, Expr, LegendFormat string }
	}
}

// TestDashboard checks the dashboard: its expressions, and what Grafana needs to draw the panels.
func TestDashboard(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "deploy/grafana/botwork.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	known := documentedMetrics(t)
	if d.Title == "" || d.UID == "" || d.SchemaVersion < 30 || len(d.Panels) < 10 {
		t.Errorf("got the dashboard %q, uid %q, schema %d with %d panels", d.Title, d.UID, d.SchemaVersion, len(d.Panels))
	}
	variables := map[string]bool{}
	for _, v := range d.Templating.List {
		variables[v.Name] = true
		if v.Type != "query" {
			continue
		}
		metric, label, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(v.Query, "label_values("), ")"), ", ")
		if !ok || !slices.Contains(known[metric].labels, label) {
			t.Errorf("the variable %s reads %s, want a metric and its label", v.Name, v.Query)
		}
	}
	for i, p := range d.Panels {
		if p.Title == "" || p.Type != "timeseries" || p.Datasource.UID != "${datasource}" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d: want a title, a type, the data source of the dashboard, a unit and a target: %+v", p.ID, p)
		}
		if mode := p.FieldConfig.Defaults.Custom.Stacking.Mode; mode != "none" && mode != "normal" {
			t.Errorf("panel %d: got the stacking %q", p.ID, mode)
		}
		for _, other := range d.Panels[:i] {
			a, b := p.GridPos, other.GridPos
			if p.ID == other.ID || a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Errorf("the panels %q and %q have the same id, or cover each other", p.Title, other.Title)
			}
		}
		if g := p.GridPos; g.X < 0 || g.W < 1 || g.X+g.W > 24 || g.H < 1 {
			t.Errorf("panel %q has the place %+v in a grid of 24 columns", p.Title, g)
		}
		for k, target := range p.Targets {
			for _, fault := range expressionFaults(known, target.Expr) {
				t.Errorf("panel %q: %s", p.Title, fault)
			}
			if target.RefID != string(rune('A'+k)) {
				t.Errorf("panel %q: got the reference %q of target %d", p.Title, target.RefID, k+1)
			}
			for _, m := range regexp.MustCompile(`\$(\w+)`).FindAllStringSubmatch(target.Expr, -1) {
				if !variables[m[1]] {
					t.Errorf("panel %q uses the variable %s, which does not exist", p.Title, m[1])
				}
			}
			for _, m := range regexp.MustCompile(`\{\{(\w+)\}\}`).FindAllStringSubmatch(target.LegendFormat, -1) {
				grouped := regexp.MustCompile(`by \(([^)]*)\)`).FindStringSubmatch(target.Expr)
				if grouped != nil && !regexp.MustCompile(`\b`+m[1]+`\b`).MatchString(grouped[1]) {
					t.Errorf("panel %q: the legend shows the label %s, which its expression drops", p.Title, m[1])
				}
			}
		}
	}
}

var (
	selector = regexp.MustCompile(`\b((?:botwork|go|process)_\w+)(?:\{([^}]*)\})?`)
	grouping = regexp.MustCompile(`\b(?:by|without|on) \(([^)]*)\)`)
	matching = regexp.MustCompile(`(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
)

// expressionFaults returns the metrics, labels and values of an expression that do not exist. It
// knows selectors with labels in braces, and groupings; promtool knows the rest.
func expressionFaults(known map[string]metric, expr string) []string {
	var faults []string
	labels := []string{"instance", "job", "le"}
	found := selector.FindAllStringSubmatch(expr, -1)
	for _, s := range found {
		if !strings.HasPrefix(s[1], "botwork_") {
			continue // of the Go runtime
		}
		name, part := s[1], ""
		m, ok := known[name]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			if base, cut := strings.CutSuffix(name, suffix); cut && !ok && known[base].kind == "histogram" {
				name, part, ok, m = base, suffix, true, known[base]
			}
		}
		if !ok || m.kind == "histogram" && part == "" {
			faults = append(faults, "no metric "+s[1])
			continue
		}
		labels = append(labels, m.labels...)
		for _, match := range matching.FindAllStringSubmatch(s[2], -1) {
			if match[1] == "le" && part == "_bucket" {
				continue
			}
			if !slices.Contains(append([]string{"instance", "job"}, m.labels...), match[1]) {
				faults = append(faults, fmt.Sprintf("%s has no label %s", name, match[1]))
			}
			if slices.Contains([]string{"queue", "status"}, match[1]) {
				continue // any value
			}
			for value := range strings.SplitSeq(match[3], "|") {
				if !strings.Contains(m.doc, "`"+value+"`") {
					faults = append(faults, fmt.Sprintf("%s has no value %q of the label %s", name, value, match[1]))
				}
			}
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(g[1], ",") {
			if !slices.Contains(labels, strings.TrimSpace(label)) {
				faults = append(faults, "no metric of the expression has the label "+label)
			}
		}
	}
	if len(found) == 0 {
		faults = append(faults, "no metric in "+expr)
	}
	return faults
}

func TestExpressionFaults(t *testing.T) {
	known := documentedMetrics(t)
	for expr, want := range map[string]int{
		`sum by (queue, outcome) (rate(botwork_items_ended_total{outcome!~"succeeded|snoozed"}[5m]))`: 0,
		`histogram_quantile(0.9, sum by (le) (rate(botwork_item_run_seconds_bucket{le="1"}[5m])))`:    0,
		`botwork_items_finished_total`:                       1,
		`botwork_item_run_seconds`:                           1, // a histogram
		`botwork_slots_count`:                                1, // a gauge
		`botwork_slots{queue="mail"}`:                        1, // it has no labels
		`botwork_items_ended_total{outcome=~"error|failed"}`: 1,
		`max by (worker) (botwork_slots)`:                    1,
		`1 > 0`:                                              1,
	} {
		if got := expressionFaults(known, expr); len(got) != want {
			t.Errorf("%s: got %q, want %d faults", expr, got, want)
		}
	}
}

// TestPromtool runs the tests of the alerts with Prometheus' own tool, where there is one.
func TestPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool, of the package prometheus, is not installed")
	}
	for _, words := range [][]string{{"check", "rules", "botwork-alerts.yml"}, {"test", "rules", "botwork-alerts_test.yml"}} {
		run := exec.CommandContext(t.Context(), promtool, words...)
		run.Dir = filepath.Join(root, "deploy/prometheus")
		if out, err := run.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(words, " "), err, out)
		}
	}
}
