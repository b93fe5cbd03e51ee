package botwork

import (
	"reflect"

	"botwork/handlers"
	"botwork/workqueue"
)

// convertAll converts each element.
func convertAll[From, To any](list []From, convert func(From) To) []To {
	if list == nil {
		return nil
	}
	converted := make([]To, len(list))
	for i, from := range list {
		converted[i] = convert(from)
	}
	return converted
}

// withPriority returns the item as the store enqueues it.
func (it NewItem) withPriority() workqueue.NewItem {
	switch it.Priority {
	case 0:
		it.Priority = workqueue.RequestPriority
	case ZeroPriority:
		it.Priority = 0
	}
	return workqueue.NewItem(it)
}

func enqueued(made []workqueue.Enqueued) []Enqueued {
	return convertAll(made, func(e workqueue.Enqueued) Enqueued { return Enqueued(e) })
}

// policy returns the queue as the store has it: with the same fields, some of them in embedded
// structs.
func (q Queue) policy() (policy workqueue.Queue) {
	from, to := reflect.ValueOf(q), reflect.ValueOf(&policy).Elem()
	for i := range from.NumField() {
		to.FieldByName(from.Type().Field(i).Name).Set(from.Field(i))
	}
	return policy
}

// MarshalJSON adds the status and the state's name.
func (it Item) MarshalJSON() ([]byte, error) { return workqueue.Item(it).MarshalJSON() }

// Attempt returns the number of the current or the next attempt: 1 for the first.
func (it *Item) Attempt() int { return (*workqueue.Item)(it).Attempt() }

// Status returns where the item is, in the word that tables and pages show.
func (it *Item) Status() workqueue.Status { return (*workqueue.Item)(it).Status() }

// Progress reports the progress of the work, such as "1,200 of 5,000 rows"; the latest text is
// stored with the item. It may be called often: it is stored only every few seconds.
func (j *Job) Progress(text string) { (*handlers.Call)(j).Progress(text) }

// Percent reports the progress of the work, 0 to 100; other values are clamped. It is recorded
// like Progress.
func (j *Job) Percent(percent int) { (*handlers.Call)(j).Percent(percent) }

// Show stores a preliminary output with the item, such as the number of the order that the run
// has created, so that it can be found after a failure or a crash. The function's result replaces
// it when the item succeeds. Show returns an error if the value cannot be encoded as JSON.
func (j *Job) Show(value any) error { return (*handlers.Call)(j).Show(value) }

// Analyse reports figures about the work for the queue's owner, such as the number of pages; the
// latest value is stored with the item when its run ends, and must match the queue's schema.
// Analyse returns an error if the value cannot be encoded as JSON.
func (j *Job) Analyse(value any) error { return (*handlers.Call)(j).Analyse(value) }

// FailItem makes one item of Batch, or the only item of a run, fail although the function
// succeeds; the others go on. The kind of the failure is that of err: see Permanent and Business.
// It has no effect if the function itself fails. Call it before the function returns, from one
// goroutine at a time.
func (j *Job) FailItem(id int64, err error) { (*handlers.Call)(j).FailItem(id, err) }

// Count reports that the function did something n times. Call it before the function returns,
// from one goroutine at a time.
func (j *Job) Count(name string, n int) { (*handlers.Call)(j).Count(name, n) }
