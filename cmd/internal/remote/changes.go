package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"botwork/client"
	"botwork/workqueue"
)

// ChangeItem changes an item. A dry run only reads it.
func (s *Server) ChangeItem(ctx context.Context, id int64, c workqueue.Change) (clone int64, err error) {
	if c.DryRun {
		it, err := s.Item(ctx, id)
		if err == nil && (!c.Allows(&it) || c.IfVersion != 0 && c.IfVersion != it.Version) {
			err = c.Refuse(&it)
		}
		return 0, err
	}
	o := client.ChangeOptions{Reason: reason(ctx, c.Reason), IfVersion: c.IfVersion, NewKey: c.NewKey, From: c.FromStep, Key: keyOf(c.Batch, id)}
	var done client.Changed
	if c.Action == workqueue.Update {
		o.NoCheck = c.Update.CheckPayload == nil
		done, err = s.api.UpdateItem(ctx, id, updateOf(c.Update), o)
	} else {
		done, err = s.api.Act(ctx, id, client.Action(c.Action), o)
	}
	if err != nil {
		return 0, s.unanswered(c.Batch, err)
	}
	if c.Action == workqueue.Clone {
		return done.ID, nil
	}
	return 0, nil
}

// keyOf is the Idempotency-Key of a part of a batch: the same when the part is repeated.
func keyOf(part workqueue.BatchPart, n int64) string {
	if part.Key == "" {
		return ""
	}
	return part.Key + "." + strconv.FormatInt(n, 10)
}

// ChangeItems changes a part of the items of a filter: as many as the server changes in a request.
func (s *Server) ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (r workqueue.ChangeResult, err error) {
	if len(f.IDs) > 0 {
		return r, errIDs
	}
	o := client.ManyOptions{Selection: selectionOf(&f), Yes: true, Reason: reason(ctx, c.Reason), DryRun: c.DryRun, Batch: c.Batch.Key, Key: keyOf(c.Batch, c.Batch.Part)}
	part := s.parts[c.Batch.Key]
	if part == nil || f.BeforeID == 0 {
		f.BeforeID, part = 0, &changePart{}
	}
	o.Continue = part.next
	plain := f
	plain.BeforeID, plain.Limit, plain.Sort = 0, 0, workqueue.ItemSort{}
	o.All = plain.Text() == workqueue.ItemFilter{}.Text()
	var got client.ManyResult
	if c.Action == workqueue.Update {
		o.NoCheck = c.Update.CheckPayload == nil
		got, err = s.api.UpdatePart(ctx, updateOf(c.Update), o)
	} else {
		got, err = s.api.ActPart(ctx, client.Action(c.Action), o)
	}
	if err != nil {
		return r, s.unanswered(c.Batch, err)
	}
	r = workqueue.ChangeResult{Changed: got.Changed, KeysTaken: got.KeysTaken, Unreadable: got.Unreadable, Clones: got.Clones}
	for _, skip := range got.Skipped {
		r.Refusals = append(r.Refusals, &workqueue.BadUpdateError{ItemID: skip.ItemID, Err: fmt.Errorf("%s", skip.Message)})
	}
	for range got.Refused - len(got.Skipped) {
		r.Refusals = append(r.Refusals, &workqueue.BadUpdateError{Err: errNotListed})
	}
	if got.Next != "" {
		r.Next = cmp.Or(got.DoneFrom, f.BeforeID, 1)
		s.parts[c.Batch.Key] = &changePart{got.Next}
	}
	return r, nil
}

var errNotListed = fmt.Errorf("the server does not list it")

// changePart is where the change of the items of a filter continues.
type changePart struct{ next string }

// ReleaseFromRobot takes an item away from the robot that holds it.
func (s *Server) ReleaseFromRobot(ctx context.Context, id int64, because string) error {
	return s.failed(s.api.ReleaseItem(ctx, id, reason(ctx, because)))
}

// updateOf writes new values for the API.
func updateOf(v *workqueue.ItemUpdate) client.Update {
	u := client.Update{}
	set := func(name string, is bool, value any) {
		if is {
			u[name] = value
		}
	}
	set("queue", v.Queue != "", v.Queue)
	set("priority", v.Priority != nil, v.Priority)
	for name, at := range map[string]*time.Time{"at": v.At, "deadline": v.Deadline, "finishBy": v.FinishBy} {
		if at != nil {
			u[name] = orNull(!at.IsZero(), timeText(*at))
		}
	}
	for name, d := range map[string]*time.Duration{"in": v.In, "deadlineIn": v.DeadlineIn, "finishIn": v.FinishIn} {
		if d != nil {
			u[name] = d.String()
		}
	}
	if v.Estimate != nil {
		u["estimatedDuration"] = orNull(*v.Estimate != 0, v.Estimate.String())
	}
	for name, text := range map[string]*workqueue.JSONText{"payload": v.Payload, "resilience": v.Resilience} {
		if text != nil {
			u[name] = orNull(*text != "", json.RawMessage(*text))
		}
	}
	if v.LimitKey != nil {
		u["limitKey"] = orNull(*v.LimitKey != "", *v.LimitKey)
	}
	set("addTags", len(v.AddTags) > 0, v.AddTags)
	set("removeTags", len(v.RemoveTags) > 0, v.RemoveTags)
	set("metadata", len(v.Metadata) > 0, v.Metadata)
	set("removeMetadata", len(v.RemoveMetadata) > 0, v.RemoveMetadata)
	set("labels", len(v.Labels) > 0, v.Labels)
	set("removeLabels", len(v.RemoveLabels) > 0, v.RemoveLabels)
	if v.Selectors != nil {
		u["selectors"] = orNull(len(*v.Selectors) > 0, *v.Selectors)
	}
	return u
}

// orNull returns a value, or null, which removes one.
func orNull(is bool, value any) any {
	if !is {
		return nil
	}
	return value
}

// timeText writes a time for the API; "" for the zero time.
func timeText(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}
