package docstest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/cmd"
)

// metric is what a page or a server says of a metric.
type metric struct {
	kind   string
	labels []string            // sorted
	values map[string][]string // of labels, as a server prints them
	doc    string
}

// TestMetricsPage compares docs/metrics.md with what a worker prints.
func TestMetricsPage(t *testing.T) {
	documented := documentedMetrics(t)
	printed := printedMetrics(t)
	for name, doc := range documented {
		real, ok := printed[name]
		if !ok {
			if !strings.Contains(doc.doc, "appears with the first error") {
				t.Errorf("%s is documented, but not printed", name)
			}
			continue
		}
		if doc.kind != real.kind || !slices.Equal(doc.labels, real.labels) {
			t.Errorf("%s is documented as %s with the labels %v, but printed as %s with %v", name, doc.kind, doc.labels, real.kind, real.labels)
		}
		if strings.Contains(name, "_seconds") != strings.Contains(doc.doc, "seconds") {
			t.Errorf("%s: want the unit of the name in its meaning: %s", name, doc.doc)
		}
		for _, label := range []string{"lifecycle", "outcome", "change", "operation", "pool", "state"} {
			for _, value := range real.values[label] {
				if !strings.Contains(doc.doc, "`"+value+"`") {
					t.Errorf("%s: the value %q of the label %s is not documented", name, value, label)
				}
			}
		}
	}
	for name := range printed {
		if _, ok := documented[name]; !ok {
			t.Errorf("%s is printed, but not documented", name)
		}
	}
	if len(documented) < 20 {
		t.Errorf("only %d metrics are documented", len(documented))
	}
}

func documentedMetrics(t *testing.T) map[string]metric {
	t.Helper()
	all := map[string]metric{}
	for _, table := range read(t, "docs/metrics.md").tables {
		for _, r := range table.rows {
			var labels []string
			for label := range strings.SplitSeq(r.cells[2], ",") {
				if label = strings.Trim(label, " `"); label != "" {
					labels = append(labels, label)
				}
			}
			slices.Sort(labels)
			all[strings.Trim(r.cells[0], "`")] = metric{kind: r.cells[1], labels: labels, doc: r.cells[3]}
		}
	}
	return all
}

// printedMetrics returns the metrics of a worker that has run a pipeline on its schedule.
func printedMetrics(t *testing.T) map[string]metric {
	t.Helper()
	t.Chdir(t.TempDir())
	if _, code := botwork(t, "init", "."); code != 0 {
		t.Fatalf("init: exit code %d", code)
	}
	often := "name: Often\ntrigger: {every: 1s, scope: each-worker}\nsteps:\n  - handler: AssignTasksToWorker\n"
	if err := os.WriteFile("pipelines/often.yaml", []byte(often), 0o600); err != nil {
		t.Fatal(err)
	}
	settings, err := os.ReadFile("botwork.yaml")
	if err != nil {
		t.Fatal(err)
	}
	hook := strings.NewReplacer("\nsecrets:\n", "\nsecrets:\n  shop: {value: hunter2}\n", "\n  hooks:\n", "\n  hooks:\n    shop: {signature: github, secret: shop}\n")
	if err := os.WriteFile("botwork.yaml", []byte(hook.Replace(string(settings))), 0o600); err != nil {
		t.Fatal(err)
	}
	token, code := botwork(t, "tokens", "create", "prometheus", "--role", "viewer")
	if code != 0 {
		t.Fatalf("tokens create: exit code %d", code)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	lines, log := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cmd.Run(ctx, []string{"run"}, strings.NewReader(""), io.Discard, log, []string{"BOTWORK_HTTP_LISTEN=127.0.0.1:0"})
		log.Close()
	}()
	var url string
	output := bufio.NewScanner(lines)
	for url == "" && output.Scan() {
		url = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(output.Text())
	}
	go func() { // a full pipe would stop the worker
		for output.Scan() {
		}
	}()
	if url == "" {
		t.Fatalf("the worker has not logged its address: exit code %d", <-ended)
	}
	var printed map[string]metric
	every := time.NewTicker(100 * time.Millisecond) // the server refuses callers that ask too often
	defer every.Stop()
	for printed["botwork_schedule_lateness_seconds"].kind == "" || printed["botwork_http_request_duration_seconds"].kind == "" {
		<-every.C
		printed = parseMetrics(get(ctx, t, url+"/api/v1/metrics", strings.TrimSpace(string(token))))
	}
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("run: exit code %d", code)
	}
	return printed
}

func get(ctx context.Context, t *testing.T, url, token string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %d %v\n%s", url, res.StatusCode, err, text)
	}
	return string(text)
}

var (
	typeLine   = regexp.MustCompile(`^# TYPE (botwork_\w+) (\w+)$`)
	sampleLine = regexp.MustCompile(`^(botwork_\w+?)(?:_bucket|_sum|_count)?(?:\{(.*)\})? `)
	labelPair  = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

func parseMetrics(text string) map[string]metric {
	all := map[string]metric{}
	for line := range strings.Lines(text) {
		if m := typeLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			all[m[1]] = metric{kind: m[2], values: map[string][]string{}}
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		seen := all[m[1]]
		for _, pair := range labelPair.FindAllStringSubmatch(m[2], -1) {
			if pair[1] == "le" {
				continue
			}
			if !slices.Contains(seen.labels, pair[1]) {
				seen.labels = append(seen.labels, pair[1])
				slices.Sort(seen.labels)
			}
			if !slices.Contains(seen.values[pair[1]], pair[2]) {
				seen.values[pair[1]] = append(seen.values[pair[1]], pair[2])
			}
		}
		all[m[1]] = seen
	}
	return all
}
