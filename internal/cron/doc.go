// Package cron computes the planned instants of a trigger: when a cron expression in a
// time zone, or an interval, is due. It uses no clock and starts nothing. The result is
// the same on every machine, so that all workers of a cluster agree which instants have
// already fired.
//
// # Expressions
//
// A cron expression has five fields (minute, hour, day of month, month, day of week) or six
// (second first). A field is *, a value, a range (1-5), a step (*/5, 10-30/5, or 10/5, which runs
// to the field's end) or a list of these; months and weekdays may be named (jan, mon). Sunday is
// 0. Where both day fields are restricted, a day that satisfies either one matches. @hourly,
// @daily, @weekly, @monthly and @yearly mean their expressions.
//
// # Daylight saving
//
// When a zone sets its clocks forward, a range of wall-clock time does not exist (the
// gap); when it sets them back, a range occurs twice (the overlap). The hour field
// decides what a schedule does then:
//
//   - With a free hour (*, */n, or all 24 hours) it follows elapsed time: it
//     fires in every real instant whose wall clock matches. That is both passes
//     of an overlap, and nothing for a gap: "*/15 * * * *" fires every fifteen
//     minutes of real time on every day of the year.
//   - With fixed hours it follows the wall clock: a daily run stays one run a
//     day. All firings that fall into one gap become a single firing at the
//     first valid instant after it, and in an overlap only the first pass fires.
//
// The [DST] policy changes the second rule: Last fires in the second pass of an overlap
// instead of the first, Both fires in both, and Skip does not fire for instants in a gap
// (in an overlap it is like First). Elapsed-time schedules and intervals ignore the
// policy.
//
// New York, 2026, "30 2 * * *": on 8 March 02:30 does not exist and the run starts at
// 03:00 EDT. "30 1 * * *": on 1 November 01:30 occurs twice and the run starts at 01:30
// EDT, not at 01:30 EST an hour later.
//
// The rules apply to gaps and overlaps of any length: half an hour on Lord Howe Island,
// or the whole day that Samoa skipped in December 2011.
package cron
