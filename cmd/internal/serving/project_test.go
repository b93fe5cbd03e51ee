package serving_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/clitest"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/serving"
	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// inProject runs the API over the database of a new project, with its pipelines.
func inProject(t *testing.T) *apitest.Server {
	t.Helper()
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/nightly.yaml", "trigger: {cron: '0 2 * * *', timezone: UTC}\nsteps: [{handler: Log, with: {message: hi}}]\n")
	clitest.WriteFile(t, "pipelines/broken.yaml", "steps: [{handler: Lgo}]\n")
	app := projectdir.New(strings.NewReader(""), io.Discard, os.Environ(), nil)
	if err := app.LoadConfig(); err != nil {
		t.Fatal(err)
	}
	store := clitest.OpenQueue(t)
	return apitest.StartOver(t, store, func(o *api.Options) { o.Project, o.Editor = serving.NewProject(app) })
}

type object = map[string]any

func request(t *testing.T, s *apitest.Server, role access.Role, method, path string, body any) apitest.Answer {
	t.Helper()
	return s.Do(t, apitest.Request{Method: method, Path: path, Token: s.Token(t, role), Body: body})
}

func contains(t *testing.T, a apitest.Answer, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(a.Want(t, 200).Body), text) {
			t.Errorf("the answer lacks %s: %.1500s", text, a.Body)
		}
	}
}

func TestPipelines(t *testing.T) {
	s := inProject(t)
	get := func(path string) apitest.Answer { t.Helper(); return request(t, s, access.Viewer, "GET", path, nil) }

	// What the command line writes, the API answers.
	listed := apitest.Decode[struct{ Items, Findings json.RawMessage }](t, get("/pipelines").Want(t, 200))
	r := clitest.Do(t, "pipelines", "list", "-o", "json")
	if got, want := compact(t, string(listed.Items)), compact(t, r.Stdout); got != want {
		t.Errorf("the API lists %s\nthe command %s", got, want)
	}
	if !strings.Contains(string(listed.Findings), `"code":"unknown-handler"`) {
		t.Errorf("got the findings %s", listed.Findings)
	}
	if got, want := compact(t, string(get("/pipelines/hello").Want(t, 200).Body)), compact(t, clitest.Must(t, "pipelines", "show", "hello", "-o", "json")); got != want {
		t.Errorf("the API shows %s\nthe command %s", got, want)
	}
	if p := get("/pipelines/helo").WantProblem(t, 404, "not-found"); p.Hint != `did you mean "hello"?` {
		t.Errorf("got %+v", p)
	}
	if p := get("/pipelines/broken").WantProblem(t, 409, "pipeline-broken"); len(p.Errors) == 0 || !strings.HasPrefix(p.Errors[0].Location, "pipelines/broken.yaml:1:") {
		t.Errorf("got %+v", p)
	}
	contains(t, get("/pipelines/hello/text"), `"file":"pipelines/hello.yaml"`, `steps:\n`)
	contains(t, get("/pipelines/broken/text"), `Lgo`)
	get("/pipelines/none/text").WantProblem(t, 404, "not-found")
	get("/pipelines/hello/text?hash=xyz").WantProblem(t, 422, "invalid-request")
	get("/pipelines/hello/text?hash=abc").WantProblem(t, 404, "not-found")

	for path, want := range map[string][2]string{
		"/pipelines/hello/graph":                {"image/svg+xml", "<svg"},
		"/pipelines/hello/graph?format=mermaid": {"text/plain; charset=utf-8", "flowchart"},
		"/pipelines/hello/graph?format=json":    {"application/json", `"nodes":`},
		"/project/graph":                        {"image/svg+xml", "<svg"},
		"/project/graph?format=mermaid":         {"text/plain; charset=utf-8", "nightly"},
	} {
		a := get(path)
		if contains(t, a, want[1]); a.Header.Get("Content-Type") != want[0] {
			t.Errorf("%s: got %s, want %s", path, a.Header.Get("Content-Type"), want[0])
		}
	}
	get("/pipelines/none/graph").WantProblem(t, 404, "not-found")
	get("/pipelines/hello/graph?format=dot").WantProblem(t, 422, "invalid-request")

	contains(t, get("/schedules/next?count=2&from=2026-01-31T00:00:00Z"), `"at":"2026-01-31T02:00:00Z"`, `"at":"2026-02-01T02:00:00Z"`)
	contains(t, get("/schedules/next?count=9&from=2026-01-31T00:00:00Z&until=2026-02-01T02:00:00Z&pipeline=nightly"), `[{"pipeline":"nightly","at":"2026-01-31T02:00:00Z","localAt":"2026-01-31T02:00:00Z","timezone":"UTC","paused":false}]`)
	get("/schedules/next?until=soon").WantProblem(t, 422, "invalid-request")
	contains(t, get("/schedules/calendar?from=2999-10-20&days=1&pipeline=nightly"), `{"day":"2999-10-20","from":"2999-10-20T00:00:00Z","until":"2999-10-21T00:00:00Z","planned":1,"runs":{},"cut":false}`)
	contains(t, get("/schedules/next?pipeline=nightly"), `"timezone":"UTC"`)
	get("/schedules/next?pipeline=hello").WantProblem(t, 409, "no-trigger")
	get("/schedules/next?pipeline=none").WantProblem(t, 404, "not-found")
	get("/schedules/next?from=later").WantProblem(t, 422, "invalid-request")
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestVersionsAndDifferences(t *testing.T) {
	s := inProject(t)
	get := func(path string) apitest.Answer { t.Helper(); return request(t, s, access.Viewer, "GET", path, nil) }
	hashes := []string{strings.Repeat("a", 64), "ab" + strings.Repeat("c", 62)}
	for i, hash := range hashes {
		err := s.Store.KeepTexts(t.Context(), []workqueue.PipelineText{{Hash: hash, Pipeline: "hello", Text: fmt.Sprintf("steps: [] # %d\n", i)}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond) // a later time
	}
	contains(t, get("/pipelines/hello/versions?limit=1"), `"hash":"ab`)
	get("/pipelines/none/versions").WantProblem(t, 404, "not-found")
	contains(t, get("/pipelines/hello/diff"), `"file":"pipelines/hello.yaml"`, `-steps: [] # 1`)
	contains(t, get("/pipelines/hello/diff?from=aa"), `-steps: [] # 0`)
	contains(t, get("/pipelines/hello/diff?from=aa&to=ab"), `-steps: [] # 0\n+steps: [] # 1`, `"file":null`)
	contains(t, get("/pipelines/hello/text?hash=AA"), `"text":"steps: [] # 0\n"`)
	get("/pipelines/hello/diff?from=a").WantProblem(t, 422, "ambiguous-hash")
	get("/pipelines/hello/diff?to=ab").WantProblem(t, 422, "invalid-request")
	get("/pipelines/hello/diff?from=ff").WantProblem(t, 404, "not-found")
	get("/pipelines/none/diff").WantProblem(t, 404, "not-found")
	ran, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "hello", Payload: `{"name": "Ada"}`}})
	if err != nil {
		t.Fatal(err)
	}
	item := fmt.Sprintf("/pipelines/hello/diff?item=%d", ran[0].ID)
	get(item).WantProblem(t, 409, "no-version")
	clitest.ByHand(t, fmt.Sprintf(`UPDATE BotWorkQueueItems SET PipelineHash = '%s' WHERE Id = %d`, hashes[0], ran[0].ID))
	contains(t, get(item), `-steps: [] # 0`)
	get(item+"&attempt=1").WantProblem(t, 409, "no-version")
	get(item+"&from=aa").WantProblem(t, 422, "invalid-request")
	get("/pipelines/hello/diff?attempt=1").WantProblem(t, 422, "invalid-request")
	get("/pipelines/hello/diff?item=4711").WantProblem(t, 404, "not-found")
	get("/pipelines/hello/diff?from=x").WantProblem(t, 422, "invalid-request")
}

