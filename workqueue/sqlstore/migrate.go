package sqlstore

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"botwork/internal/database"
	sqlfiles "botwork/sql"
)

// migrations applies the schema.
type migrations struct {
	*connection
}

// Migrate updates the schema and returns the names of the migrations that it applied. Many
// processes may call it at once: one migrates, the others wait and find nothing to do.
func (s *migrations) Migrate(ctx context.Context) ([]string, error) {
	provider, err := s.provider()
	if err != nil {
		return nil, err
	}
	turn, err := s.engine.lockMigrations(ctx, s.connection)
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
		// A slower process has failed because the faster one had already made the change. If
		// the schema version has changed meanwhile, that was the reason: try the rest again.
		if err != nil && turn.overtaken() {
			continue
		}
		if err != nil {
			err = fmt.Errorf("migrate: %w", database.Redact(err, s.dsn))
		}
		return names, err
	}
}

// MigrationStatus lists all migrations and which of them are applied.
func (s *migrations) MigrationStatus(ctx context.Context) ([]database.Migration, error) {
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

func (s *migrations) provider() (*goose.Provider, error) {
	files, err := fs.Sub(sqlfiles.Files, s.engine.dialect().folder+"/migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(s.engine.dialect().goose, s.db, files)
}
