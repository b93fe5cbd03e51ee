// Package notify decides which messages people get: it compares what happened with rules, keeps the
// state of each alert, and makes the items that carry the messages.
//
// An evaluation is a property of the database, not of a process. It reads what the last evaluation has
// written, what happened since, and conditions such as backlogs from kept statistics, and writes its
// result in one transaction: the states of the alerts, what it has read, and an item for each message
// and target. A process that dies in between has written nothing, and the next one reads the same
// again. Of two evaluations at the same time one is written.
//
// A rule has alerts, one for each group. An alert is pending until the rule's wait is over, then it is
// firing: the first message is sent. Further messages follow after each repeat interval, with the
// number of events since. When it is over, a recovery message is sent.
//
//	        condition or event          wait is over: message
//	ok ───────────────────────► pending ──────────────────────► firing ─┐ repeat: message
//	▲                             │                              │  ▲──┘
//	└─────────────────────────────┴──────────────────────────────┘
//	   the condition ends: nothing             it is over: recovery message
//
// In quiet hours, and while a rule is muted, states change all the same. What would have been sent in
// quiet hours is in one summary for each target when they end; what would have been sent while muted is
// dropped.
package notify
