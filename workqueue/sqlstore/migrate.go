package sqlstore

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"botwork/internal/database"
	sqlfiles "botwork/sql"
)

// Migrate brings the schema up to date and returns the names of the
// migrations that it applied. It is safe when many processes start together:
// one migrates, the others wait and find nothing to do.
func (s *Store) Migrate(ctx context.Context) ([]string, error) {
	provider, err := s.provider()
	if err != nil {
		return nil, err
	}
	turn, err := s.engine.lockMigrations(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("lock migrations: %w", database.Redact(err, s.dsn))
	}
	defer turn.end()
	for {
		results, err := provider.Up(ctx)
		var names []string
		for _, r := range results {
			names = append(names, r.Source.Path)
		}
		// A process that came second has failed on what the first has made. When the schema
		// has moved on meanwhile, that was all, and the rest is tried again.
		if err != nil && turn.overtaken() {
			continue
		}
		if err != nil {
			err = fmt.Errorf("migrate: %w", database.Redact(err, s.dsn))
		}
		return names, err
	}
}

// MigrationStatus lists all migrations with what has been applied.
func (s *Store) MigrationStatus(ctx context.Context) ([]database.Migration, error) {
	provider, err := s.provider()
	if err != nil {
		return nil, err
	}
	status, err := provider.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("read migration status: %w", database.Redact(err, s.dsn))
	}
	migrations := make([]database.Migration, len(status))
	for i, m := range status {
		migrations[i] = database.Migration{Version: m.Source.Version, Name: m.Source.Path, Applied: m.State == goose.StateApplied}
		if migrations[i].Applied {
			at := m.AppliedAt.UTC()
			migrations[i].AppliedAt = &at
		}
	}
	return migrations, nil
}

func (s *Store) provider() (*goose.Provider, error) {
	files, err := fs.Sub(sqlfiles.Files, s.engine.dialect().folder+"/migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(s.engine.dialect().goose, s.db, files)
}
