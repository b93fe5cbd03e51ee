package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"botwork/internal/database"
)

// fact is a property that the server reports about itself.
type fact struct{ name, value string }

// questions run one by one, because some servers do not support all of them.
var questions = []struct{ name, text string }{
	{"version", `SELECT @@VERSION`},
	{"product version", `SELECT CAST(SERVERPROPERTY('ProductVersion') AS NVARCHAR(128))`},
	{"edition", `SELECT CAST(SERVERPROPERTY('Edition') AS NVARCHAR(128))`},
	{"collation", `SELECT CAST(SERVERPROPERTY('Collation') AS NVARCHAR(128))`},
	{"compatibility level of a new database", `SELECT CAST(compatibility_level AS NVARCHAR(10)) FROM sys.databases WHERE name = 'model'`},
	{"READ_COMMITTED_SNAPSHOT of a new database", `SELECT CAST(is_read_committed_snapshot_on AS NVARCHAR(10)) FROM sys.databases WHERE name = 'model'`},
	{"processors", `SELECT CAST(cpu_count AS NVARCHAR(10)) FROM sys.dm_os_sys_info`},
	{"memory in MB", `SELECT CAST(physical_memory_kb / 1024 AS NVARCHAR(20)) FROM sys.dm_os_sys_info`},
}

// askServer returns the properties of the server and the time of a round trip. The error
// is the reason why the server cannot be reached.
func askServer(ctx context.Context, dsn string) (facts []fact, err error) {
	db, err := database.Open(database.SQLServer, dsn)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.PingContext(ctx); err != nil {
		return nil, err
	}
	for _, q := range questions {
		var value sql.NullString
		if err := db.QueryRowContext(ctx, q.text).Scan(&value); err != nil {
			value.String = fmt.Sprint("unknown: ", database.Redact(err, dsn))
		}
		facts = append(facts, fact{q.name, value.String})
	}
	const times = 20
	started := time.Now()
	for range times {
		if _, err := db.ExecContext(ctx, `SELECT 1`); err != nil {
			return nil, err
		}
	}
	return append(facts, fact{"round trip", (time.Since(started) / times).Round(time.Microsecond).String()}), nil
}
