package api

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Who waits for the answer of another request waits no longer than its own request lives: the
// database may be frozen.
func TestEscalationsWaitNoLongerThanTheRequest(t *testing.T) {
	a := &API{escalations: newEscalations()}
	a.escalations.busy <- struct{}{} // another request reads
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := a.listEscalations(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
