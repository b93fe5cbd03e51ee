package api_test

import (
	"testing"

	"botwork/internal/api/apitest"
	"botwork/internal/testgroup"
	"botwork/workqueue/access"
)

// Hostile requests get problems: never a server error, and never a large or a slow answer.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	s, _ := startEditing(t)
	registerWorker(t, s, "ann")
	learn(t, s)
	enqueue(t, s, "default", 20)
	apitest.Fuzz(t, s, apitest.FuzzOptions{Seed: 20260131, PerOperation: testgroup.Cases(20, 80), Skip: []string{"events-stream", "checkouts-take"}, Tokens: []string{s.Token(t, access.Admin), s.Token(t, access.Robot, "default")}})
}
