package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"botwork/internal/testdb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestRouting(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dir := t.TempDir()
		if err := copyProject(dir); err != nil {
			t.Fatal(err)
		}
		environ := []string{"BOTWORK_DATABASE_DRIVER=" + string(e.Driver), "BOTWORK_DATABASE_DSN=" + e.DSN(t)}
		o, err := open(t.Context(), filepath.Join(dir, "botwork.yaml"), environ, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := o.close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := o.work(ctx); err != nil {
			t.Fatal(err)
		}
		_, places, err := o.places(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		// Any worker may print the letter after its selector has expired.
		if places["letter that faro should print"] == "" {
			t.Error("the letter for faro is still waiting")
		}
		delete(places, "letter that faro should print")
		want := map[string]string{
			"circular 1":                        "lisbon-gpu",
			"circular 2":                        "lisbon",
			"circular 3":                        "porto",
			"circular 4":                        "lisbon-gpu", // its first item has an estimate of one hour, which longest-idle ignores
			"film 1":                            "lisbon-gpu",
			"film 2":                            "lisbon-gpu",
			"letter to Porto":                   "porto",
			"letter to the islands":             "",
			"call in French":                    "porto",
			"call in German":                    "lisbon",
			"call without a language":           "porto",
			"call in French on a small machine": "lisbon", // which has a free slot and no call yet
		}
		if diff := cmp.Diff(want, places); diff != "" {
			t.Errorf("who ran what (-want +got):\n%s", diff)
		}
		var out strings.Builder
		if err := o.report(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "letter to the islands              no worker: it waits") {
			t.Errorf("the report is\n%s", &out)
		}
	})
}
