package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"

	"botwork/internal/database"
	sqlfiles "botwork/sql"
)

// Migration is one step of the schema.
type Migration struct {
	Version   int64      `json:"version"`
	Name      string     `json:"name"`
	Applied   bool       `json:"applied"`
	AppliedAt *time.Time `json:"appliedAt"`
}

// migrationLock names the lock that migrations run under.
const migrationLock = "botwork.migrations"

// Migrate brings the schema up to date and returns the names of the
// migrations that it applied. It is safe when many processes start together:
// one migrates, the others wait and find nothing to do.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	provider, err := s.provider()
	if err != nil {
		return nil, err
	}
	unlock, err := s.lockMigrations(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock migrations: %w", database.Redact(err, s.dsn))
	}
	defer unlock()
	restore, err := s.journalsInFiles(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare to migrate: %w", database.Redact(err, s.dsn))
	}
	defer restore()
	for {
		before := s.version(ctx, provider)
		results, err := provider.Up(ctx)
		var names []string
		for _, r := range results {
			names = append(names, r.Source.Path)
		}
		if err == nil {
			return names, nil
		}
		// SQLite has no lock that outlives a transaction. A process that came
		// second fails on what the first has made; when the schema has moved
		// on meanwhile, that was all, and the rest is looked at again.
		if s.dialect.driver != database.SQLite || s.version(ctx, provider) == before {
			return names, fmt.Errorf("migrate: %w", database.Redact(err, s.dsn))
		}
	}
}

// journalsInFiles lets what migrations change and sort go to temporary files, until it is
// restored: that may be a whole table. Only SQLite's connection that writes keeps it in
// memory otherwise.
func (s *Store) journalsInFiles(ctx context.Context) (restore func(), err error) {
	if s.dialect.driver != database.SQLite {
		return func() {}, nil
	}
	var set int
	if err := s.db.QueryRowContext(ctx, "PRAGMA temp_store").Scan(&set); err != nil {
		return nil, err
	}
	if _, err := s.db.ExecContext(ctx, "PRAGMA temp_store = FILE"); err != nil {
		return nil, err
	}
	return func() {
		_, _ = s.db.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA temp_store = %d", set)) // else it is slower
	}, nil
}

// version is -1 while there is no schema at all.
func (s *Store) version(ctx context.Context, p *goose.Provider) int64 {
	var table int
	if s.dialect.driver == database.SQLite {
		row := s.db.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'goose_db_version'")
		if err := row.Scan(&table); err != nil || table == 0 {
			return -1
		}
	}
	v, err := p.GetDBVersion(ctx)
	if err != nil {
		return -1
	}
	return v
}

// MigrationStatus lists all migrations with what has been applied.
func (s *Store) MigrationStatus(ctx context.Context) ([]Migration, error) {
	provider, err := s.provider()
	if err != nil {
		return nil, err
	}
	status, err := provider.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read migration status: %w", database.Redact(err, s.dsn))
	}
	migrations := make([]Migration, len(status))
	for i, m := range status {
		migrations[i] = Migration{Version: m.Source.Version, Name: m.Source.Path, Applied: m.State == goose.StateApplied}
		if migrations[i].Applied {
			at := m.AppliedAt.UTC()
			migrations[i].AppliedAt = &at
		}
	}
	return migrations, nil
}

func (s *Store) provider() (*goose.Provider, error) {
	files, err := fs.Sub(sqlfiles.Files, s.dialect.folder+"/migrations")
	if err != nil {
		return nil, err
	}
	name := map[database.Driver]goose.Dialect{
		database.SQLite: goose.DialectSQLite3, database.SQLServer: goose.DialectMSSQL, database.Postgres: goose.DialectPostgres,
	}[s.dialect.driver]
	return goose.NewProvider(name, s.db, files)
}

// lockMigrations takes a lock that lives with a connection of its own: the
// pool may have no other than the one that the migrations need.
func (s *Store) lockMigrations(ctx context.Context) (unlock func(), err error) {
	var lock, release string
	switch s.dialect.driver {
	case database.SQLServer:
		lock = `DECLARE @r INT; EXEC @r = sp_getapplock @Resource = N'` + migrationLock +
			`', @LockMode = N'Exclusive', @LockOwner = N'Session', @LockTimeout = 120000; IF @r < 0 BEGIN; THROW 50000, N'the migration lock was not got within 2 minutes', 1; END;`
		release = `EXEC sp_releaseapplock @Resource = N'` + migrationLock + `', @LockOwner = N'Session';`
	case database.Postgres:
		lock = `SELECT pg_advisory_lock(hashtext('` + migrationLock + `'))`
		release = `SELECT pg_advisory_unlock(hashtext('` + migrationLock + `'))`
	default:
		return func() {}, nil
	}
	db, err := database.Open(s.dialect.driver, s.dsn)
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if _, err := conn.ExecContext(ctx, lock); err != nil {
		return nil, errors.Join(err, conn.Close(), db.Close())
	}
	return func() {
		// Given back at once, even when ctx has ended: the server may take a
		// while to notice that the connection is gone, which gives it back too.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), release)
		_ = conn.Close()
		_ = db.Close()
	}, nil
}
