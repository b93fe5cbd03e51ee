package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/bounded"
	"botwork/workqueue"
)

// Batch is how items of a pipeline run together.
type Batch struct {
	// By is the expression of the key as the file has it.
	By string

	// Max is the most items of a run.
	Max int

	// Wait is how long a batch waits for another item after the latest one became due; AtMost is
	// how long its first item waits in all.
	Wait, AtMost time.Duration

	by     *template
	failed *template // nil: the run names no items that failed
}

// Key returns the key of an item with this payload. "" means that it has none and runs alone:
// the value is nil or empty, the expression failed, or the payload is not JSON.
func (b *Batch) Key(payload workqueue.JSONText) string {
	value, err := handlers.DecodeJSON([]byte(cmp.Or(payload, "null")))
	if err != nil {
		return ""
	}
	return b.keyOf(context.Background(), value)
}

func (b *Batch) keyOf(ctx context.Context, payload any) string {
	var machine bounded.Machine
	machine.Start(ctx)
	value, err := b.by.render(&machine, map[string]any{varPayload: payload})
	if err != nil || value == nil {
		return ""
	}
	text, err := textOf(value)
	if err != nil {
		return ""
	}
	return workqueue.BatchKeyOf(text)
}

// ItemBatch returns how an item with this payload runs together with others; nil: alone.
func (b *Batch) ItemBatch(payload workqueue.JSONText) *workqueue.ItemBatch {
	if b == nil {
		return nil
	}
	key := b.Key(payload)
	if key == "" {
		return nil
	}
	return &workqueue.ItemBatch{Key: key, Max: b.Max, Wait: b.Wait, AtMost: b.AtMost}
}

// ItemBatch returns how an item runs together with others; nil: alone, as the items of inline
// and of unknown pipelines do.
func (k *Catalogue) ItemBatch(integrationConfig string, payload workqueue.JSONText) *workqueue.ItemBatch {
	p, ok := k.Get(strings.TrimSpace(integrationConfig))
	if !ok || p.Trigger != nil {
		return nil
	}
	return p.Batch.ItemBatch(payload)
}

// batchMember is an item of a run with its decoded payload.
type batchMember struct {
	*workqueue.Item
	payload any
}

// gather decodes the payloads of the run's items and decides which items run. The first of them
// leads: it is `item`, and its payload is `payload`. The error is that of the first item if none
// can run.
//
// The payload or the pipeline may have changed since an item got its key. An item whose key is
// no longer that of the leading one leaves the run.
func (r *run) gather(ctx context.Context) error {
	if r.batch == nil {
		payload, err := r.p.payload(r.in.Payload)
		if err == nil {
			r.single(payload)
		}
		return err
	}
	var first error
	for _, it := range r.batch.Items {
		if len(r.members) > 0 && r.p.Batch == nil {
			r.batch.Leave(it.ID)
			continue
		}
		payload, err := r.p.payload(it.Payload)
		if err != nil {
			first = cmp.Or(first, err)
			r.batch.Fail(it.ID, payloadKind(err), r.bounded(err.Error()))
			continue
		}
		key := ""
		if r.p.Batch != nil {
			key = r.p.Batch.keyOf(ctx, payload)
		}
		if len(r.members) > 0 && (key == "" || key != r.key) {
			r.batch.Leave(it.ID)
			continue
		}
		if len(r.members) == 0 {
			r.lead, r.key, r.top.payload = it, key, payload
		}
		r.members = append(r.members, batchMember{it, payload})
	}
	if len(r.members) == 0 {
		return first
	}
	return nil
}

// single makes a run without a batch.
func (r *run) single(payload any) {
	r.top.payload = payload
	if r.in.Run != nil && r.p.readsBatch {
		r.members = []batchMember{{r.in.Run.Item, payload}}
	}
}

