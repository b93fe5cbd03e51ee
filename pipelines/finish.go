package pipelines

// Finish decides when the end of an item's run is written.
type Finish string

// The values of Finish. FinishBatch is the default.
const (
	FinishBatch Finish = "batch" // together with others, within about 10 ms; the slot continues meanwhile
	FinishSync  Finish = "sync"  // before the slot begins its next item
)
