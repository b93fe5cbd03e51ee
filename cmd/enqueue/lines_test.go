package enqueue_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
)

func TestEnqueueLinesWithFields(t *testing.T) {
	clitest.InProject(t)
	defineQueues(t)
	lines := strings.Join([]string{
		`{"key": "A", "tags": ["x"], "metadata": {"a": "1"}, "limitKey": "c", "deadlineIn": "1h", "retain": "0s"}`,
		`{"key": "A", "priority": 1}`,
		`{"key": "B", "deadline": "2090-01-01T00:00:00Z", "tags": [], "metadata": null, "unique": false}`,
		`{"payload": {"name": "u"}, "unique": true, "retain": null}`,
		`{"payload": {"name": "u"}, "unique": true}`,
		`{"payload": {"name": "v"}, "unique": "1h"}`,
	}, "\n")
	args := []string{"enqueue", "-", "--pipeline", "hello", "--queue", "orders", "--tag", "flag", "--meta", "f=g", "--retain", "1h", "--deadline-in", "2h", "--unique-for", "3h"}
	r := clitest.DoWith(t, lines, nil, append(args, "-o", "json")...)
	if r.Code != cli.ExitDone {
		t.Fatal(r.Stderr)
	}
	items := clitest.Decode[[]enqueued](t, r.Stdout)
	if len(items) != 4 {
		t.Fatalf("got %d items, want four:\n%s", len(items), r.Stdout)
	}
	byWhat := map[string]enqueued{}
	for _, it := range items {
		what := fmt.Sprint(it.Payload)
		if it.NaturalKey != nil {
			what = *it.NaturalKey
		}
		byWhat[what] = it
		if it.Existing {
			t.Errorf("%s already existed, want it new", what)
		}
	}
	a, b, u := byWhat["A"], byWhat["B"], byWhat["map[name:u]"]
	if a.Priority != 1100 || a.DeadlineAt.Sub(a.CreatedAt) != time.Hour || *a.RetainMs != 0 || *a.LimitKey != "c" ||
		!cmp.Equal(a.Tags, []string{"x"}) || !cmp.Equal(a.Metadata, map[string]string{"a": "1"}) {
		t.Errorf("A = %+v, want the values of its first line", a)
	}
	if !b.DeadlineAt.Equal(time.Date(2090, 1, 1, 0, 0, 0, 0, time.UTC)) || b.Tags != nil || !cmp.Equal(b.Metadata, map[string]string{"f": "g"}) || *b.RetainMs != 3_600_000 {
		t.Errorf("B = %+v, want its deadline, no tags, the flags' metadata", b)
	}
	if !cmp.Equal(u.Tags, []string{"flag"}) || u.DeadlineAt.Sub(u.CreatedAt) != 2*time.Hour {
		t.Errorf("the unique one = %+v, want the values of the flags", u)
	}

	// Once more: nothing is new. B is not unique by its payload, but by its key.
	for range 2 {
		r = clitest.DoWith(t, lines, nil, args...)
		if want := "no items enqueued; 6 already existed\n"; r.Code != cli.ExitDone || r.Stdout != want {
			t.Errorf("once more: exit code %d, %q, want %q", r.Code, r.Stdout, want)
		}
	}
	// The ids of existing items may be far from those of new ones.
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--count", "2500")
	r = clitest.DoWith(t, `{"key": "Z", "unique": false}`+"\n"+lines, nil, append(args, "-o", "json")...)
	items = clitest.Decode[[]enqueued](t, r.Stdout)
	if len(items) != 5 || items[0].ID != 1 || !items[3].Existing || *items[4].NaturalKey != "Z" || items[4].Existing {
		t.Errorf("one new item among six existing ones: %s", r.Stdout)
	}
}

// The positions of all errors are reported at once, whether they are in a line, its pipeline
// or its queue.
func TestEnqueueLinesReportsWrongFields(t *testing.T) {
	clitest.InProject(t)
	defineQueues(t)
	lines := strings.Join([]string{
		`{"key": "` + sign(401) + `", "limitKey": "` + sign(201) + `", "tags": ["", "` + sign(201) + `"], "metadata": {"": "x"}}`,
		`{"key": 1, "tags": "x", "metadata": ["x"], "unique": 1, "retain": 5, "deadline": true}`,
		`{"key": "", "retain": "", "unique": "", "limitKey": "", "deadlineIn": "", "deadline": ""}`,
		`{"tags": [null], "metadata": {"a": null}, "unique": "soon", "retain": "-1s"}`,
		`{"deadline": "2090-01-01T00:00:00Z", "deadlineIn": "1h"}`,
		`{"in": "2h", "deadlineIn": "1h"}`,
		`{"at": "2090-01-02T00:00:00Z", "deadline": "2090-01-01T00:00:00Z"}`,
		`{"queue": "orders", "payload": {"n": "x", "name": 1}}`,
		`{"queue": "order", "key": "` + sign(401) + `"}`,
		`{"naturalKey": "x", "limit_key": "y"}`,
		`{"queue": "orders", "priority": 2147483647}`,
		`{"estimatedDuration": "0s"}`,
		`{"estimatedDuration": "-1s"}`,
		`{"estimatedDuration": ""}`,
	}, "\n")
	r := clitest.DoWith(t, lines, nil, "enqueue", "--stdin", "--pipeline", "hello")
	r.WantFailure(t, cli.ExitUsage)
	clitest.Golden(t, "enqueue_fields.txt", r.Stderr)
	if out := clitest.Must(t, "items", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("a rejected input enqueued items:\n%s", out)
	}
	r = clitest.DoWith(t, strings.Repeat(`{"queue": "nowhere"}`+"\n", 5000), nil, "enqueue", "-", "--pipeline", "hello")
	r.WantFailure(t, cli.ExitUsage, "stdin:100:11: ", "were not checked [too-many]")
	if n := strings.Count(r.Stderr, "\n"); n > 110 {
		t.Errorf("it printed %d lines, want about a hundred", n)
	}
}

// Errors in the lines themselves are reported without a database.
func TestEnqueueLinesWithoutADatabase(t *testing.T) {
	clitest.InProject(t)
	environ := []string{"BOTWORK_DATABASE_DSN=" + filepath.Join(t.TempDir(), "nowhere", "botwork.db")}
	r := clitest.DoWith(t, `{"pipelin": "hello"}`, environ, "enqueue", "-")
	r.WantFailure(t, cli.ExitUsage, `stdin:1:2: unknown key "pipelin"`)
	r = clitest.DoWith(t, `{"pipeline": "hello"}`, environ, "enqueue", "-")
	r.WantFailure(t, cli.ExitFailed, "nowhere")
}
