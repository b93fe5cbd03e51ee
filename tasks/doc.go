// Package tasks decides when recurring work is due, and creates items for it. A task names a
// pipeline, a schedule and an importance; its row is in BotTasks, written by a settings file or
// by hand.
//
// # Windows
//
// A [Schedule] opens windows: stretches of time in which a task has to be started
// once. A cron expression opens one at each of its instants; a daily, weekly or
// monthly task has one in each day, week (from Monday) or month, from startAt on
// for startTolerance. No window reaches beyond its unit: one of the 25th with a
// tolerance of ten days ends with the month. A day that a month lacks is the
// month's last one.
//
// # Once
//
// [Load] is the pass that makes the items of open windows. What makes it once is
// a row of BotScheduleFirings, unique for task, window and scope value, which is
// written in one transaction with the item: two passes at the same time, on two
// machines or after a lost answer, make one item. A window that closed without an
// item gets a row, too, that says why: no worker looked while it was open (missed),
// or an earlier item of the task had not ended (skipped).
//
// # Priority
//
// [Priority] is a function of importance and time; [Revise] applies it to the
// items that wait.
package tasks
