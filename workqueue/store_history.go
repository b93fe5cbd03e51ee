package workqueue

import (
	"context"
	"time"
)

// FencesOfEpoch is how many fences an epoch has: those of epoch e begin above
// e * FencesOfEpoch.
const FencesOfEpoch = 1_000_000_000

// HistoryStore handles databases that have lost their latest transactions: after a
// failover to a standby that lacked them, or after a restore from a backup. The
// fences and ids that the lost transactions gave must not be given again, since the
// runs that have them may still go on. For this the database has an epoch. Raising
// the epoch puts every later fence above all earlier ones, and moves the next ids of
// items, workers and runs a million ahead.
//
// Workers raise the epoch themselves when they notice the loss: see
// BeatResult.History.
type HistoryStore interface {
	// Installation returns what the database records about its history.
	Installation(ctx context.Context) (Installation, error)

	// RaiseEpoch begins a new epoch, for a user who knows that transactions are lost.
	RaiseEpoch(ctx context.Context, reason string) (HistoryChange, error)
}

// Installation is what the database records about its history.
type Installation struct {
	Epoch int64 `json:"epoch"`

	// Timeline is the server's name of the current history; "" if it is unknown.
	Timeline string `json:"timeline"`

	// RaisedAt is when the epoch was last raised, and Reason why; nil and "": never.
	RaisedAt *time.Time `json:"raisedAt"`
	Reason   string     `json:"reason"`
}

// HistoryChange is a new epoch of the database.
type HistoryChange struct {
	Before, After Installation

	// LostClaims counts the items that this worker holds by a claim that is missing
	// in the database.
	LostClaims int

	// Refused are statements that the login has no permission to execute. They must
	// be executed so that no id is given twice.
	Refused []string
}