func TestCheckAndDryRun(t *testing.T) {
	s := inProject(t)
	check := func(file, text string) apitest.Answer {
		t.Helper()
		return request(t, s, access.Editor, "POST", "/project/check", object{"file": file, "text": text})
	}
	contains(t, check("new.yaml", "steps: [{handler: Log, with: {message: hi}}]\n"), `"items":[],"valid":true`)
	contains(t, check("hello.yaml", "steps: [{handler: Lgo}]\n"), `"valid":false`, `did you mean`, `"line":1`)
	check("../hello.txt", "").WantProblem(t, 422, "invalid-request")

	dry := func(name string, body any) apitest.Answer {
		t.Helper()
		return request(t, s, access.Operator, "POST", "/pipelines/"+name+"/dry-run", body)
	}
	if got, want := compact(t, string(dry("hello", object{"payload": object{"name": "Ada"}}).Want(t, 200).Body)),
		compact(t, clitest.Must(t, "pipelines", "run", "hello", "--payload", `{"name": "Ada"}`, "--dry-run", "-o", "json")); got != want {
		t.Errorf("the API answers %s\nthe command %s", got, want)
	}
	contains(t, dry("nightly", nil), `"dryRun":true`)
	dry("hello", object{"from": "nothing"}).WantProblem(t, 422, "invalid-request")
	dry("none", nil).WantProblem(t, 404, "not-found")
	dry("broken", nil).WantProblem(t, 409, "pipeline-broken")
}

