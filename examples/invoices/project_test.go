package main

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"botwork/examples/internal/worker"
	"botwork/examples/invoices/rates"
	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// service counts the requests for rates and refuses a given number of them.
type service struct {
	answered, refused atomic.Int32
	refuse            atomic.Int32 // how many more requests to refuse
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.refuse.Add(-1) >= 0 {
		s.refused.Add(1)
		http.Error(w, "come back later", http.StatusServiceUnavailable)
		return
	}
	s.answered.Add(1)
	rates.Handler("let-me-in").ServeHTTP(w, r)
}

// testProject is a copy of the project with its queue and its ledger on one engine.
type testProject struct {
	dir     string
	worker  *worker.Worker
	queue   *sql.DB
	ledger  *sql.DB
	service *service
}

func newProject(t *testing.T, e testdb.Engine) *testProject {
	t.Helper()
	p := &testProject{dir: t.TempDir(), service: &service{}}
	if err := copyProject(p.dir); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(p.service)
	t.Cleanup(server.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	t.Setenv("RATES_URL", server.URL)
	books := e
	if e.Driver == database.SQLServer {
		books = testdb.Engines[0] // the SQL of the pipelines supports only the other two engines
	}
	queueDSN, ledgerDSN := e.DSN(t), books.DSN(t)
	p.queue, p.ledger = e.SQL(t, queueDSN), books.SQL(t, ledgerDSN)
	var err error
	p.worker, err = worker.New(t.Context(), worker.Options{
		Config: filepath.Join(p.dir, "botwork.yaml"), Log: t.Output(),
		Environ: []string{
			"BOTWORK_DATABASE_DRIVER=" + string(e.Driver), "BOTWORK_DATABASE_DSN=" + queueDSN,
			"BOTWORK_CONNECTIONS_LEDGER_DRIVER=" + string(books.Driver), "BOTWORK_CONNECTIONS_LEDGER_DSN=" + ledgerDSN,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.worker.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// run runs system pipelines once; all of them if no name is given.
func (p *testProject) run(t *testing.T, names ...string) {
	t.Helper()
	if err := p.worker.RunOnce(t.Context(), names...); err != nil {
		t.Fatal(err)
	}
}

func (p *testProject) items(t *testing.T) []workqueue.Item {
	t.Helper()
	items, err := p.worker.Store.Items(t.Context(), workqueue.ItemFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

// files returns the names of the files in a folder under data.
func (p *testProject) files(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.dir, "data", folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
}

// outcome has everything that the items produced.
type outcome struct {
	Invoices   []invoice
	Rejections []rejection
	UnderWay   int
	Reports    map[string]string
	Done       []string
	Rejected   []string
	Inbox      []string
}

type rejection struct {
	File   string
	Line   int
	Reason string
}

func (p *testProject) outcome(t *testing.T) outcome {
	t.Helper()
	o := outcome{Reports: map[string]string{}, Done: p.files(t, "done"), Rejected: p.files(t, "rejected"), Inbox: p.files(t, "inbox")}
	o.Invoices = query(t, p.ledger, func(rows *sql.Rows, v *invoice) error {
		err := rows.Scan(&v.Number, &v.Customer, &v.Date, &v.Cents, &v.Currency, &v.EuroCents, &v.File)
		v.Date = v.Date[:min(len(v.Date), len("2026-01-31"))] // SQLite also stores a time of day
		return err
	}, `SELECT Number, Customer, CAST(IssuedOn AS TEXT), AmountCents, Currency, EuroCents, SourceFile FROM Invoices ORDER BY Number`)
	o.Rejections = query(t, p.ledger, func(rows *sql.Rows, v *rejection) error {
		return rows.Scan(&v.File, &v.Line, &v.Reason)
	}, `SELECT SourceFile, Line, Reason FROM Rejections ORDER BY SourceFile, Line`)
	o.UnderWay = len(query(t, p.ledger, func(rows *sql.Rows, v *string) error { return rows.Scan(v) }, `SELECT Name FROM FilesUnderWay`))
	for _, name := range p.files(t, "reports") {
		text, err := os.ReadFile(filepath.Join(p.dir, "data", "reports", name))
		if err != nil {
			t.Fatal(err)
		}
		o.Reports[name] = string(text)
	}
	return o
}

func query[T any](t *testing.T, db *sql.DB, scan func(*sql.Rows, *T) error, text string) []T {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list []T
	for rows.Next() {
		var v T
		if err := scan(rows, &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}
