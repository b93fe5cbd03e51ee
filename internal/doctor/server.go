package doctor

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"botwork/internal/database"
)

// The oldest supported versions. The versions of Azure's editions have no meaning.
const (
	oldestPostgres   = 14
	oldestSQLServer  = 15  // 2019
	oldestCompatible = 130 // the first with OPENJSON
	azureDatabase    = 5
	azureManaged     = 8
)

// serverInfo is the version and state of a server.
type serverInfo struct {
	version       string
	edition       int // of SQL Server: EngineEdition
	compatibility int // of the SQL Server database
	readOnly      bool
}

// version checks that the server's version is supported.
func (d *Doctor) version(ctx context.Context) []Result {
	var a serverInfo
	err := d.query(ctx, "server", func(rows *sql.Rows) error {
		return rows.Scan(&a.version, &a.edition, &a.compatibility, &a.readOnly)
	})
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	return evaluateVersion(d.o.Driver, a)
}

// evaluateVersion reports whether Botwork supports a server.
func evaluateVersion(driver database.Driver, a serverInfo) []Result {
	major, err := strconv.Atoi(leadingDigits(a.version)) // also of "18beta1"
	if err != nil {
		return warning(fmt.Sprintf("cannot parse the server's version %q", a.version), "supported are PostgreSQL 14, SQL Server 2019, Azure SQL, and later")
	}
	found := map[database.Driver]string{database.SQLite: "SQLite ", database.Postgres: "PostgreSQL ", database.SQLServer: "SQL Server "}[driver] + a.version
	switch azure := a.edition == azureDatabase || a.edition == azureManaged; {
	case driver == database.Postgres && major < oldestPostgres:
		return fault(found, fmt.Sprintf("upgrade the server: %d is the oldest that is supported", oldestPostgres))
	case driver == database.SQLServer && azure:
		found = "Azure SQL " + a.version
	case driver == database.SQLServer && major < oldestSQLServer:
		return fault(found, "upgrade the server: 2019 (15.0) is the oldest that is supported")
	}
	if a.readOnly {
		return fault(found+"; the database is read-only", "name the primary server in database.dsn, not a standby, or make the database writable")
	}
	if driver == database.SQLServer && a.compatibility < oldestCompatible {
		return fault(fmt.Sprintf("%s; the database has the compatibility level %d", found, a.compatibility),
			"Botwork's statements use OPENJSON, which needs level 130: ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = 150")
	}
	return ok(found)
}

func leadingDigits(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, "0123456789"))]
}

// snapshot reports whether readers of SQL Server read row versions instead of waiting for
// writers.
func (d *Doctor) snapshot(ctx context.Context) []Result {
	var on bool
	var name string
	err := d.query(ctx, "snapshot", func(rows *sql.Rows) error { return rows.Scan(&name, &on) })
	switch {
	case err != nil:
		return d.queryFailed(ctx, err)
	case on:
		return ok("read-committed snapshot is on")
	}
	return warning("read-committed snapshot is off: queries of lists and pages wait for workers, and workers wait for them",
		"stop the workers, then: ALTER DATABASE "+bracketed(name)+" SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE")
}
