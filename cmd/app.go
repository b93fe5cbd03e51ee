package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"botwork/config"
	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/author/checker"
	"botwork/internal/database"
	"botwork/internal/programs"
	"botwork/internal/service"
	"botwork/workqueue/sqlstore"
)

// app is one call of the program: where it reads and writes, and its settings.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	unset          func(name string) error // clears a variable of this process; nil leaves them alone
	kinds          []handlers.Kind         // beside the built-in ones
	programs       *programs.Account

	// configFile is --config.
	configFile string

	// started tells that the command line was understood: an error before that
	// is wrong usage.
	started bool

	// services opens the service manager of this system.
	services func() (service.Manager, error)

	// supervisor is told how a worker gets on; alarms takes the lines of its log that
	// tell of trouble, nil if nobody gathers those.
	supervisor supervisor
	alarms     zerolog.LevelWriter

	// cfg is filled by loadConfig.
	cfg config.Config
}

// loadConfig reads the settings into a.cfg. Its error is a strictyaml.Findings.
func (a *app) loadConfig() error {
	cfg, err := config.Load(a.configFile, a.environ)
	if err != nil {
		return err
	}
	a.cfg = cfg
	a.forgetSecrets()
	return nil
}

// openStore opens the database of the settings. A SQLite file is created if there was
// none, and its schema is brought up to date. The schema of a server is left to `botwork
// db migrate` and `botwork run`.
func (a *app) openStore(ctx context.Context) (*sqlstore.Store, error) {
	store, err := a.connect(ctx)
	if err != nil {
		return nil, err
	}
	if store.Driver() == database.SQLite {
		if _, err := store.Migrate(ctx); err != nil {
			return nil, errors.Join(err, store.Close())
		}
		// A folder that nobody may write to gets no marker. If SQLite needs to write
		// there, its own error says so.
		_ = database.MarkSQLite(a.cfg.Database.DSN.Reveal(), false)
	}
	return store, nil
}

// openToRead is openStore for commands that change nothing. A SQLite file is not created:
// where there is none, what they read is empty.
func (a *app) openToRead(ctx context.Context) (*sqlstore.Store, error) {
	if !a.hasNoFile() {
		return a.openStore(ctx)
	}
	store, err := a.connectToRead(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := store.Migrate(ctx); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// connectToRead is connect for commands that change nothing. If the SQLite file does not
// exist yet, they get an empty database in memory.
func (a *app) connectToRead(ctx context.Context) (*sqlstore.Store, error) {
	if !a.hasNoFile() {
		return a.connect(ctx)
	}
	dsn := a.cfg.Database.DSN.Reveal()
	if err := database.CheckSQLiteUsed(dsn); err != nil {
		return nil, err
	}
	if _, err := a.cipher(); err != nil {
		return nil, err
	}
	fmt.Fprintf(a.stderr, "botwork: the database file %s does not exist yet; `botwork run` and `botwork enqueue` create it\n", database.SQLitePath(dsn))
	return sqlstore.Open(ctx, sqlstore.Options{Driver: database.SQLite, DSN: ":memory:"})
}

// hasNoFile reports whether the database is a SQLite file that does not exist, in a folder
// that does.
func (a *app) hasNoFile() bool {
	path := database.SQLitePath(a.cfg.Database.DSN.Reveal())
	if a.cfg.Database.Driver != database.SQLite || path == "" {
		return false
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return false
	}
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// connect opens the database as it is. Without the keys of the settings it does
// not touch it. The error is a *database.MissingFileError where a SQLite file was used
// before and is gone.
func (a *app) connect(ctx context.Context) (*sqlstore.Store, error) {
	if a.cfg.Database.Driver == database.SQLite {
		if err := database.CheckSQLiteUsed(a.cfg.Database.DSN.Reveal()); err != nil {
			return nil, err
		}
	}
	return a.connectAnew(ctx)
}

// connectAnew is connect, but creates a SQLite file also where one was used before.
func (a *app) connectAnew(ctx context.Context) (*sqlstore.Store, error) {
	cipher, err := a.cipher()
	if err != nil {
		return nil, err
	}
	db := a.cfg.Database
	store, err := sqlstore.Open(ctx, sqlstore.Options{
		Driver: db.Driver, DSN: db.DSN.Reveal(),
		MaxOpen: db.Pool.MaxOpen, MaxIdle: db.Pool.MaxIdle, MaxLifetime: db.Pool.MaxLifetime,
		Cipher: cipher,
	})
	if err != nil && db.Driver == database.SQLite && !strings.HasPrefix(db.DSN.Reveal(), "file:") {
		// SQLite makes the file, but not its folder, and says no more than
		// that it cannot open it.
		folder := filepath.Dir(db.DSN.Reveal())
		if _, missing := os.Stat(folder); errors.Is(missing, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w; the folder %s does not exist: create it, or change database.dsn", err, folder)
		}
	}
	return store, err
}

// withStore loads the settings and gives do the database for as long as it runs.
func (a *app) withStore(ctx context.Context, do func(*sqlstore.Store) error) error {
	return a.with(ctx, a.openStore, do)
}

// withStoreToRead is withStore for commands that change nothing.
func (a *app) withStoreToRead(ctx context.Context, do func(*sqlstore.Store) error) error {
	return a.with(ctx, a.openToRead, do)
}

func (a *app) with(ctx context.Context, open func(context.Context) (*sqlstore.Store, error), do func(*sqlstore.Store) error) error {
	if err := a.loadConfig(); err != nil {
		return err
	}
	store, err := open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// resources are what the settings let handlers use. The caller closes the
// connections; none is opened before a step uses it.
func (a *app) resources() (handlers.Resources, error) {
	known := make(map[string]handlers.Connection, len(a.cfg.Connections))
	for name, c := range a.cfg.Connections {
		known[name] = handlers.Connection{Driver: string(c.Driver), DSN: c.DSN.Reveal()}
	}
	connections, err := handlers.NewConnections(known)
	if err != nil {
		return handlers.Resources{}, err
	}
	hosts, err := a.cfg.Handlers.HTTP.Rules()
	return handlers.Resources{Connections: connections, Folders: a.cfg.Handlers.Folders, Hosts: hosts, Programs: a.programs, SecretEnv: slices.Collect(maps.Keys(a.cfg.SecretVariables()))}, err
}

// checker checks pipelines and what belongs to them, for commands that look at them
// without running them.
func (a *app) checker() (*checker.Checker, error) {
	resources, err := a.resources()
	if err != nil {
		return nil, err
	}
	return checker.New(&a.cfg, a.newRegistry(resources, queue.Services{}))
}

// openProject reads the settings and checks all that belongs to them. The settings
// are in a.cfg even when there are mistakes.
func (a *app) openProject() (*checker.Project, error) {
	p, err := checker.Open(checker.Options{
		Settings: a.configFile, Environ: a.environ, Shorten: shortPath,
		Registry: func(r handlers.Resources) *handlers.Registry { return a.newRegistry(r, queue.Services{}) },
	})
	if err == nil {
		a.cfg = p.Settings
		a.forgetSecrets()
	}
	return p, err
}

// shortPath shows a path as a person would write it here: relative where it
// lies in the working folder.
func shortPath(path string) string {
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

// isTerminal tells whether a person watches what is written to w.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
