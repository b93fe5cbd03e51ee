// Package escalation has the rules by which items that wait too long become more urgent, move to
// another queue, may run on more workers, are cancelled, or are reported. It decides which rule acts
// when, without a database: workqueue.EscalationStore finds the items and changes them.
//
// A rule has a trigger and one action. Its trigger is a time to wait (After), a condition on the
// queue (When), or both. Waiting counts from the moment at which the item became due. A raise may
// have steps (Raise.Every); all other actions have one. A step acts at most once for each due time
// of an item: an item that gets a new one, because it failed, was postponed or is repeated, begins
// again at the first step.
package escalation
