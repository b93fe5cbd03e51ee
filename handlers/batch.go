package handlers

// BatchItem is one item of a run of several items.
type BatchItem struct {
	ID             int64
	Payload        any // as Call.Payload
	Attempt        int // 1 for the first try
	Fence          int64
	IdempotencyKey string
}

// FailItem makes one item of Batch, or the only item of a run, fail although the step succeeds;
// the others go on. The kind of the failure is that of err: see Permanent and Business. It has no
// effect if the step itself fails: then all items fail, or the step is retried with all of
// them. Call it before Handle returns, from one goroutine at a time.
func (c *Call) FailItem(id int64, err error) {
	if c.FailedItems == nil {
		c.FailedItems = map[int64]error{}
	}
	c.FailedItems[id] = err
}
