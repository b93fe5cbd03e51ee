package pipelines

// Finish says when the end of an item's run is written.
type Finish string

// The ways to finish. FinishBatch is the default.
const (
	FinishBatch Finish = "batch" // with others', within about 10 ms, while the slot goes on
	FinishSync  Finish = "sync"  // before the slot begins its next item
)
