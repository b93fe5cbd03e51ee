// Package mixed draws the load of `botwork bench mixed` and judges what became
// of it. It knows no database and no scheduler: what it judges is what the
// items' handlers and the callers of the store wrote down, by one clock.
//
// All times are distances from the start of the measurement. An item waits from
// the moment it may start until a run of it begins; a run that fails or snoozes
// makes it wait again after its backoff. From these waits and from the runs
// follow all figures:
//
//   - A start before due is a run that began before the item's time had come, be
//     it scheduled ahead, in backoff or snoozed.
//   - A start after a deadline is a run that began after the item's deadline, a
//     start after a cancel one that began after the call that cancelled the item
//     had returned.
//   - An inversion is a run that began while a more urgent item, which the same
//     worker could have run, had been eligible for longer than the allowance and
//     did not begin anywhere either.
//   - Utilisation while work waits is the share of the slots' time in which a
//     handler ran, over those moments in which an item was eligible and had not
//     begun: [Record.Utilisation].
package mixed
