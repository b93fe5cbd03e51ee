package workqueue

import (
	"context"
	"fmt"
	"unicode/utf16"
)

// maxStepPath is the width of the column for the path of a step, in UTF-16 units.
const maxStepPath = 200

// StepRecord is what an attempt of an item has recorded of one step for the next attempt.
type StepRecord struct {
	Step string   // the step's path, at most 200 characters: "post / sign"
	Data JSONText // what the pipeline needs to go on; opaque to the store
}

// StepStore keeps records of steps until the item succeeds. Finish removes them with the end of a run
// that sets Finish.HasSteps, and HousekeepingStore.RemoveSteps those that were left. An item that failed
// or was cancelled keeps them, so that a person can let it go on: RunNow keeps all, and Repeat those of
// the steps before Change.FromStep. The records of a removed item are removed with it. A clone and a copy
// that retries have none.
//
// The data of an encrypted item is encrypted like its payload.
type StepStore interface {
	// SaveSteps records steps of a running item, replacing earlier records of the same
	// steps. If steps has several records of one step, the last counts. It returns
	// ErrLeaseLost if the claim is no longer held, and a *LockedError if another session
	// holds the item's row; the item's records are then unchanged.
	SaveSteps(ctx context.Context, ref ItemRef, steps []StepRecord) error

	// Steps returns the records of an item, in the order in which they were first
	// recorded; empty if there are none.
	Steps(ctx context.Context, itemID int64) ([]StepRecord, error)

	// DropSteps removes the records of a running item. The errors are those of SaveSteps.
	DropSteps(ctx context.Context, ref ItemRef) error
}

// Validate returns an error if the path does not fit into its column.
func (r StepRecord) Validate() error {
	if len(r.Step) == 0 {
		return fmt.Errorf("step: got an empty path, want the path of a step")
	}
	if n := len(utf16.Encode([]rune(r.Step))); n > maxStepPath {
		return fmt.Errorf("step %.40q…: got a path of %d characters, want at most %d", r.Step, n, maxStepPath)
	}
	return nil
}

// StepKeeper keeps the records of an item's steps under the claim of a run; see StepStore.
type StepKeeper interface {
	// Load returns the records of earlier attempts.
	Load(ctx context.Context) ([]StepRecord, error)

	// Save records steps, and Drop removes all records. Their errors are those of SaveSteps.
	Save(ctx context.Context, steps ...StepRecord) error
	Drop(ctx context.Context) error
}

// KeptSteps keeps the records of a run's steps in a store.
func KeptSteps(store StepStore, run *Run) StepKeeper { return &keptSteps{store, run} }

type keptSteps struct {
	store StepStore
	run   *Run
}

func (k *keptSteps) ref() ItemRef { return ItemRef{ItemID: k.run.ID, Fence: k.run.Fence} }

// Load implements StepKeeper.
func (k *keptSteps) Load(ctx context.Context) ([]StepRecord, error) {
	records, err := k.store.Steps(ctx, k.run.ID)
	if err != nil || len(records) > 0 {
		k.run.keepSteps() // also if it is unknown whether there are any
	}
	return records, err
}

// Save implements StepKeeper.
func (k *keptSteps) Save(ctx context.Context, steps ...StepRecord) error {
	k.run.keepSteps() // also if the answer is lost
	return k.store.SaveSteps(ctx, k.ref(), steps)
}

// Drop implements StepKeeper.
func (k *keptSteps) Drop(ctx context.Context) error { return k.store.DropSteps(ctx, k.ref()) }
