// Package tasks decides when recurring work is due, and creates items for it. A task names a
// pipeline, a schedule and an importance; its row is in BotTasks, written by a settings file or
// by hand.
//
// # Windows
//
// A [Schedule] opens windows: stretches of time in which a task has to be started once. A cron
// expression opens one at each of its instants; a daily, weekly or monthly task has one in
// each day, week (from Monday) or month, from startAt on for startTolerance. A window ends at
// the latest with its unit: one from the 25th with a tolerance of ten days ends with the
// month. If a month does not have the day, the last day of the month is used.
//
// # Once
//
// [Load] is the pass that creates the items of open windows. A row of BotScheduleFirings,
// unique for task, window and scope value, is written in the same transaction as the item: two
// passes at the same time, on two machines or after a lost answer, create only one item. A
// window that closed without an item also gets a row with the reason: no worker ran a pass
// while it was open (missed), or an earlier item of the task had not ended (skipped).
//
// # Priority
//
// [Priority] is a function of importance and time; [RaisePriorities] applies it to waiting items.
package tasks
