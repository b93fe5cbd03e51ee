package hooks

// The outcomes of requests to hooks.
const (
	Enqueued = "enqueued"
	Existing = "existing" // the queue has an item with the natural key
	Skipped  = "skipped"  // the condition is false
	Ping     = "ping"     // GitHub's test of a new webhook
	Repeated = "repeated" // the signature was seen before
	Refused  = "refused"  // the signature is missing, wrong or old, or the server is read-only
	Invalid  = "invalid"  // signed, and no item can be made of it
	Failed   = "failed"   // the server has failed
)

// Outcomes lists all outcomes.
func Outcomes() []string {
	return []string{Enqueued, Existing, Skipped, Ping, Repeated, Refused, Invalid, Failed}
}
