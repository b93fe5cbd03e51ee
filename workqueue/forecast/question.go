package forecast

import (
	"context"
	"fmt"
	"slices"
)

// Question is what to forecast.
type Question struct {
	Params

	// Items are the items whose starts and ends are wanted.
	Items []int64

	// MeetDeadlines asks how much capacity would meet all deadlines.
	MeetDeadlines bool
}

// MostItems bounds the items of a question.
const MostItems = 1000

// Answer has the forecast of the present and, with a what-if, that of the change. JSON field names
// are part of the command line's contract.
type Answer struct {
	Present *Forecast `json:"present"`
	WhatIf  *Forecast `json:"whatIf"`
	Enough  *Enough   `json:"enough"`
}

// ItemError is returned for items that are not part of a forecast.
type ItemError struct{ Items []int64 }

func (e *ItemError) Error() string {
	return fmt.Sprintf("item %d is not part of the forecast: it has ended, its queue is paused or for robots, or there is no such item", e.Items[0])
}

// Ask answers a question. Both forecasts have the same end, so that they can be compared.
func (r *Present) Ask(ctx context.Context, q Question) (*Answer, error) {
	now := q.Params
	now.Change = Change{}
	var a Answer
	var err error
	if a.Present, err = r.Make(ctx, now); err != nil {
		return nil, err
	}
	if err := a.Present.show(q.Items); err != nil {
		return nil, err
	}
	if !q.Change.IsZero() {
		a.Present.outcome = nil // its memory is needed again
		changed := q.Params
		changed.Until = a.Present.Until
		if a.WhatIf, err = r.Make(ctx, changed); err != nil {
			return nil, err
		}
		// Items that the change takes out of the forecast are not in its list.
		if err := a.WhatIf.show(slices.DeleteFunc(slices.Clone(q.Items), func(id int64) bool { _, ok := a.WhatIf.at[id]; return !ok })); err != nil {
			return nil, err
		}
		a.WhatIf.outcome = nil
	}
	if q.MeetDeadlines {
		p := q.Params
		if a.Enough, err = r.Enough(ctx, p); err != nil {
			return nil, err
		}
	}
	a.Present.outcome = nil
	return &a, nil
}

// show adds items to the forecast.
func (f *Forecast) show(ids []int64) error {
	var missing []int64
	for _, id := range ids {
		one, ok := f.Item(id)
		if !ok {
			missing = append(missing, id)
			continue
		}
		f.Items = append(f.Items, one)
	}
	if len(missing) > 0 {
		return &ItemError{missing}
	}
	return nil
}