func TestRunPauseBackfill(t *testing.T) {
	s := inProject(t)
	post := func(path string, body any) apitest.Answer {
		t.Helper()
		return request(t, s, access.Operator, "POST", "/pipelines/"+path, body)
	}
	post("nightly/run", nil).WantProblem(t, 409, "no-worker")
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "ann", InstanceID: "1", Host: "h", PID: 1, Version: "1", Capacity: 1, Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	asked := apitest.Decode[struct{ Request int64 }](t, post("nightly/run", object{"reason": "now"}).Want(t, 202))
	contains(t, request(t, s, access.Viewer, "GET", fmt.Sprintf("/run-requests/%d", asked.Request), nil), `"requestedBy":"operator"`)
	post("hello/run", nil).WantProblem(t, 409, "no-trigger")
	post("none/run", nil).WantProblem(t, 404, "not-found")

	contains(t, post("nightly/pause", object{"reason": "maintenance"}), `"changed":true`)
	contains(t, post("nightly/pause", nil), `"changed":false`)
	contains(t, request(t, s, access.Viewer, "GET", "/pipelines/nightly", nil), `"reason":"maintenance"`)
	contains(t, request(t, s, access.Viewer, "GET", "/schedules/next?count=1", nil), `"paused":true`)
	post("nightly/run", nil).WantProblem(t, 409, "pipeline-paused")
	contains(t, post("nightly/resume", nil), `"changed":true`)
	post("none/pause", nil).WantProblem(t, 404, "not-found")
	post("hello/resume", nil).WantProblem(t, 409, "no-trigger")

	post("nightly/backfill", object{"from": "3d", "to": "now"}).WantProblem(t, 422, "not-confirmed")
	contains(t, post("nightly/backfill", object{"from": "3d", "to": "now", "dryRun": true}), `"requestId":null`, `"runs":true`)
	a := post("nightly/backfill", object{"from": "3d", "to": "now", "confirm": true, "reason": "outage"})
	if got := string(a.Want(t, 200).Body); strings.Contains(got, `"requestId":null`) || strings.Count(got, "plannedAt") != 3 {
		t.Errorf("got %s", got)
	}
	contains(t, post("nightly/backfill", object{"from": "3d", "to": "now"}), `requested by operator already`)
	post("nightly/backfill", object{"from": "now", "to": "3d"}).WantProblem(t, 422, "invalid-range")
	post("nightly/backfill", object{"from": "2000-01-01", "to": "now"}).WantProblem(t, 422, "invalid-range")
	post("nightly/backfill", object{"from": "soon", "to": "now"}).WantProblem(t, 422, "invalid-request")
	post("hello/backfill", object{"from": "3d", "to": "now"}).WantProblem(t, 409, "no-schedule")
}

func TestPreviewCheckAndDoctor(t *testing.T) {
	s := inProject(t)
	preview := func(query string) apitest.Answer {
		t.Helper()
		return request(t, s, access.Operator, "GET", "/assignments/preview"+query, nil)
	}
	contains(t, preview(""), `"pipeline":"ExecuteWorkQueue"`)
	contains(t, preview("?pipeline=nightly"), `{"items":[]}`)
	preview("?pipeline=none").WantProblem(t, 404, "not-found")

	admin := func(path string, body any) apitest.Answer {
		t.Helper()
		return request(t, s, access.Admin, "POST", path, body)
	}
	contains(t, admin("/check", object{"dueFor": "1h", "timeout": "30s"}), `"clean":true`)
	admin("/check", object{"timeout": "11m"}).WantProblem(t, 422, "invalid-request")
	admin("/check", object{"timeout": "1ns"}).WantProblem(t, 503, "check-too-long")
	contains(t, admin("/doctor", nil), `"results":[`, `"version":`)
	admin("/doctor", object{"timeout": "2h"}).WantProblem(t, 422, "invalid-request")
}

// Hostile requests about the project get problems, as those about the rest do.
func TestHostileRequests(t *testing.T) {
	s := inProject(t)
	var skip []string
	for _, op := range s.API.Operations() {
		noun, _, _ := strings.Cut(op.ID, "-")
		if !slices.Contains([]string{"pipelines", "project", "schedules", "assignments", "database", "machine"}, noun) {
			skip = append(skip, op.ID)
		}
	}
	apitest.Fuzz(t, s, apitest.FuzzOptions{Seed: 20260131, PerOperation: testgroup.Cases(40, 200), Skip: skip, Pipeline: "hello", Tokens: []string{s.Token(t, access.Admin), s.Token(t, access.Robot, "default")}})
}
