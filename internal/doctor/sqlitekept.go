package doctor

import (
	"context"
	"os"
	"runtime"
	"strconv"

	"botwork/internal/database"
)

// lostFile is the result for a SQLite file that was used before and is gone, or is not the
// one that was used; nil when neither is so.
func (d *Doctor) lostFile(path string) []Result {
	if path == "" {
		return nil
	}
	if err := database.CheckSQLiteUsed(d.o.DSN); err != nil {
		return fault(err.Error(), "stop the workers, put the file back from where it was moved to or from a backup, and start them; or begin with an empty database by `botwork db init`")
	}
	if database.ReplacedSQLite(path) {
		return fault(path+" is not the file that a worker opened last: it was replaced", "if you have put another database there, such as a backup, restart the workers: the next start uses it as it is; workers that still run stop at their next heartbeat")
	}
	return nil
}

// sqliteAccess looks who else may read the SQLite file or replace it.
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
		results = append(results, warning(risk, "keep the database in a folder that belongs to the account of the worker, or to root, and that others may not write")...)
	}
	if risk := database.FileRisk(path); risk != "" {
		results = append(results, warning(risk, "chmod 600 "+path+"*: the payloads and outputs of all items are in it")...)
	}
	switch {
	case results != nil:
		return results
	case runtime.GOOS == "windows":
		return ok("access control lists are not looked at: docs/windows.md says how to keep the folder to the service")
	default:
		return ok("only the owner may use the database, and replace it")
	}
}
