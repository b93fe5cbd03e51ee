package simulation

import (
	"io/fs"
	"maps"
	"testing/fstest"

	"botwork/sql"
)

// trial is what is different from the product. The zero trial is the product.
type trial struct {
	statements map[string]string // changed ones, by their path in sql.Files
	localClock bool              // the database believes its clients' clocks
}

const stalePath, withheldPath = "sqlite/queries/stale.sql", "sqlite/queries/withheld.sql"

// outdatedStale names too much. All engines but SQLite let others write between
// the statement that lists candidates for rescue and the one that moves them, so
// the list may name items whose leases were renewed meanwhile. The statement
// that moves them must not care.
const outdatedStale = `SELECT c.Id, c.Fence, c.State, c.WorkerId, c.RetryCount, c.Priority
FROM BotWorkQueueItems c
WHERE c.State IN (1, 5) AND (@now <> @assigned_ms) IN (0, 1) -- to name all parameters
LIMIT CAST(@limit_rows AS INTEGER);`

// outdatedWithheld does it for the statement that gives back what must not start.
const outdatedWithheld = `SELECT c.Id
FROM BotWorkQueueItems c
WHERE c.State IN (1, 5) AND (@now IS NULL) IN (0, 1) -- to name all parameters
LIMIT CAST(@limit_rows AS INTEGER);`

// edition is the statements of a history. In half of them the candidates for
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
		edition[path] = &fstest.MapFile{Data: text}
		return err
	})
	return edition, err
}
