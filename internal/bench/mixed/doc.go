// Package mixed creates the load of `botwork bench mixed` and evaluates the result. It
// uses neither a database nor the scheduler: it evaluates what the handlers of the items
// and the callers of the store recorded, all by the same clock.
//
// All times are relative to the start of the measurement. An item waits from the moment
// it may start until one of its runs starts. After a run that fails or snoozes, the item
// waits again from the end of its backoff. All figures follow from these waits and from
// the runs:
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
