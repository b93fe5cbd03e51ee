package sqlstore_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// bouncer is a PgBouncer that gives each transaction another connection to the test server.
type bouncer struct {
	*testing.T
	server *pgx.ConnConfig
	admin  *sql.DB
	port   uint16
}

// startBouncer starts a PgBouncer, or skips the test.
func startBouncer(t *testing.T) *bouncer {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Skip("pgbouncer is not installed")
	}
	var dsn string
	for _, e := range testdb.Engines {
		if e.Driver == database.Postgres {
			dsn = os.Getenv(e.Server)
		}
	}
	if dsn == "" {
		t.Skip("there is no PostgreSQL server for tests")
	}
	b := &bouncer{T: t}
	if b.server, err = pgx.ParseConfig(dsn); err != nil {
		t.Fatal(err)
	}
	if b.admin, err = database.Open(database.Postgres, dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.admin.Close() })
	for b.port == 0 {
		b.start(program)
	}
	return b
}

// start starts the program on a free port; the port remains 0 if another process has taken it.
func (b *bouncer) start(program string) {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	password := ""
	if b.server.Password != "" {
		password = " password='" + b.server.Password + "'"
	}
	settings := fmt.Sprintf(`[databases]
* = host=%s port=%d user=%s%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_round_robin = 1
max_client_conn = 1000
`, b.server.Host, b.server.Port, b.server.User, password, port)
	dir := b.TempDir()
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		b.Fatal(err)
	}
	args := []string{file}
	if os.Getuid() == 0 {
		args = append(args, "-u", "nobody") // it refuses to run as root
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	command := exec.Command(program, args...)
	out, err := command.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	up, ended := make(chan bool, 1), make(chan struct{})
	var lines strings.Builder
	go func() {
		defer close(ended)
		for s := bufio.NewScanner(out); s.Scan(); {
			if lines.Len() < 10_000 {
				lines.WriteString(s.Text() + "\n")
			}
			if strings.Contains(s.Text(), "process up") {
				up <- true
			}
		}
		close(up)
	}()
	b.Cleanup(func() {
		_ = command.Process.Signal(syscall.SIGTERM) // it may have ended
		<-ended
		_ = command.Wait()
	})
	switch {
	case <-up:
		b.port = uint16(port)
	case !strings.Contains(lines.String(), "in use"):
		b.Fatalf("pgbouncer does not start:\n%s", lines.String())
	}
}

// database creates a database as a copy of template, or an empty one, and returns the DSNs
// through the pooler and directly.
func (b *bouncer) database(t *testing.T, template string) (pooled, direct, name string) {
	t.Helper()
	name = "botwork_bouncer_" + strings.ToLower(rand.Text()[:12])
	create := "CREATE DATABASE " + name
	if template != "" {
		create += " TEMPLATE " + template
	}
	if _, err := b.admin.ExecContext(t.Context(), create); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := b.admin.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	dsn := func(host string, port uint16) string {
		return fmt.Sprintf("host=%s port=%d user=%s password='%s' dbname=%s sslmode=disable", host, port, b.server.User, b.server.Password, name)
	}
	return dsn("127.0.0.1", b.port), dsn(b.server.Host, b.server.Port), name
}

// What moves items, and what enqueues and changes them, works through a pooler that gives each
// transaction another connection.
func TestPostgresThroughPgBouncer(t *testing.T) {
	b := startBouncer(t)
	_, direct, template := b.database(t, "")
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.Postgres), DSN: direct})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil { // a template has no sessions
		t.Fatal(err)
	}
	var postgres testdb.Engine
	for _, e := range testdb.Engines {
		if e.Driver == database.Postgres {
			postgres = e
		}
	}
	storetest.ExerciseGroups(t, func(t *testing.T) storetest.Harness {
		pooled, direct, _ := b.database(t, template)
		h := harness(t, postgres, direct, openWith(t, sqlstore.Options{Driver: string(database.Postgres), DSN: pooled}))
		h.Another = func(t *testing.T) storetest.Store {
			return openWith(t, sqlstore.Options{Driver: string(database.Postgres), DSN: pooled})
		}
		h.At = func(t *testing.T, now func() time.Time) storetest.Store {
			return openWith(t, sqlstore.Options{Driver: string(database.Postgres), DSN: pooled, Now: now})
		}
		return h
	}, "Enqueue", "Queues", "Change", "Due", "Assign", "Claim", "Begin", "Beat", "Progress", "Finish", "Rescue", "Register", "Firing")
}

// Processes that start at once migrate an empty database one after the other, and the lock for it
// is free afterwards.
func TestPostgresMigratesThroughPgBouncer(t *testing.T) {
	b := startBouncer(t)
	pooled, direct, _ := b.database(t, "")
	var processes sync.WaitGroup
	for range 5 {
		store := openWith(t, sqlstore.Options{Driver: string(database.Postgres), DSN: pooled}).(*sqlstore.Store)
		processes.Go(func() {
			if _, err := store.Migrate(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	processes.Wait()
	db, err := database.Open(database.Postgres, direct)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var locks int
	if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
		WHERE l.locktype = 'advisory' AND d.datname = current_database()`).Scan(&locks); err != nil || locks != 0 {
		t.Errorf("%d advisory locks are held after the migrations, %v; want none", locks, err)
	}
}

// The pooler is noticed, and what it does not allow is not used; a DSN that chooses otherwise is
// obeyed.
func TestPostgresNoticesPgBouncer(t *testing.T) {
	b := startBouncer(t)
	pooled, direct, _ := b.database(t, "")
	for dsn, want := range map[string]bool{pooled: true, direct: false} {
		store := openWith(t, sqlstore.Options{Driver: string(database.Postgres), DSN: dsn}).(*sqlstore.Store)
		if got, err := store.ThroughPooler(t.Context()); err != nil || got != want {
			t.Errorf("ThroughPooler = %v, %v, want %v", got, err, want)
		}
	}
	// In this order: the pooler gives the same session to both, and what is prepared stays in it.
	for _, c := range []struct {
		mode string
		want bool
	}{{"", false}, {" default_query_exec_mode=cache_statement", true}} {
		mode, want := c.mode, c.want
		db, err := database.Open(database.Postgres, pooled+mode)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		if _, err := db.ExecContext(t.Context(), `SELECT CAST($1 AS int)`, 1); err != nil {
			t.Error(err)
		}
		prepared := 0
		if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM pg_prepared_statements`).Scan(&prepared); err != nil || prepared > 0 != want {
			t.Errorf("with the mode %q there are %d prepared statements, %v, want some: %v", mode, prepared, err, want)
		}
	}
}
