package doctor

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"botwork/internal/database"
	"botwork/internal/keyring"
)

// Options are the settings as plain values. If SettingsError is set, only File and
// the service are used.
type Options struct {
	// File is the settings file; "" if there is none, so that only the defaults and the
	// environment apply. SettingsError is why the settings cannot be used.
	File          string
	SettingsError error

	// Environment is the chosen environment of the settings; "" if none is.
	Environment string

	Driver database.Driver
	DSN    string

	// Worker is worker.name.
	Worker string

	// Timezone is pipelines.timezone.
	Timezone string

	// NotificationRules is the number of rules of notifications.
	NotificationRules int

	// Secrets are the names of the secrets. SecretsError names those secrets and
	// DSNs of connections that cannot be read.
	Secrets      []string
	SecretsError error

	// SecretFiles are the files of secrets and DSNs, except that of the keyset.
	SecretFiles []SecretFile

	Connections []Connection

	Keyset Keyset

	// Pipelines is the folder of pipelines. CheckPipelines checks them as
	// `botwork pipelines check` does, and returns an error if the folder cannot be read.
	Pipelines      string
	CheckPipelines func() (PipelineCounts, error)

	// Folders are the folders in which handlers may write. Log is the folder of the
	// log file; "" for none.
	Folders []string
	Log     string

	// Exposed are those of Folders that contain more than the files of steps.
	Exposed []ExposedFolder

	// ServiceName is the service that runs with these settings, if it is installed,
	// and Service asks the service manager about it.
	ServiceName string
	Service     func(context.Context) (Service, error)
}

// Connection is a named connection of the settings. Its DSN is "" when it
// cannot be read.
type Connection struct {
	Name   string
	Driver database.Driver
	DSN    string
}

// Keyset is the keyset of encrypted queues in the settings.
type Keyset struct {
	Named bool   // the settings name one
	File  string // where it is defined; "" if that is not a file
	Keys  *keyring.Keyring
	Error error // why it cannot be used
}

// PipelineCounts is the result of checking the pipelines. First is the first
// error, or the first warning if there is no error, with its position.
type PipelineCounts struct {
	Good, Mistakes, Warnings int
	First                    string

	// Broken are the pipelines that a worker does not load because of errors.
	// Refused is true if the worker does not start.
	Broken  []string
	Refused bool
}

// Doctor runs the checks of one set of settings. Call Close after they have run.
type Doctor struct {
	o       Options
	account account

	// Set by the check "database", before the checks that depend on it; nil if the
	// file of a SQLite database does not exist yet. Atomic, because a check that hangs
	// may end after Close.
	db atomic.Pointer[sql.DB]

	// file returns the watch of a SQLite file, and whether its write-ahead log was missing before
	// the first check opened it; nil if there is no such file.
	file func() (watch *database.FileWatch, logMissing bool)

	// waiting is the number of pending migrations, set by the check "schema".
	waiting int
}

// New returns a Doctor. It does not run any checks.
func New(o Options) *Doctor { return &Doctor{o: o, file: sync.OnceValues(o.sqliteWatch)} }

func (o Options) sqliteWatch() (watch *database.FileWatch, logMissing bool) {
	if o.Driver != database.SQLite {
		return nil, false
	}
	watch, err := database.WatchSQLite(o.DSN)
	if err != nil {
		return nil, false // other checks report it
	}
	return watch, watch.LogMissing()
}

// Checks returns the checks in the order of the report. Some are for one engine only.
func (d *Doctor) Checks() []Check {
	checks := []Check{
		{Name: "settings", Run: d.settings},
		{Name: "account", Run: d.accounts},
		{Name: "zone-data", After: []string{"settings"}, Run: d.zoneData},
		{Name: "secrets", After: []string{"settings"}, Run: d.secrets},
		{Name: "secret-files", After: []string{"settings", "account"}, Run: d.secretFiles},
		{Name: "keyset", After: []string{"settings", "account"}, Run: d.keyset},
		{Name: "folders", After: []string{"settings", "account"}, Run: d.folders},
		{Name: "exposed-files", After: []string{"settings"}, Run: d.exposed},
		{Name: "disk", After: []string{"settings"}, Run: d.disk},
		{Name: "pipelines", After: []string{"settings"}, Run: d.pipelines},
		{Name: "database", After: []string{"settings"}, Run: d.database},
		{Name: "version", After: []string{"database"}, Run: d.withDatabase(d.version)},
		{Name: "schema", After: []string{"database"}, Run: d.withDatabase(d.schema)},
	}
	if d.o.Driver == database.SQLite {
		checks = append(checks,
			Check{Name: "sqlite-file", After: []string{"settings", "account"}, Run: d.sqliteFile},
			Check{Name: "sqlite-access", After: []string{"sqlite-file"}, Run: d.sqliteAccess})
	} else {
		checks = append(checks,
			Check{Name: "rights", After: []string{"schema"}, Run: d.withDatabase(d.rights)},
			Check{Name: "replication", After: []string{"database"}, Run: d.withDatabase(d.replication)})
	}
	if d.o.Driver == database.Postgres {
		checks = append(checks,
			Check{Name: "pooler", After: []string{"database"}, Run: d.withDatabase(d.pooler)},
			Check{Name: "stalled", After: []string{"database"}, Run: d.withDatabase(d.openSessions)})
	}
	if d.o.Driver == database.SQLServer {
		checks = append(checks,
			Check{Name: "snapshot", After: []string{"database"}, Run: d.withDatabase(d.snapshot)},
			Check{Name: "stalled", After: []string{"database"}, Run: d.withDatabase(d.stalled)})
	}
	return append(checks,
		Check{Name: "clock", After: []string{"database"}, Run: d.withDatabase(d.clock)},
		Check{Name: "history", After: []string{"schema"}, Run: d.withSchema(d.history)},
		Check{Name: "workers", After: []string{"schema"}, Run: d.withSchema(d.workers)},
		Check{Name: "notifications", After: []string{"schema"}, Run: d.withSchema(d.notifications)},
		Check{Name: "paused", After: []string{"schema"}, Run: d.withSchema(d.paused)},
		Check{Name: "sealed-items", After: []string{"schema", "keyset"}, Run: d.withSchema(d.sealedItems)},
		Check{Name: "connections", After: []string{"secrets"}, Run: d.connections},
	)
}

// Examine runs all checks.
func (d *Doctor) Examine(ctx context.Context, timeout time.Duration) []Result {
	return Run(ctx, d.Checks(), timeout)
}

// Close closes the database connection of the checks. Call it after they have run.
func (d *Doctor) Close() error {
	db := d.db.Load()
	if db == nil {
		return nil
	}
	err := db.Close()
	file, _ := d.file()
	return errors.Join(err, file.Closed())
}

// withDatabase is for checks that query the database. They are skipped if it does not
// exist yet.
func (d *Doctor) withDatabase(run func(context.Context) []Result) func(context.Context) []Result {
	return func(ctx context.Context) []Result {
		if d.db.Load() == nil {
			return skipped("the database file does not exist yet")
		}
		return run(ctx)
	}
}

// withSchema is for checks that need the current schema. They are skipped if migrations are
// pending.
func (d *Doctor) withSchema(run func(context.Context) []Result) func(context.Context) []Result {
	return d.withDatabase(func(ctx context.Context) []Result {
		if d.waiting > 0 {
			return skipped("migrations are pending")
		}
		return run(ctx)
	})
}
