package database

import (
	"os"
	"testing"
)

func TestPostgresSessionsAreSet(t *testing.T) {
	server := os.Getenv("BOTWORK_TEST_POSTGRES_DSN")
	if server == "" {
		t.Skip("BOTWORK_TEST_POSTGRES_DSN is not set")
	}
	const parallel = "max_parallel_workers_per_gather"
	for _, tt := range []struct{ name, dsn, setting, want string }{
		{"stalled transactions end", server, stalledTransaction, "10s"},
		{"stalled transactions end as the DSN says", withParameter(Postgres, server, stalledTransaction, "5000"), stalledTransaction, "5s"},
		{"stalled transactions never end, as the DSN says", withParameter(Postgres, server, stalledTransaction, "0"), stalledTransaction, "0"},
		{"no statement is JIT-compiled", server, "jit", "off"},
		{"JIT is on as the DSN says", withParameter(Postgres, server, "jit", "on"), "jit", "on"},
		{"no statement runs in parallel", server, parallel, "0"},
		{"a statement is planned once", server, "plan_cache_mode", "force_generic_plan"},
		{"statements are planned as the DSN says", withParameter(Postgres, server, "plan_cache_mode", "auto"), "plan_cache_mode", "auto"},
		{"indexes are worth reading", server, "random_page_cost", "1.1"},
		{"the DSN sets all", withParameter(Postgres, withParameter(Postgres, withParameter(Postgres, server, "jit", "on"), parallel, "3"), stalledTransaction, "0"), parallel, "3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db, err := Open(Postgres, tt.dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var got string
			if err := db.QueryRowContext(t.Context(), "SHOW "+tt.setting).Scan(&got); err != nil || got != tt.want {
				t.Errorf("%s = %q, %v, want %s", tt.setting, got, err, tt.want)
			}
		})
	}
}
