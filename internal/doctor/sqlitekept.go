package doctor

import (
	"context"
	"os"
	"runtime"
	"strconv"

	"botwork/internal/database"
)

// lostFile returns the result for a SQLite file that was used before and is missing, or that was
// replaced; nil if it is neither.
func (d *Doctor) lostFile(path string) []Result {
	if path == "" {
		return nil
	}
	if err := database.CheckSQLiteUsed(d.o.DSN); err != nil {
		return fault(err.Error(), "stop the workers, move the file back or restore a backup, and start them; or create an empty database with `botwork db init`")
	}
	if database.ReplacedSQLite(path) {
		return fault(path+" is not the file that a worker opened last: it was replaced", "if that was intended, for example to restore a backup, restart the workers: they use the new file; workers that still run stop at their next heartbeat")
	}
	if _, missing := d.file(); missing {
		return fault("the write-ahead log of "+path+" was deleted or replaced while the database was in use, or another program has removed it: changes may be lost, and processes that still run are not seen by others",
			"stop all processes that use the database, and start them again: the first one raises the epoch, so that no id and no fence is given twice; see docs/reliability.md")
	}
	return nil
}

// sqliteAccess checks who else may read or replace the SQLite file.
func (d *Doctor) sqliteAccess(context.Context) []Result {
	path := database.SQLitePath(d.o.DSN)
	if path == "" {
		return ok("the database is in memory")
	}
	uid := os.Geteuid()
	if id, err := strconv.Atoi(d.account.id); err == nil && d.account.name != "" {
		uid = id
	}
	var results []Result
	if risk := database.FolderRisk(path, uid); risk != "" {
		results = append(results, warning(risk, "keep the database in a folder that belongs to the worker's account or to root, and that other users may not write to")...)
	}
	if risk := database.FileRisk(path); risk != "" {
		results = append(results, warning(risk, "chmod 600 "+path+"*: the database contains the payloads and outputs of all items")...)
	}
	switch {
	case results != nil:
		return results
	case runtime.GOOS == "windows":
		return ok("not checked on Windows: docs/windows.md describes how to restrict the folder to the service")
	default:
		return ok("only the owner may use or replace the database")
	}
}
