// Package orders_test runs the example: files of orders, posted to a ledger.
package orders_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"botwork/examples/internal/worker"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The first attempt fails after it has posted: the second one goes on there, and both unlock the file. A
// file with a wrong amount posts nothing.
func TestOrders(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("project")); err != nil {
			t.Fatal(err)
		}
		data := func(name string) string { return filepath.Join(dir, "data", filepath.FromSlash(name)) }
		write := func(name, text string) {
			t.Helper()
			if err := os.WriteFile(data(name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		wants := func(name, want string) {
			t.Helper()
			if got, err := os.ReadFile(data(name)); err != nil || string(got) != want {
				t.Errorf("%s = %q, %v, want %q", name, got, err, want)
			}
		}
		missing := func(name string) {
			t.Helper()
			if _, err := os.Stat(data(name)); err == nil {
				t.Errorf("%s is there", name)
			}
		}
		write("inbox/tuesday.csv", "order,amount\n7,10\n8,-1\n")
		write("done", "") // a file in the place of the folder, so that the last step fails
		environ := []string{"BOTWORK_DATABASE_DRIVER=" + string(e.Driver), "BOTWORK_DATABASE_DSN=" + e.DSN(t)}
		w, err := worker.New(t.Context(), worker.Options{Config: filepath.Join(dir, "botwork.yaml"), Environ: environ, Log: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := w.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		var ids []int64
		run := func() {
			t.Helper()
			if err := w.RunOnce(t.Context(), "ExecuteWorkQueue"); err != nil {
				t.Fatal(err)
			}
		}
		for _, file := range []string{"monday.csv", "tuesday.csv"} {
			results, err := w.Store.Enqueue(t.Context(), []workqueue.NewItem{{
				IntegrationConfig: "import-orders", State: workqueue.Pending, Priority: 1001, Payload: workqueue.JSONText(`{"file": "` + file + `"}`),
			}})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, results[0].ID)
		}
		run()
		wants("ledger-test/1.txt", "order 1: 10 EUR")
		missing("locks/monday.csv")
		missing("failed/monday.csv.txt") // another attempt follows
		missing("ledger-test/7.txt")
		wants("failed/tuesday.csv.txt", `check: step "check" (Fail): element 2 of 2: line 2: order 8 has the amount -1`)

		write("ledger-test/1.txt", "posted before")
		if err := os.Remove(data("done")); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(time.Minute)
		for ended := false; !ended; {
			if time.Now().After(deadline) {
				t.Fatal("the item has not ended within a minute")
			}
			run()
			it, err := w.Store.Item(t.Context(), ids[0])
			if err != nil {
				t.Fatal(err)
			}
			ended = it.State == workqueue.Processed
		}
		wants("ledger-test/1.txt", "posted before") // it was not posted again
		wants("ledger-test/3.txt", "order 3: 7 EUR")
		wants("reports/monday.csv.txt", "3 lines, 22.5 EUR")
		missing("inbox/monday.csv")
		missing("locks/monday.csv")
		if it, err := w.Store.Item(t.Context(), ids[1]); err != nil || !strings.HasPrefix(string(it.Status()), "business") && it.State != workqueue.Cancelled {
			t.Errorf("the wrong file: %v, %v, want a business error", it.State, err)
		}
	})
}