// batchVariable returns the variable `batch`. A run without an item has only its payload.
func (r *run) batchVariable() map[string]any {
	items := make([]any, 0, max(len(r.members), 1))
	for _, m := range r.members {
		of := itemVariable(m.Item)
		of["payload"] = m.payload
		items = append(items, of)
	}
	if r.in.Run == nil {
		items = append(items, map[string]any{"payload": r.top.payload})
	}
	var key any
	if r.key != "" {
		key = r.key
	}
	return map[string]any{"key": key, "items": items}
}

// settle names the items that failed in a run that succeeded. If the run has one item, the run
// itself fails.
func (r *run) settle(ctx context.Context) {
	if r.batch == nil {
		return
	}
	if r.result.Verdict == workqueue.Succeeded && r.p.Batch != nil && r.p.Batch.failed != nil {
		if err := r.nameFailed(ctx); err != nil {
			o := &r.result.Outcome
			o.Verdict, o.Kind, o.Error = workqueue.Failed, kindOf(err), r.bounded(err.Error())
			r.result.Output, r.result.Value = "", nil
		}
	}
	if r.in.Run.Batch == nil {
		r.result.Outcome = r.batch.OutcomeOf(r.in.Run.ID, r.result.Outcome)
	}
}

// nameFailed evaluates `failed`. If it cannot be understood, it is unknown which items
// succeeded, and all fail.
func (r *run) nameFailed(ctx context.Context) error {
	f := &r.top
	f.machine.Start(ctx)
	value, err := r.p.Batch.failed.render(&f.machine, f.vars)
	if err != nil {
		return handlers.Permanent(err)
	}
	if value == nil {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		return handlers.Permanent(fmt.Errorf("batch.failed evaluates to %s, want a list of items", describe(value)))
	}
	for i, one := range list {
		id, kind, text, err := failedItem(one)
		if err == nil && !r.has(id) {
			err = fmt.Errorf("the run has no item %d", id)
		}
		if err != nil {
			return handlers.Permanent(fmt.Errorf("batch.failed, entry %d: %w", i+1, err))
		}
		r.batch.Fail(id, kind, r.bounded(text))
	}
	return nil
}

func (r *run) has(id int64) bool {
	return slices.ContainsFunc(r.members, func(m batchMember) bool { return m.ID == id })
}

// failedItem reads an entry of `failed`: an id, or {id, error, kind}.
func failedItem(v any) (id int64, kind workqueue.ErrorKind, text string, err error) {
	kind, text = workqueue.KindError, "the pipeline names this item in batch.failed"
	if fields, ok := v.(map[string]any); ok {
		v = fields["id"]
		if given, ok := fields["error"].(string); ok && given != "" {
			text = given
		}
		switch given := fields["kind"]; given {
		case nil, "error":
		case "business":
			kind = workqueue.KindBusiness
		case "permanent":
			kind = workqueue.KindPermanent
		default:
			return 0, "", "", fmt.Errorf("got the kind %v, want error, business or permanent", given)
		}
	}
	switch n := v.(type) {
	case int:
		return int64(n), kind, text, nil
	case float64:
		if n == float64(int64(n)) {
			return int64(n), kind, text, nil
		}
	}
	return 0, "", "", errors.New("want an item's id, or a mapping {id, error, kind}")
}

// callBatch adds the items of the run to a call.
func (r *run) callBatch(c *handlers.Call) {
	if r.batch == nil || len(r.members) < 2 {
		return
	}
	c.Batch = make([]handlers.BatchItem, len(r.members))
	for i, m := range r.members {
		c.Batch[i] = handlers.BatchItem{ID: m.ID, Payload: m.payload, Attempt: m.Attempt(), Fence: m.Fence, IdempotencyKey: m.IdempotencyKey}
	}
}

// failNamed fails the items that a successful call has named.
func (r *run) failNamed(call *handlers.Call) {
	if len(call.FailedItems) == 0 || r.in.Run == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch == nil { // a pipeline without `batch`
		r.batch = &workqueue.RunBatch{Items: []*workqueue.Item{r.in.Run.Item}}
	}
	for id, err := range call.FailedItems {
		r.batch.Fail(id, kindOf(err), r.bounded(err.Error()))
	}
}
