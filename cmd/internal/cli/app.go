// Package cli has the common code of the commands: loading the settings, opening the database,
// printing results and errors, and checking arguments. Each noun of the command line is a
// separate package that uses it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"botwork/config"
	"botwork/internal/database"
	"botwork/internal/programs"
	"botwork/internal/service"
	"botwork/workqueue"
)

// App is one call of the program: its streams and its settings.
type App struct {
	Streams
	Settings
	ServerFlags

	Programs *programs.Account

	// Open opens the database of a DSN with the driver and the pool of db; cipher may be nil. Package
	// cmd sets it.
	Open func(ctx context.Context, db config.Database, dsn string, cipher workqueue.Cipher) (Store, error)

	// LockTimeout is how long the changes of a command wait for rows that another session of the
	// database holds; 0: the command has no such flag. See RegisterLockTimeout.
	LockTimeout time.Duration

	// ObserveStatement is called after each SQL statement of a store that is opened later. nil:
	// nothing is observed.
	ObserveStatement func(name string, took time.Duration, err error)

	// Services opens the service manager of this system.
	Services func() (service.Manager, error)

	// Started is true after the command line was parsed: an error before that is a usage error.
	Started bool
}

// New returns a call of the program. environ has the form of os.Environ.
func New(stdin io.Reader, stderr io.Writer, environ []string) *App {
	return &App{
		Streams:  Streams{Stdin: stdin, Stderr: stderr},
		Settings: Settings{Environ: environ},
		Programs: programs.New(), Services: service.New,
	}
}

// OpenStore opens the database of the settings. It creates a SQLite file if there was none,
// and updates its schema. The schema of a server is updated only by `botwork db migrate` and
// `botwork run`.
func (a *App) OpenStore(ctx context.Context) (Store, error) {
	store, err := a.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if store.Driver() == database.SQLite {
		if _, err := store.Migrate(ctx); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		// In a read-only folder no marker is written. If SQLite needs to write there, it returns its
		// own error.
		_ = database.MarkSQLite(a.Config.Database.DSN.Reveal(), false)
	}
	return store, nil
}

// OpenReadOnly is OpenStore for commands that change nothing. It does not create a SQLite file:
// if there is none, the commands read an empty database.
func (a *App) OpenReadOnly(ctx context.Context) (Store, error) {
	if !a.hasNoFile() {
		return a.OpenStore(ctx)
	}
	store, err := a.ConnectReadOnly(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := store.Migrate(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// ConnectReadOnly is Connect for commands that change nothing. If the SQLite file does not exist
// yet, they get an empty database in memory.
func (a *App) ConnectReadOnly(ctx context.Context) (Store, error) {
	if !a.hasNoFile() {
		return a.Connect(ctx)
	}
	dsn := a.Config.Database.DSN.Reveal()
	if err := database.CheckSQLiteUsed(dsn); err != nil {
		return nil, err
	}
	if _, err := a.Cipher(); err != nil {
		return nil, err
	}
	fmt.Fprintf(a.Stderr, "botwork: the database file %s does not exist yet; `botwork run` and `botwork enqueue` create it\n", database.SQLitePath(dsn))
	return a.Open(ctx, config.Database{Driver: database.SQLite}, ":memory:", nil)
}

// hasNoFile reports whether the database is a SQLite file that does not exist, in a folder
// that does.
func (a *App) hasNoFile() bool {
	path := database.SQLitePath(a.Config.Database.DSN.Reveal())
	if a.Config.Database.Driver != database.SQLite || path == "" {
		return false
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return false
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Connect opens the database as it is. Without the keys of the settings it does
// not touch it. The error is a *database.MissingFileError where a SQLite file was used
// before and is gone.
func (a *App) Connect(ctx context.Context) (Store, error) {
	if a.Config.Database.Driver == database.SQLite {
		if err := database.CheckSQLiteUsed(a.Config.Database.DSN.Reveal()); err != nil {
			return nil, err
		}
	}
	return a.ConnectOrCreate(ctx)
}

// ConnectOrCreate is Connect, but also creates a SQLite file if one was used before.
func (a *App) ConnectOrCreate(ctx context.Context) (Store, error) {
	cipher, err := a.Cipher()
	if err != nil {
		return nil, err
	}
	db := a.Config.Database
	store, err := a.Open(ctx, db, db.DSN.Reveal(), cipher)
	if err == nil {
		return store, nil
	}
	if db.Driver == database.SQLite && !strings.HasPrefix(db.DSN.Reveal(), "file:") {
		// SQLite creates the file, but not its folder, and its error only says that it cannot open the
		// file.
		folder := filepath.Dir(db.DSN.Reveal())
		if _, missing := os.Stat(folder); errors.Is(missing, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w; the folder %s does not exist: create it, or change database.dsn", err, folder)
		}
	}
	return nil, err
}

// WithStore loads the settings and calls do with the open database.
func (a *App) WithStore(ctx context.Context, do func(Store) error) error {
	return a.with(ctx, a.OpenStore, do)
}

// WithReadOnlyStore is WithStore for commands that change nothing.
func (a *App) WithReadOnlyStore(ctx context.Context, do func(Store) error) error {
	return a.with(ctx, a.OpenReadOnly, do)
}

func (a *App) with(ctx context.Context, open func(context.Context) (Store, error), do func(Store) error) error {
	if a.UsesServer() {
		return errors.New("the command needs a database, not a server") // the command is marked with OverServer by mistake
	}
	if err := a.LoadConfig(); err != nil {
		return err
	}
	store, err := open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// ShortPath returns a path for output: relative if it is in the working folder.
func ShortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}

// NeedDatabaseFile returns an error if the SQLite file does not exist, because opening would
// create it.
func (a *App) NeedDatabaseFile() error {
	db := a.Config.Database
	file := db.DSN.Reveal()
	if db.Driver != database.SQLite || strings.HasPrefix(file, "file:") || strings.HasPrefix(file, ":") {
		return nil
	}
	if err := database.CheckSQLiteUsed(file); err != nil {
		return err
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the database file %s does not exist; `botwork run` and `botwork db migrate` create it, "+
			"database.dsn names another", file)
	}
	return nil
}
