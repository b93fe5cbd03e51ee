package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

type imported struct {
	Line     int
	ID       *int64
	Existing *bool
	Problem  *struct {
		Code, Detail string
		Errors       []api.Fault
		ItemID       *int64
	}
	Summary *struct {
		Batch                             string
		Lines, Created, Existing, Refused int
		Complete                          bool
		Problem                           *struct{ Code string }
	}
}

func importLines(t *testing.T, s *apitest.Server, token, query, body string) (lines []imported) {
	t.Helper()
	a := s.Do(t, apitest.Request{Method: "POST", Path: "/items/batch" + query, Token: token, Body: body, Header: map[string]string{"Content-Type": "application/x-ndjson"}}).Want(t, 200)
	for dec := json.NewDecoder(bytes.NewReader(a.Body)); dec.More(); {
		var line imported
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 || lines[len(lines)-1].Summary == nil {
		t.Fatalf("got no summary: %.500s", a.Body)
	}
	return lines
}

func TestImportLines(t *testing.T) {
	s := apitest.Start(t, nil)
	defineQueue(t, s, workqueue.Queue{Name: "unique", QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue}})
	body := strings.Join([]string{
		`{"pipeline": "p", "payload": {"n": 1}}`,
		``,
		`{"pipeline": "p", "priority": "x", "in": 5}`,
		`not json`,
		`{"pipeline": "p", "queue": "unique", "key": "K", "conflict": "fail"}`,
		`{"pipeline": "p", "queue": "unique", "key": "K", "conflict": "fail"}`,
		`{"pipeline": "p", "queue": "unique", "key": "K"}`,
		`{"pipeline": "p", "queue": "nowhere"}`,
		`{"pipelin": "p"}`,
		`{"pipeline": {"steps": []}}`,
		`{"pipeline": "p", "payload": "` + strings.Repeat("x", 3<<20) + `"}`,
		`{"pipeline": "p"}`,
	}, "\r\n")
	operator := s.Token(t, access.Operator)
	var numbers []int
	var codes []string
	lines := importLines(t, s, operator, "?batch=my-batch-1", body)
	for _, line := range lines[:len(lines)-1] {
		numbers = append(numbers, line.Line)
		if line.Problem != nil {
			codes = append(codes, fmt.Sprint(line.Line, line.Problem.Code))
		}
	}
	if want := []int{1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; !slices.Equal(numbers, want) {
		t.Errorf("got the lines %d, want %d", numbers, want)
	}
	if want := []string{"3invalid-item", "4invalid-item", "6duplicate-key", "8invalid-item", "9invalid-item", "10inline-pipeline", "11too-large"}; !slices.Equal(codes, want) {
		t.Errorf("got the problems %q, want %q", codes, want)
	}
	if got := lines[1].Problem.Errors; len(got) != 2 || got[0].Location != "line 3, priority" || got[1].Location != "line 3, in" {
		t.Errorf("got the faults %+v", got)
	}
	sum := lines[len(lines)-1].Summary
	if sum.Batch != "my-batch-1" || sum.Created != 3 || sum.Existing != 1 || sum.Refused != 7 || sum.Lines != 11 || !sum.Complete {
		t.Errorf("got the summary %+v", sum)
	}
	// The same lines with the same key once more enqueue nothing.
	again := importLines(t, s, operator, "?batch=my-batch-1", body)
	if *again[0].ID != *lines[0].ID || again[4].Problem == nil {
		t.Errorf("once more: got %+v, want %+v", again[0], lines[0])
	}
	if n, _ := s.Store.CountItems(t.Context(), workqueue.ItemFilter{}); n != 3 {
		t.Errorf("got %d items, want 3", n)
	}
	send := func(kind, body string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "POST", Path: "/items/batch", Token: operator, Body: body, Header: map[string]string{"Content-Type": kind}})
	}
	send("application/json", `{}`).WantProblem(t, 415, "unsupported-media-type")
	if got := importLines(t, s, operator, "", ""); got[0].Summary.Lines != 0 || !got[0].Summary.Complete {
		t.Errorf("an empty body: got %+v", got[0].Summary)
	}
	if bound := importLines(t, s, s.Token(t, access.Operator, "unique", "default"), "", `{"pipeline": "p", "queue": "elsewhere"}`+"\n"+`{"pipeline": "p"}`); bound[0].Problem == nil || bound[0].Problem.Code != "queue-not-allowed" || bound[1].ID == nil {
		t.Errorf("a bound caller: got %+v", bound)
	}
}

