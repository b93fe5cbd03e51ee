package database

import "time"

// Migration is one step of the schema.
type Migration struct {
	Version   int64      `json:"version"`
	Name      string     `json:"name"`
	Applied   bool       `json:"applied"`
	AppliedAt *time.Time `json:"appliedAt"`
}
