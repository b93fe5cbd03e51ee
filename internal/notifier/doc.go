// Package notifier evaluates notifications and delivers their messages, in every process that has
// notifications in its settings: workers and servers of the API.
//
// One loop evaluates the rules, once a minute in the whole cluster: package workqueue/notify. Another
// takes messages from their queue and sends them. It takes them like a robot, outside of the worker's
// slots: a message neither takes the place of an item, nor waits while items of many hours fill all
// slots. A process sends only to targets that its settings have. If it dies while it sends, the lease
// of the message ends, an assignment pass of any worker releases it, and it is sent again with the same
// id. Messages about one group of a rule are sent to a target one after the other, and only while there
// is no later one.
package notifier
