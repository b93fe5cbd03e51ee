package database

import (
	"os"
	"testing"
)

func TestPostgresEndsStalledTransactions(t *testing.T) {
	server := os.Getenv("BOTWORK_TEST_POSTGRES_DSN")
	if server == "" {
		t.Skip("BOTWORK_TEST_POSTGRES_DSN is not set")
	}
	for _, tt := range []struct{ name, dsn, want string }{
		{"by default", server, "10s"},
		{"as the DSN says", withParameter(Postgres, server, stalledTransaction, "5000"), "5s"},
		{"never, as the DSN says", withParameter(Postgres, server, stalledTransaction, "0"), "0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db, err := Open(Postgres, tt.dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			var got string
			if err := db.QueryRowContext(t.Context(), "SHOW "+stalledTransaction).Scan(&got); err != nil || got != tt.want {
				t.Errorf("%s = %q, %v, want %s", stalledTransaction, got, err, tt.want)
			}
		})
	}
}
