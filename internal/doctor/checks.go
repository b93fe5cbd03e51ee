package doctor

import (
	"context"
	"database/sql"
	"sync/atomic"
	"time"

	"botwork/internal/database"
	"botwork/internal/keyring"
)

// Options are what the settings say, as plain values. When SettingsError is set
// only File and the service count.
type Options struct {
	// File is the settings file, "" if there is none and the defaults and the environment are
	// used. SettingsError is why the settings cannot be used.
	File          string
	SettingsError error

	Driver database.Driver
	DSN    string

	// Worker is worker.name.
	Worker string

	// Timezone is pipelines.timezone.
	Timezone string

	// Secrets are the names of the secrets, and SecretsError says which of them,
	// or of the connections' DSNs, cannot be read.
	Secrets      []string
	SecretsError error

	// SecretFiles are the files of secrets and DSNs, but for the keyset's.
	SecretFiles []SecretFile

	Connections []Connection

	Keyset Keyset

	// Pipelines is the folder of pipelines; CheckPipelines checks them as
	// `botwork pipelines check` does. An error says that the folder cannot be read.
	Pipelines      string
	CheckPipelines func() (PipelineCounts, error)

	// Folders are those in which handlers may write, and Log the folder of the
	// log file, "" for none.
	Folders []string
	Log     string

	// Exposed are those of Folders that hold more than the files of steps.
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

// Keyset is what the settings say of the keys of encrypted queues.
type Keyset struct {
	Named bool   // the settings name one
	File  string // where it is defined; "" if that is not a file
	Keys  *keyring.Keyring
	Error error // why it cannot be used
}

// PipelineCounts is the result of checking the pipelines. First is the first
// mistake, or else the first warning, with its place.
type PipelineCounts struct {
	Good, Mistakes, Warnings int
	First                    string

	// Broken are the pipelines that a worker starts without because of mistakes.
	// Refused reports that it does not start.
	Broken  []string
	Refused bool
}

// Doctor has the checks of one set of settings. Close it when they have run.
type Doctor struct {
	o       Options
	account account

	// Set by the check "database", before those that depend on it run; empty when
	// the file of a SQLite database is not there yet. Atomic, since a check that was
	// left behind may end after Close.
	db atomic.Pointer[sql.DB]

	// waiting is how many migrations are to come, set by the check "schema".
	waiting int
}

// New prepares the checks. Nothing is touched yet.
func New(o Options) *Doctor { return &Doctor{o: o} }

// Checks lists the checks in the order of the report. Some are about one engine only.
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
	if d.o.Driver == database.SQLServer {
		checks = append(checks,
			Check{Name: "snapshot", After: []string{"database"}, Run: d.withDatabase(d.snapshot)},
			Check{Name: "stalled", After: []string{"database"}, Run: d.withDatabase(d.stalled)})
	}
	return append(checks,
		Check{Name: "clock", After: []string{"database"}, Run: d.withDatabase(d.clock)},
		Check{Name: "history", After: []string{"schema"}, Run: d.withSchema(d.history)},
		Check{Name: "workers", After: []string{"schema"}, Run: d.withSchema(d.workers)},
		Check{Name: "sealed-items", After: []string{"schema", "keyset"}, Run: d.withSchema(d.sealedItems)},
		Check{Name: "connections", After: []string{"secrets"}, Run: d.connections},
	)
}

// Examine runs all checks.
func (d *Doctor) Examine(ctx context.Context, timeout time.Duration) []Result {
	return Run(ctx, d.Checks(), timeout)
}

// Close ends the connection that the checks have shared. Call it when they have
// run.
func (d *Doctor) Close() error {
	if db := d.db.Load(); db != nil {
		return db.Close()
	}
	return nil
}

// withDatabase is for checks that ask the database. One that is not there yet
// has no answers.
func (d *Doctor) withDatabase(run func(context.Context) []Result) func(context.Context) []Result {
	return func(ctx context.Context) []Result {
		if d.db.Load() == nil {
			return skipped("the database's file is not there yet")
		}
		return run(ctx)
	}
}

// withSchema is for checks that read the tables as this program knows them.
func (d *Doctor) withSchema(run func(context.Context) []Result) func(context.Context) []Result {
	return d.withDatabase(func(ctx context.Context) []Result {
		if d.waiting > 0 {
			return skipped("migrations wait to be applied")
		}
		return run(ctx)
	})
}
