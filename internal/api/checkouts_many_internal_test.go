package api

import "testing"

// A fault in the work on one item is a fault of the request; it does not end the server.
func TestEachPanicsInTheCallersGoroutine(t *testing.T) {
	defer func() {
		if p := recover(); p != "a fault" {
			t.Errorf("recovered %v, want the fault", p)
		}
	}()
	each(10, func(i int) {
		if i == 3 {
			panic("a fault")
		}
	})
	t.Error("each has returned")
}
