package simulation

import (
	"io/fs"
	"maps"
	"testing/fstest"

	"botwork/sql"
)

// trial has the differences from the product. The zero trial is the product.
type trial struct {
	statements map[string]string // changed ones, by their path in sql.Files
	localClock bool              // the database uses its clients' clocks
	person     bool              // statements pass over the rows of heldTable
}

const stalePath, withheldPath = "sqlite/queries/stale.sql", "sqlite/queries/withheld.sql"

// outdatedStale lists too many items. All engines except SQLite allow other writes
// between the statement that lists candidates for rescue and the one that releases them, so
// the list may have items whose leases were renewed in the meantime. The statement
// that releases them must not depend on the list.
const outdatedStale = `SELECT c.Id, c.Fence, c.State, c.WorkerId, c.RetryCount, c.Priority
FROM BotWorkQueueItems c
WHERE c.State IN (1, 5) AND (@now <> @assigned_ms) IN (0, 1) -- to name all parameters
LIMIT CAST(@limit_rows AS INTEGER);`

// outdatedWithheld does the same for the statement that releases withheld items.
const outdatedWithheld = `SELECT c.Id
FROM BotWorkQueueItems c
WHERE c.State IN (1, 5) AND (@now IS NULL) IN (0, 1) -- to name all parameters
LIMIT CAST(@limit_rows AS INTEGER);`

// edition returns the statements of a history. In half of the histories the candidates for
// rescue are outdated.
func (tr trial) edition(seed uint64) (fs.FS, error) {
	changed := map[string]string{}
	if roll(seed, "outdated candidates", 0).chance(50) {
		changed[stalePath], changed[withheldPath] = outdatedStale, outdatedWithheld
	}
	maps.Copy(changed, tr.statements)
	edition := fstest.MapFS{}
	err := fs.WalkDir(sql.Files, "sqlite", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sql.Files, path)
		if other, ok := changed[path]; ok {
			text = []byte(other)
		}
		if change := passesOver[path]; change != nil && tr.person {
			text = []byte(change(string(text)))
		}
		edition[path] = &fstest.MapFile{Data: text}
		return err
	})
	return edition, err
}
