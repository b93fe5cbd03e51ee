package bench

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// scratchName is the prefix of everything that a measurement creates on a server. It
// identifies what a killed measurement left on the server.
const scratchName = "botwork_bench"

// inScratch creates an empty scratch database, calls do with its DSN, and removes it,
// also if do fails or ctx has ended.
func (c Common) inScratch(ctx context.Context, do func(dsn string) error) (err error) {
	dsn, remove, err := c.scratch(ctx)
	if err != nil {
		return fmt.Errorf("create a scratch database: %w", err)
	}
	if c.made != nil {
		c.made(dsn)
	}
	defer func() {
		if left := remove(context.WithoutCancel(ctx)); left != nil {
			err = errors.Join(err, fmt.Errorf("remove the scratch database: %w", left))
		}
	}()
	return do(dsn)
}

// scratch is like database.Scratch, but SQLite's file is created in the folder of the
// configured database, because another disk may be faster or slower.
func (c Common) scratch(ctx context.Context) (dsn string, remove func(context.Context) error, err error) {
	if c.In != "" {
		return c.named(ctx)
	}
	if c.Driver != database.SQLite {
		return database.Scratch(ctx, c.Driver, c.DSN, scratchName)
	}
	dir, err := os.MkdirTemp(folderOf(c.DSN), scratchName+"_")
	if err != nil {
		return "", nil, err
	}
	return c.withSync(filepath.Join(dir, "scratch.db")), func(context.Context) error { return os.RemoveAll(dir) }, nil
}

// withSync returns the DSN of a SQLite file with the requested pragma.
func (c Common) withSync(path string) string {
	if c.Sync == "" {
		return path
	}
	path = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
	return "file:" + path + "?_pragma=synchronous(" + strings.ToUpper(c.Sync) + ")"
}

// folderOf returns the folder of a SQLite database. It returns "", the system's temporary
// folder, if that folder does not exist or the database is in memory.
func folderOf(dsn string) string {
	path, params, _ := strings.Cut(strings.TrimPrefix(dsn, "file:"), "?")
	if path == "" || path == ":memory:" || strings.Contains(params, "mode=memory") {
		return ""
	}
	if strings.HasPrefix(dsn, "file:") {
		if plain, err := url.PathUnescape(path); err == nil {
			path = plain
		}
	}
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); err != nil {
		return ""
	}
	return dir
}

// inStore calls do with a migrated store in a scratch database.
func (c Common) inStore(ctx context.Context, do func(store *sqlstore.Store, dsn string) error) error {
	return c.inScratch(ctx, func(dsn string) error {
		store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(c.Driver), DSN: dsn})
		if err != nil {
			return err
		}
		if _, err = store.Migrate(ctx); err == nil {
			err = do(store, dsn)
		}
		return errors.Join(err, store.Close())
	})
}
