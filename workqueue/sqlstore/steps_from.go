package sqlstore

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/workqueue"
)

var errNoSteps = errors.New("nothing is recorded of its steps, so it can only begin at the first step: a pipeline with `resume: true` records them until the item succeeds")

// firstDropped returns the number of the first record that is removed so that an item begins at a step: the
// step that has a record, or is a block with one, or is the one that failed last.
func firstDropped(orm *gorm.DB, itemID int64, from string) (int, error) {
	var recorded []stepRecord
	of := map[string]any{"ItemId": itemID}
	if err := orm.Where(of).Select("Number", "Step").Order(ascending("Number")).Order(ascending("Step")).Find(&recorded).Error; err != nil {
		return 0, err
	}
	var failed []nullText
	if err := orm.Model(&attemptRecord{}).Where(of).Order(clause.OrderByColumn{Column: column("Id"), Desc: true}).Limit(1).Pluck("Step", &failed).Error; err != nil {
		return 0, err
	}
	is := func(step string) bool { return step == from || workqueue.PathIn(step, from) }
	if i := slices.IndexFunc(recorded, func(r stepRecord) bool { return is(r.Step) }); i >= 0 {
		return recorded[i].Number, nil
	}
	if len(recorded) == 0 {
		return 0, &workqueue.BadUpdateError{ItemID: itemID, Err: errNoSteps}
	}
	var known []string
	for _, r := range recorded {
		known = append(known, r.Step)
	}
	for _, step := range failed {
		if step != "" && is(string(step)) {
			return math.MaxInt32, nil
		}
		if step != "" {
			known = append(known, string(step))
		}
	}
	return 0, &workqueue.BadUpdateError{ItemID: itemID, Err: fmt.Errorf("got the step %q, want one that has ended or failed: %s", from, strings.Join(known, ", "))}
}
