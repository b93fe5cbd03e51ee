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
	// deadline is how long a call over a connection that says nothing may wait.
	deadline = 150 * time.Millisecond

	// little is how much later it may return, on a machine that is busy.
	little = 3 * time.Second

	// ready is the length of the message that ends each answer of PostgreSQL.
	ready = 6

	// cuts is how many places an answer of several parts is cut at.
	cuts = 16
)

// trims are the methods that, when their change is done, also trim archives. What
// goes wrong then is no error of theirs: the next one trims.
var trims = map[string]bool{"ChangeItem": true, "ChangeItems": true}

// outlasts is the method that goes on until its context ends, whatever becomes of the
// connection: TestAListenerComesBack takes that away from it.
const outlasts = "Listen"

// faultyMethods are all methods of storetest.Store that return.
func faultyMethods(t *testing.T) []method {
	t.Helper()
	all := slices.Concat(itemMethods, leaseMethods, workerMethods, scheduleMethods, queueMethods, taskMethods, robotMethods, statisticsMethods, durationMethods, textMethods, batchMethods, housekeepingMethods, historyMethods, reads)
	store := reflect.TypeFor[storetest.Store]()
	for required := range store.Methods() {
		if required.Name != outlasts && !slices.ContainsFunc(all, func(m method) bool { return m.name == required.Name }) {
			t.Errorf("no trial calls %s over a connection that is spoiled", required.Name)
		}
	}
	return all
}

// try makes one call under a fault and fails unless it returns in time and has
// changed all or nothing, at once and when the server has come to rest. It tells
// what the call returned and whether it was carried out.
func (x *behindProxy) try(m method, fault faultproxy.Fault, patience time.Duration) (done bool, err error) {
	x.Helper()
	attempt := m.prepare(x)
	x.proxy.Set(fault)
	ctx, cancel := context.WithTimeout(x.Context(), patience)
	defer cancel()
	began := time.Now()
	err = attempt.call(ctx, x.store)
	if took := time.Since(began); took > patience+little {
		x.Errorf("%s, %v: returned after %v, want %v and a little", m.name, fault, took, patience)
	}
	changed := attempt.changed()
	if changed != 0 && changed != m.whole || err == nil && changed != m.whole {
		x.Errorf("%s, %v: %d of %d rows are changed when it returns %v; want all, or none and an error", m.name, fault, changed, m.whole, err)
	}
	if err == nil {
		return true, nil
	}
	// What was on its way may still arrive, and the server may still be at it.
	x.proxy.Set(faultproxy.Fault{})
	x.awaitQuiet()
	if changed = attempt.changed(); changed != 0 && changed != m.whole {
		x.Errorf("%s, %v: %d of %d rows are changed in the end; want all or none", m.name, fault, changed, m.whole)
	}
	return changed == m.whole && m.whole > 0, err
}

// answer is how many bytes of answers a call of the method takes over a
// connection that has said nothing yet. It is the least of some calls: the server
// ends a transaction of a process that stood still for a moment (see
// stalledAfter), and the call that then begins again takes more.
func (x *behindProxy) answer(m method) int {
	x.Helper()
	const calls = 3
	least := math.MaxInt
	for range calls {
		attempt := m.prepare(x)
		x.fresh()
		before := x.proxy.Answered()
		if err := attempt.call(x.Context(), x.store); err != nil {
			x.Fatalf("%s: %v", m.name, err)
		}
		least = min(least, int(x.proxy.Answered()-before))
	}
	return least
}

// Each test goes over all methods one by one. The pool is the same all the
// time: it has to recover by itself.

func TestConnectionsThatAreReset(t *testing.T) {
	t.Parallel()
	eachProxied(t, func(x *behindProxy) {
		for _, m := range faultyMethods(x.T) {
			// Those that lie in the pool: the call must not notice.
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
				fault := faultproxy.SwallowAnswer(x.answer(m) * part / 4)
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
			places := []int{0, answer / 2, answer - 1}
			if m.parts {
				// In the middle of the word that all is done, which nobody hears: answers
				// with times in them differ by a few bytes.
				places = append(places, answer-ready-6)
				for i := range cuts {
					places = append(places, answer*i/cuts)
				}
			}
			lost, undone := 0, 0 // calls that ended in an error, carried out and not
			for _, after := range places {
				x.fresh()
				done, err := x.try(m, faultproxy.CutAnswer(after), time.Minute)
				switch {
				case err == nil && after < answer-ready:
					x.Errorf("%s, cut after %d of %d bytes: no error", m.name, after, answer)
				case err == nil: // it did not need to know that the server is ready
				case done:
					lost++
				default:
					undone++
				}
			}
			if m.whole > 0 && lost == 0 {
				x.Errorf("%s: of %d cut answers none was to a call that had been carried out", m.name, len(places))
			}
			if m.parts && undone == 0 {
				x.Errorf("%s: of %d cut answers all were to calls that had been carried out", m.name, len(places))
			}
		}
	})
}
