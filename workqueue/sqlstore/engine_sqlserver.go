package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/pressly/goose/v3"
	"gorm.io/driver/sqlserver"
	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/workqueue"
)

// sqlServerLabel is the beginning of a condition on the label @name. Without the dot, = ignores spaces at the
// end. The type is 1 for a text, 2 for a number, 3 for true and false.
const sqlServerLabel = "EXISTS (SELECT 1 FROM OPENJSON(CASE WHEN ISJSON(@column) = 1 THEN @column END) l " +
	"WHERE CONCAT(l.[key], N'.') COLLATE Latin1_General_100_BIN2 = CONCAT(@name, N'.') AND "

var sqlServerDialect = dialect{
	driver:   database.SQLServer,
	folder:   "sqlserver",
	goose:    goose.DialectMSSQL,
	clock:    "COALESCE(CAST(? AS DATETIME2(3)), CAST(SYSUTCDATETIME() AS DATETIME2(3)))",
	contains: "CHARINDEX(@text, @column COLLATE Latin1_General_100_BIN2) > 0",
	hasLabel: sqlServerLabel + "l.[type] IN (1, 2, 3))",
	labelIs: sqlServerLabel + "(l.[type] IN (1, 3) AND CONCAT(l.[value], N'.') COLLATE Latin1_General_100_BIN2 = CONCAT(@text, N'.') " +
		"OR l.[type] = 2 AND TRY_CAST(l.[value] AS FLOAT) = CAST(@number AS FLOAT)))",
	jsonTime: "2006-01-02T15:04:05.000",

	setIdentity: `DBCC CHECKIDENT (N'%[1]s', RESEED, %[2]d) WITH NO_INFOMSGS`,
	savepoint:   "SAVE TRANSACTION botwork", toSavepoint: "ROLLBACK TRANSACTION botwork",
	countsByID: true, passesOver: true,
}

// sqlServerEngine is a server whose UPDATE cannot return rows of a table with triggers, and
// which does not end sessions that stall in a transaction.
type sqlServerEngine struct {
	serverEngine
	stalled stalledSessions
}

func (*sqlServerEngine) dialect() *dialect { return &sqlServerDialect }

func (*sqlServerEngine) dialector(db *sql.DB) gorm.Dialector {
	return sqlServerDialector{&sqlserver.Dialector{Config: &sqlserver.Config{Conn: db}}}
}

// limitKey removes trailing spaces, which SQL Server does not compare.
func (*sqlServerEngine) limitKey(key string) string { return strings.TrimRight(key, " ") }

// queueKey folds the case: names that differ only in case are one queue.
func (*sqlServerEngine) queueKey(name string) string { return workqueue.FoldQueueName(name) }

func (e *sqlServerEngine) open(_ context.Context, o Options, greet database.Greeting) (pools, error) {
	return e.openPool(database.SQLServer, o, greet)
}

func (e *sqlServerEngine) lockMigrations(ctx context.Context, s *connection) (migrationTurn, error) {
	return e.lockByConnection(ctx, s,
		`DECLARE @r INT; EXEC @r = sp_getapplock @Resource = N'`+migrationLock+
			`', @LockMode = N'Exclusive', @LockOwner = N'Session', @LockTimeout = 120000; IF @r < 0 BEGIN; THROW 50000, N'the migration lock was not acquired within 2 minutes', 1; END;`,
		`EXEC sp_releaseapplock @Resource = N'`+migrationLock+`', @LockOwner = N'Session';`)
}

// snapshot needs no isolation level: its statements lock what they read.
func (e *sqlServerEngine) snapshot(ctx context.Context, s *connection, do func(runner) error) error {
	return e.readOnly(ctx, s, sql.LevelDefault, do)
}

// lockAssignment waits up to 10 seconds.
func (*sqlServerEngine) lockAssignment(ctx context.Context, s *connection, tx *sql.Tx) error {
	rows, err := s.queries.query(ctx, tx, lockStatement, nil)
	if err != nil {
		return err
	}
	var result int64 // below 0: the lock was not acquired
	if err := eachRow(rows, func() error { return rows.Scan(&result) }); err != nil {
		return err
	}
	if result < 0 {
		return fmt.Errorf("the assignment lock was not acquired within 10 seconds (sp_getapplock returned %d, want 0 or 1): "+
			"another worker's pass is still running, or that worker is suspended; `botwork doctor` lists suspended sessions", result)
	}
	return nil
}

func (*sqlServerEngine) holdersEnd() string { return "KILL %d" }

// isSingle returns false: see changeFenced.
func (*sqlServerEngine) isSingle(*fenced) bool { return false }

// changeFenced first lists and locks the claims that hold their lease, and then changes them:
// an UPDATE cannot return rows of a table with triggers.
func (*sqlServerEngine) changeFenced(ctx context.Context, s *connection, on runner, f fenced) ([]refRow, error) {
	list := make([]holdRow, len(f.refs))
	for i, ref := range slices.SortedFunc(slices.Values(f.refs), refRow.compare) {
		list[i] = holdRow{ref, f.robots[ref]}
	}
	claims, err := jsonRows(list)
	if err != nil {
		return nil, err
	}
	v := maps.Clone(f.values)
	v["rows"], v["now"] = claims, s.nowArg()
	held, err := s.queries.runs(ctx, on, "held", v, f.runs)
	if err != nil || len(held) == 0 {
		return nil, err
	}
	ends := f.values
	if f.runs != nil {
		// The statistics count the ends at the time that the first statement has returned.
		ends = maps.Clone(ends)
		ends["now"] = s.engine.timeArg(f.runs[held[0]].ended)
	}
	n, err := s.queries.exec(ctx, on, f.statement, ends)
	if err != nil {
		return nil, err
	}
	if int(n) != len(held) {
		return nil, errSetShrank
	}
	return held, nil
}

func classifySQLServer(err error) errorClass {
	ms, ok := errors.AsType[mssql.Error](err)
	if !ok {
		return otherError
	}
	switch ms.Number {
	case 1205, 1222: // deadlock victim, lock timeout
		return transientError
	case azureBusy, azureRequests, azureSessions, azureResources, azureOperations, azureSubscription:
		return transientError
	case azureFailure, azureUnavailable:
		if nothingCommitted(err) {
			return transientError
		}
	case 2601, 2627:
		return uniqueError
	case 547:
		return foreignKeyError
	case 208:
		return noSuchTableError
	}
	return otherError
}
