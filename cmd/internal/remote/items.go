package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"botwork/client"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// Items lists items.
func (s *Server) Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error) {
	if len(f.IDs) > 0 {
		return nil, errIDs
	}
	q := client.ItemQuery{Selection: selectionOf(&f), Before: f.BeforeID}
	left := f.Limit
	if left == 0 {
		left = 100
	}
	if f.Sort.By != "" {
		q.Sort = string(f.Sort.By)
		if f.Sort.Descending {
			q.Sort = "-" + q.Sort
		}
		if left > client.PageSize {
			return nil, fmt.Errorf("got a limit of %d, want at most %d: over a server, only a list of the newest items first has pages", left, client.PageSize)
		}
	}
	items := []workqueue.Item{}
	cut := &workqueue.IncompleteError{}
	for {
		q.Limit = min(left, client.PageSize)
		page, err := s.api.ListItems(ctx, q)
		if err != nil {
			return nil, s.failed(err)
		}
		for _, it := range page.Items {
			var item workqueue.Item
			if err := json.Unmarshal(it.JSON, &item); err != nil {
				return nil, s.failed(&client.NotBotworkError{Err: err})
			}
			items = append(items, item)
		}
		if in := page.Incomplete; in != nil {
			cut.Looked, cut.Below, cut.Unreadable = cut.Looked+in.Looked, in.Below, cut.Unreadable+in.Unreadable
		}
		left -= len(page.Items)
		if q.Before = page.Next; left <= 0 || page.Next == 0 || cut.Below > 0 {
			return items, incomplete(cut)
		}
	}
}

// incomplete returns the error of a search that left items out; nil if it did not.
func incomplete(cut *workqueue.IncompleteError) error {
	if cut.Below == 0 && cut.Unreadable == 0 {
		return nil
	}
	return cut
}

// CountItems counts items.
func (s *Server) CountItems(ctx context.Context, f workqueue.ItemFilter) (int64, error) {
	if len(f.IDs) > 0 {
		return 0, errIDs
	}
	n, cut, err := s.api.CountItems(ctx, selectionOf(&f))
	if f.CountAtMost > 0 {
		n = min(n, f.CountAtMost)
	}
	if err != nil || cut == nil {
		return n, s.failed(err)
	}
	return n, incomplete(&workqueue.IncompleteError{Looked: cut.Looked, Below: cut.Below, Unreadable: cut.Unreadable})
}

// Item returns an item.
func (s *Server) Item(ctx context.Context, id int64) (workqueue.Item, error) {
	return get[workqueue.Item](ctx, s, nil, "items", strconv.FormatInt(id, 10))
}

// Attempts lists the attempts of an item that did not simply succeed.
func (s *Server) Attempts(ctx context.Context, id int64) ([]workqueue.Attempt, error) {
	texts, err := s.api.Attempts(ctx, id)
	if err != nil {
		return nil, s.failed(err)
	}
	return decoded[workqueue.Attempt](texts)
}

// Why returns why an item is not running, by the pipelines of the server's project.
func (s *Server) Why(ctx context.Context, id int64) (assign.Reason, error) {
	var r assign.Reason
	why, err := s.api.Why(ctx, id)
	if err == nil {
		err = json.Unmarshal(why.JSON, &r)
	}
	return r, s.failed(err)
}

// EachBatchRecord calls each with the parts of a batch. The server only has their sum, which is that
// of the first part; the last part has the time of the last one.
func (s *Server) EachBatchRecord(ctx context.Context, key string, each func(workqueue.BatchRecord) error) error {
	sum, err := get[workqueue.BatchSummary](ctx, s, nil, "batches", key)
	if err != nil {
		return err
	}
	for part := 1; part <= sum.Parts; part++ {
		r := workqueue.BatchRecord{Part: int64(part), Kind: sum.Kind}
		if sum.LastAt != nil {
			r.CreatedAt = *sum.LastAt
		}
		if part == 1 {
			r.Items = sum.Items
			if sum.Parts > 1 && sum.FirstAt != nil {
				r.CreatedAt = *sum.FirstAt
			}
			for _, id := range []*int64{sum.LowID, sum.HighID} {
				if id != nil {
					r.Enqueued = append(r.Enqueued, workqueue.Enqueued{ID: *id})
				}
			}
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}

// AuditEntries lists entries of the audit log, the newest first.
func (s *Server) AuditEntries(ctx context.Context, f workqueue.AuditFilter) ([]workqueue.AuditEntry, error) {
	if f.ID != 0 {
		entry, err := get[workqueue.AuditEntry](ctx, s, url.Values{"limit": {"1"}}, "audit", strconv.FormatInt(f.ID, 10))
		if errors.Is(err, workqueue.ErrNotFound) {
			return nil, nil
		}
		return []workqueue.AuditEntry{entry}, err
	}
	query := url.Values{}
	target := f.TargetKind
	if f.Target != "" {
		target += ":" + f.Target
	}
	for name, value := range map[string]string{
		"actor": f.Actor, "action": f.Action, "target": target, "item": orNone(f.ItemID), "before": orNone(f.BeforeID), "since": timeText(f.Since), "until": timeText(f.Until),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	entries := []workqueue.AuditEntry{}
	for entry, err := range client.Pages[workqueue.AuditEntry](ctx, s.api, "/audit", query, f.Limit) {
		if err != nil {
			return nil, s.failed(err)
		}
		entries = append(entries, *entry)
	}
	return entries, nil
}

// AuditItems lists the items of an entry of the audit log.
func (s *Server) AuditItems(ctx context.Context, entry, after int64, limit int) ([]workqueue.AuditItem, error) {
	items := []workqueue.AuditItem{}
	query := url.Values{}
	if after > 0 {
		query.Set("after", strconv.FormatInt(after, 10))
	}
	for it, err := range client.Pages[workqueue.AuditItem](ctx, s.api, fmt.Sprintf("/audit/%d", entry), query, limit) {
		if err != nil {
			return nil, s.failed(err)
		}
		items = append(items, *it)
	}
	return items, nil
}

func orNone(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
