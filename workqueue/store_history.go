package workqueue

import (
	"context"
	"time"
)

// FencesOfEpoch is how many fences an epoch has: those of epoch e begin above
// e * FencesOfEpoch.
const FencesOfEpoch = 1_000_000_000

// HistoryStore is about databases that have lost their latest transactions: after a
// failover to a standby that lacked them, or when a backup was restored. The fences and ids
// that were given in them must not be given again, since their runs may go on. So the
// database has an epoch. Raising it puts every later fence above all earlier ones, and the
// ids of items, workers and runs a million ahead.
//
// Workers do so themselves where they notice: see BeatResult.History.
type HistoryStore interface {
	// Installation returns what the database records of its history.
	Installation(ctx context.Context) (Installation, error)

	// RaiseEpoch begins another epoch, for a person who knows that transactions are lost.
	RaiseEpoch(ctx context.Context, reason string) (HistoryChange, error)
}

// Installation is what a database records of its history.
type Installation struct {
	Epoch int64 `json:"epoch"`

	// Timeline is the server's name of the present history; "" when it is not known.
	Timeline string `json:"timeline"`

	// RaisedAt is when the epoch was last raised, and Reason why; nil and "": never.
	RaisedAt *time.Time `json:"raisedAt"`
	Reason   string     `json:"reason"`
}

// HistoryChange is a new epoch of the database.
type HistoryChange struct {
	Before, After Installation

	// LostClaims counts the items that this worker holds by a claim which the database
	// does not have.
	LostClaims int

	// Refused are statements that the login may not execute, and that have to be executed
	// so that no id is given twice.
	Refused []string
}