// An import is longer than other bodies may be, and its items have all results in order.
func TestImportManyLines(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Limits.Body = 1 << 20 })
	var body strings.Builder
	pad := strings.Repeat("x", 200)
	for i := range 10_000 {
		if i%1000 == 999 {
			body.WriteString("{\"pipeline\": 5}\n")
			continue
		}
		fmt.Fprintf(&body, `{"pipeline": "p", "payload": {"n": %d, "pad": "%s"}}`+"\n", i, pad)
	}
	lines := importLines(t, s, s.Token(t, access.Operator), "", body.String())
	if len(lines) != 10_001 {
		t.Fatalf("got %d lines, want 10001", len(lines))
	}
	for i, line := range lines[:10_000] {
		if line.Line != i+1 || (line.ID == nil) != (i%1000 == 999) {
			t.Fatalf("line %d: got %+v", i+1, line)
		}
	}
	if sum := lines[10_000].Summary; sum.Created != 9990 || sum.Refused != 10 || !sum.Complete {
		t.Errorf("got the summary %+v", sum)
	}
	exported := s.Do(t, apitest.Request{Method: "GET", Path: "/items.ndjson?fields=id,payload", Token: s.Token(t, access.Viewer)}).Want(t, 200)
	if n := bytes.Count(exported.Body, []byte("\n")); n != 9990 {
		t.Errorf("exported %d items, want 9990", n)
	}
	ids, _ := list(t, s, s.Token(t, access.Viewer), "?limit=500")
	if len(ids) != 500 || ids[0]-ids[499] != 499 {
		t.Errorf("a page of 500 has %d items", len(ids))
	}
	// A change of many items goes on page by page.
	api.SetManyTime(t, time.Millisecond)
	requests := 1
	got := apitest.Decode[many](t, do(t, s, "POST", "/items/actions/archive", `{"filter": {"pipeline": "p"}, "reason": "test"}`).Want(t, 200))
	total := got.Changed
	for ; got.Next != nil; requests++ {
		got = apitest.Decode[many](t, do(t, s, "POST", "/items/actions/archive", map[string]any{"filter": map[string]any{"pipeline": "p"}, "reason": "test", "continue": *got.Next}).Want(t, 200))
		total += got.Changed
	}
	if total != 9990 || requests < 10 {
		t.Errorf("archived %d items in %d requests, want 9990 in 20", total, requests)
	}
	batch := apitest.Decode[workqueue.BatchSummary](t, do(t, s, "GET", "/batches/"+got.Batch, nil).Want(t, 200))
	if batch.Items != 9990 || batch.Parts < 10 {
		t.Errorf("got the batch %+v", batch)
	}
}

// lossy is a store that loses answers to calls that it has processed, and then fails.
type lossy struct {
	api.Store
	lose      int
	failsFrom int64 // part
}

func (l *lossy) EnqueueBatch(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	if l.failsFrom > 0 && part.Part >= l.failsFrom {
		return nil, errors.New("disk full")
	}
	made, err := l.Store.EnqueueBatch(ctx, part, items)
	if l.lose--; err == nil && l.lose >= 0 {
		return nil, &workqueue.UnansweredError{BatchPart: part, Err: errors.New("connection reset")}
	}
	return made, err
}

// What the database has done before its answer was lost is found out, and not done twice.
func TestLostAnswers(t *testing.T) {
	store := &lossy{lose: 2}
	s := apitest.Start(t, func(o *api.Options) {
		store.Store, o.Store = o.Store, store
		o.Log = zerolog.Nop()
	})
	create(t, s, `{"pipeline": "p"}`)
	if n, _ := s.Store.CountItems(t.Context(), workqueue.ItemFilter{}); n != 1 {
		t.Errorf("got %d items, want one", n)
	}
	store.failsFrom = 2
	lines := importLines(t, s, s.Token(t, access.Operator), "?batch=some-batch", strings.Repeat(`{"pipeline": "p"}`+"\n", 1500))
	sum := lines[len(lines)-1].Summary
	if len(lines) != 1001 || sum.Complete || sum.Created != 1000 || sum.Problem == nil || sum.Problem.Code != "internal" {
		t.Errorf("got %d lines and the summary %+v", len(lines), sum)
	}
	store.failsFrom = 1
	s.Do(t, apitest.Request{
		Method: "POST", Path: "/items/batch", Token: s.Token(t, access.Operator), Body: `{"pipeline": "p"}`, Header: map[string]string{"Content-Type": "application/x-ndjson"},
	}).WantProblem(t, 500, "internal")
	store.failsFrom = 0
	lines = importLines(t, s, s.Token(t, access.Operator), "?batch=some-batch", strings.Repeat(`{"pipeline": "p"}`+"\n", 1500))
	if sum := lines[len(lines)-1].Summary; !sum.Complete || sum.Created != 1500 {
		t.Errorf("continued: got the summary %+v", sum)
	}
	if n, _ := s.Store.CountItems(t.Context(), workqueue.ItemFilter{}); n != 1501 {
		t.Errorf("got %d items, want 1501", n)
	}
	store.failsFrom = 1
	refused := apitest.Request{Method: "POST", Path: "/items", Token: s.Token(t, access.Operator), Body: `{"pipeline": "p"}`, Header: map[string]string{"Idempotency-Key": "k"}}
	s.Do(t, refused).WantProblem(t, 500, "internal")
	store.failsFrom = 0
	s.Do(t, refused).Want(t, 201)
}
