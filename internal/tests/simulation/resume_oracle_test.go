package simulation

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	queries "botwork/sql"
	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// stepsText selects all records of steps, a line for each.
const stepsText = `
SELECT COALESCE(group_concat(line, char(10)), '') FROM (
    SELECT 'item ' || ItemId || ' fence ' || Fence || ' ' || Step || ' ' || Data AS line
    FROM BotWorkItemSteps
    ORDER BY ItemId, Number, Step)`

// prepareSteps prepares the comparison of the records.
func (o *oracle) prepareSteps(statements fs.FS) {
	o.steps = map[int64][]keptStep{}
	var err error
	if o.stepRows, err = o.eyes.Prepare(strings.TrimSpace(stepsText)); err != nil {
		o.w.t.Fatal(err)
	}
	for _, file := range []string{"steps_add", "steps_replace"} {
		text, err := queries.Read(statements, "sqlite/queries/"+file+".sql")
		if err != nil {
			o.w.t.Fatal(err)
		}
		o.saves = append(o.saves, text)
	}
}

// keptText returns the result of stepsText for the model's records.
func (o *oracle) keptText() string {
	var lines []string
	for _, id := range o.model.IDs() {
		for _, k := range o.steps[id] {
			lines = append(lines, fmt.Sprintf("item %d fence %d %s %s", id, k.fence, k.step, k.data))
		}
	}
	return strings.Join(lines, "\n")
}

// claimed reports whether a run has the claim of its item. o.mu is held.
func (o *oracle) claimed(ref workqueue.ItemRef) bool {
	it := o.model.Items[ref.ItemID]
	return it != nil && it.State == workqueue.Blocked && it.Fence == ref.Fence
}

// writeSteps runs a statement that changes records under a claim. An item whose row a person holds is passed over.
func (o *oracle) writeSteps(what string, ref workqueue.ItemRef, real func() error, ideal func()) (answer error) {
	err := o.step(fmt.Sprintf("%s of %d/%d", what, ref.ItemID, ref.Fence), func() error {
		if o.model.Held[ref.ItemID] && o.claimed(ref) {
			answer = passedOver([]int64{ref.ItemID}, nil)
			return nil
		}
		if answer = real(); errors.Is(answer, workqueue.ErrLeaseLost) {
			return nil
		}
		return answer
	}, func() string {
		lost := errors.Is(answer, workqueue.ErrLeaseLost)
		if answer == nil {
			ideal()
		}
		return differ(lost, !o.claimed(ref))
	})
	o.w.judge.log("store", "%s of %d/%d: %v", what, ref.ItemID, ref.Fence, answer)
	if err != nil {
		return err
	}
	return answer
}

func (o *oracle) saveSteps(ref workqueue.ItemRef, versions map[string]string, steps []workqueue.StepRecord) error {
	return o.writeSteps("record "+steps[0].Step, ref, func() error {
		if o.saved++; !o.claimed(ref) && roll(o.w.seed, "late records", o.saved).chance(70) {
			return o.saveLate(ref, steps)
		}
		return o.store.SaveSteps(ctx, ref, steps)
	}, func() {
		kept := o.steps[ref.ItemID]
		for _, s := range steps {
			one := keptStep{s.Step, string(s.Data), ref.Fence, versions}
			if at := slices.IndexFunc(kept, func(k keptStep) bool { return k.step == s.Step }); at >= 0 {
				kept[at] = one
			} else {
				kept = append(kept, one)
			}
		}
		o.steps[ref.ItemID] = kept
	})
}

func (o *oracle) dropSteps(ref workqueue.ItemRef) error {
	return o.writeSteps("drop records", ref, func() error {
		return o.store.DropSteps(ctx, ref)
	}, func() { delete(o.steps, ref.ItemID) })
}

// saveLate is SaveSteps of a worker that lost its claim after it had read that it has it: the statements that write
// must not depend on that.
func (o *oracle) saveLate(ref workqueue.ItemRef, steps []workqueue.StepRecord) error {
	rows := make([]map[string]any, len(steps))
	for i, s := range steps {
		rows[i] = map[string]any{"Ordinal": i + 1, "Step": s.Step, "Data": string(s.Data)}
	}
	batch, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	o.seen = 0 // the version changes only with changes of other connections
	for _, statement := range o.saves {
		_, err := o.eyes.Exec(statement, sql.Named("item", ref.ItemID), sql.Named("fence", ref.Fence), sql.Named("rows", string(batch)),
			sql.Named("now", o.clock.Format("2006-01-02 15:04:05.000")))
		if err != nil {
			return err
		}
	}
	return workqueue.ErrLeaseLost
}

// recorded returns the records of an item.
func (o *oracle) recorded(id int64) (kept []keptStep, err error) {
	err = o.step(fmt.Sprintf("read the records of %d", id), func() error {
		records, err := o.store.Steps(ctx, id)
		for _, r := range records {
			kept = append(kept, keptStep{step: r.Step, data: string(r.Data)})
		}
		return err
	}, func() string {
		want := slices.Clone(o.steps[id])
		got := kept
		if kept = want; len(got) != len(want) {
			return fmt.Sprintf("there are %d records of item %d, want %d", len(got), id, len(want))
		}
		for i, k := range want {
			if got[i].step != k.step || got[i].data != k.data {
				return fmt.Sprintf("a record of item %d is %s %s, want %s %s", id, got[i].step, got[i].data, k.step, k.data)
			}
		}
		return ""
	})
	return kept, err
}

// endSteps removes the records of items whose success is written, and returns a fault if a run that has recorded
// steps leaves records. o.mu is held.
func (o *oracle) endSteps(by reference.Process, ends []workqueue.Finish) string {
	for _, f := range ends {
		ref := workqueue.ItemRef{ItemID: f.ItemID, Fence: f.Fence}
		if f.State != workqueue.Processed || !o.model.Holds(by, ref) {
			continue
		}
		if f.HasSteps {
			delete(o.steps, f.ItemID)
		}
		if n := len(o.steps[f.ItemID]); n > 0 && o.w.judge.hasRecords(ref) {
			return fmt.Sprintf("item %d succeeds, and leaves %d records of its steps", f.ItemID, n)
		}
	}
	return ""
}

// cleanSteps removes the records that successes have left, as housekeeping does.
func (o *oracle) cleanSteps() {
	if o.steps == nil {
		return
	}
	_ = o.step("remove records", func() error {
		_, err := o.store.RemoveSteps(ctx, 0)
		return err
	}, func() string {
		for id := range o.steps {
			if o.model.Items[id].State == workqueue.Processed {
				delete(o.steps, id)
			}
		}
		return ""
	})
}

// recordsOf records that a run has asked for records of its item, or has sent some.
func (j *judge) recordsOf(ref workqueue.ItemRef) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records[ref] = true
}

func (j *judge) hasRecords(ref workqueue.ItemRef) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.records[ref]
}
