package sqlstore_test

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"botwork/internal/faultproxy"
	"botwork/workqueue/storetest"
)

const (
	// deadline is how long a call may wait on a connection that does not answer.
	deadline = 150 * time.Millisecond

	// little is how much later the call may return on a busy machine.
	little = 3 * time.Second

	// ready is the length of the message that ends each answer of PostgreSQL.
	ready = 6

	// cuts is at how many positions an answer of several parts is cut.
	cuts = 16
)

// trims are the methods that also trim archives after their change. They ignore errors of that:
// the next call trims again.
var trims = map[string]bool{"ChangeItem": true, "ChangeItems": true}

// outlasts is the method that runs until its context ends, whatever happens to the connection.
// TestListenerReconnects tests it with lost connections.
const outlasts = "Listen"

// faultyMethods returns all methods of storetest.Store that return.
func faultyMethods(t *testing.T) []method {
	t.Helper()
	all := slices.Concat(itemMethods, leaseMethods, workerMethods, scheduleMethods, pipelineMethods, queueMethods, taskMethods, robotMethods, statisticsMethods, durationMethods, textMethods, batchMethods, housekeepingMethods, forecastMethods, historyMethods, accessMethods, escalationMethods, notificationMethods, reads)
	store := reflect.TypeFor[storetest.Store]()
	for required := range store.Methods() {
		if required.Name != outlasts && !slices.ContainsFunc(all, func(m method) bool { return m.name == required.Name }) {
			t.Errorf("no trial calls %s with a faulty connection", required.Name)
		}
	}
	return all
}

// Each method has its trial. The trials themselves need PostgreSQL.
func TestEachMethodHasAFaultyConnection(t *testing.T) { faultyMethods(t) }

// try makes one call during a fault. It fails unless the call returns in time and has changed
// all or nothing, both at once and after the server has become idle. It returns the error of
// the call and whether it was executed.
func (x *behindProxy) try(m method, fault faultproxy.Fault, patience time.Duration) (done bool, err error) {
	x.Helper()
	attempt := m.prepare(x)
	x.proxy.Set(fault)
	ctx, cancel := context.WithTimeout(x.Context(), patience)
	defer cancel()
	began := time.Now()
	err = attempt.call(ctx, x.store)
	if took := time.Since(began); took > patience+little {
		x.Errorf("%s, %v: returned after %v, want at most %v and a little", m.name, fault, took, patience)
	}
	changed := attempt.changed()
	if changed != 0 && changed != m.whole || err == nil && changed != m.whole {
		x.Errorf("%s, %v: %d of %d rows are changed when it returns %v; want all, or none and an error", m.name, fault, changed, m.whole, err)
	}
	if err == nil {
		return true, nil
	}
	// The request may still arrive, and the server may still be executing it.
	x.proxy.Set(faultproxy.Fault{})
	x.awaitQuiet()
	if changed = attempt.changed(); changed != 0 && changed != m.whole {
		x.Errorf("%s, %v: finally %d of %d rows are changed; want all or none", m.name, fault, changed, m.whole)
	}
	return changed == m.whole && m.whole > 0, err
}

// answer returns how many bytes of answers a call of the method receives on a new connection.
// It is the minimum of several calls: the server ends a transaction of a process that paused
// for a moment (see stalledAfter), and the call that retries receives more.
func (x *behindProxy) answer(m method) int {
	x.Helper()
	const calls = 3
	least := math.MaxInt
	for range calls {
		attempt := m.prepare(x)
		x.fresh()
		before := x.proxy.ResponseBytes()
		if err := attempt.call(x.Context(), x.store); err != nil {
			x.Fatalf("%s: %v", m.name, err)
		}
		least = min(least, int(x.proxy.ResponseBytes()-before))
	}
	return least
}

// Each test calls all methods one by one with the same pool, which must recover by itself.

func TestConnectionsThatAreReset(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		for _, m := range faultyMethods(x.T) {
			// Idle connections of the pool are reset: the call must succeed anyway.
			x.fresh()
			x.proxy.Drop()
			if _, err := x.try(m, faultproxy.Fault{}, time.Minute); err != nil {
				x.Errorf("%s after the connections were reset: %v", m.name, err)
			}
			if done, err := x.try(m, faultproxy.Reset(), time.Minute); done || err == nil {
				x.Errorf("%s while all connections are reset: done %v, error %v; want an error", m.name, done, err)
			}
		}
	})
}

func TestSlowConnections(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		for _, m := range faultyMethods(x.T) {
			if _, err := x.try(m, faultproxy.Delay(time.Millisecond, 5*time.Millisecond), time.Minute); err != nil {
				x.Errorf("%s over a slow connection: %v", m.name, err)
			}
		}
	})
}

func TestHalfOpenConnections(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		for _, m := range faultyMethods(x.T) {
			x.fresh()
			if done, err := x.try(m, faultproxy.Swallow(), deadline); done || err == nil {
				x.Errorf("%s over a half-open connection: done %v, error %v; want an error", m.name, done, err)
			}
			if !m.parts {
				continue
			}
			for _, part := range []int{1, 3} {
				fault := faultproxy.DropResponse(x.answer(m) * part / 4)
				x.fresh()
				if done, err := x.try(m, fault, deadline); err == nil && (!done || !trims[m.name]) {
					x.Errorf("%s, %v: no error", m.name, fault)
				}
			}
		}
	})
}

func TestStalledConnections(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		for _, m := range faultyMethods(x.T) {
			x.fresh()
			if _, err := x.try(m, faultproxy.Stall(), deadline); err == nil {
				x.Errorf("%s over a stalled connection: no error", m.name)
			}
		}
	})
}

func TestAnswersThatAreCut(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		for _, m := range faultyMethods(x.T) {
			answer := x.answer(m)
			positions := []int{0, answer / 2, answer - 1}
			if m.parts {
				// Inside the message that reports completion, which the call ignores: answers
				// with times differ by a few bytes.
				positions = append(positions, answer-ready-6)
				for i := range cuts {
					positions = append(positions, answer*i/cuts)
				}
			}
			lost, undone := 0, 0 // calls that returned an error: executed and not
			for _, after := range positions {
				x.fresh()
				done, err := x.try(m, faultproxy.TruncateResponse(after), time.Minute)
				switch {
				case err == nil && after < answer-ready:
					x.Errorf("%s, cut after %d of %d bytes: no error", m.name, after, answer)
				case err == nil: // the call does not need the end of the answer
				case done:
					lost++
				default:
					undone++
				}
			}
			if m.whole > 0 && lost == 0 {
				x.Errorf("%s: none of the %d calls with a cut answer was executed", m.name, len(positions))
			}
			if m.parts && undone == 0 {
				x.Errorf("%s: all of the %d calls with a cut answer were executed", m.name, len(positions))
			}
		}
	})
}
