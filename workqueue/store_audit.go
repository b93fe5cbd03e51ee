package workqueue

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// AuditStore reads the audit log: who changed what, when, how and why. The methods
// that change something on request write the log, each in the transaction of its
// change, with the [Actor] of their context. A call that is refused or changes nothing
// writes no entry, nor does a transaction that is rolled back.
//
// Not in the log is what the items record themselves: that they were enqueued
// (CreatedBy), assigned, claimed, finished, released and rescued. Changes by hand in
// SQL are not in the log either.
type AuditStore interface {
	// AuditEntries lists entries, the newest first.
	AuditEntries(ctx context.Context, f AuditFilter) ([]AuditEntry, error)

	// AuditItems lists up to limit items of an entry whose row in the log has an id
	// above afterID, in the order of these ids; 0 lists from the first. A limit of 0
	// means 100.
	AuditItems(ctx context.Context, entryID, afterID int64, limit int) ([]AuditItem, error)
}

// AuditEntry is one change, or all changes of one command: a row of BotAuditLog. JSON
// field names are the column names in camel case and part of the command line's
// contract.
type AuditEntry struct {
	ID int64     `json:"id"`
	At time.Time `json:"at"` // of the first change, by the database's clock

	Actor string `json:"actor"` // "" if unknown
	Via   Via    `json:"via"`
	Host  string `json:"host"`

	// Action is a noun and a verb, such as items.cancel: see AuditActions.
	Action string `json:"action"`

	// TargetKind is what was changed, one of AuditTargets, and Target its name. For
	// items Target is the id if it was one item, and "" if there were several.
	TargetKind string `json:"targetKind"`
	Target     string `json:"target"`

	// Filter is the filter that selected what was changed, as JSON; "" if it was named.
	Filter JSONText `json:"filter"`

	// Changed counts what was changed: items, requests, learned durations, …
	Changed int64 `json:"changed"`

	// Before and After hold the values that were changed. Those of items are in
	// AuditItems; in a list of the entries of one item they are that item's.
	Before JSONText `json:"before"`
	After  JSONText `json:"after"`

	Reason string `json:"reason"`

	// Operation is the key of the batch in which a command changed its items: see
	// NewBatchKey. It is random if there was no batch, and nil for changes that are
	// always a single transaction.
	Operation *string `json:"operation"`
}

// By returns who made the change, and how.
func (e *AuditEntry) By() string { return fmt.Sprintf("%s (%s)", cmp.Or(e.Actor, "unknown"), e.Via) }

// MapTexts replaces the texts of the entry that may hold anything, for example to remove secrets.
func (e *AuditEntry) MapTexts(change func(string) string) {
	e.Reason = change(e.Reason)
	for _, text := range []*JSONText{&e.Filter, &e.Before, &e.After} {
		*text = JSONText(change(string(*text)))
	}
}

// AuditItem is an item of an entry: a row of BotAuditItems.
type AuditItem struct {
	ID      int64 `json:"id"` // of the row
	EntryID int64 `json:"entryId"`
	ItemID  int64 `json:"itemId"`

	// Before and After hold the values that were changed. After is "" for an item that
	// was permanently deleted: Before says what it was. Long texts, and those of
	// encrypted items, are an object with their size and SHA-256 instead.
	Before JSONText `json:"before"`
	After  JSONText `json:"after"`
}

// AuditFailure is the key in AuditItem.Before that has the failure of a deleted item, as package
// report counts it.
const AuditFailure = "failure"

// AuditFilter selects entries. The zero value of a field means any.
type AuditFilter struct {
	ID int64

	// Since and Until bound the time of the change: from the first on, before the
	// second.
	Since, Until time.Time

	Actor  string
	Action string // the whole action, or its noun, such as items

	TargetKind, Target string

	ItemID int64 // entries that changed this item

	// BeforeID selects entries with a smaller id: the next page.
	BeforeID int64

	// Limit bounds the list; 0 means 100.
	Limit int
}

// The actions of the audit log. An Action that changes items is "items." and its name.
const (
	AuditItemsPrefix    = "items."
	AuditItemsRelease   = "items.release"
	AuditItemsEscalate  = "items.escalate" // by a rule of escalation
	AuditQueuesCreate   = "queues.create"
	AuditQueuesDefine   = "queues.define"
	AuditQueuesDelete   = "queues.delete"
	AuditQueuesPause    = "queues.pause"
	AuditQueuesPurge    = "queues.purge"
	AuditQueuesRecount  = "queues.recount"
	AuditQueuesResume   = "queues.resume"
	AuditQueuesSet      = "queues.set"
	AuditPipelinePause  = "pipelines.pause"
	AuditPipelineResume = "pipelines.resume"
	AuditPipelineRun    = "pipelines.run"
	AuditPipelineSave   = "pipelines.save" // its file
	AuditBackfill       = "pipelines.backfill"
	AuditTasksDefine    = "tasks.define"
	AuditTasksRun       = "tasks.run"
	AuditWorkersDrain   = "workers.drain"
	AuditWorkersLabel   = "workers.label"
	AuditWorkersResume  = "workers.resume"
	AuditWorkersSet     = "workers.set"
	AuditForget         = "durations.forget"
	AuditRestored       = "db.restored"
	AuditTokensCreate   = "tokens.create"
	AuditTokensRevoke   = "tokens.revoke"
	AuditUsersCreate    = "users.create"
	AuditUsersSet       = "users.set"
	AuditUsersDisable   = "users.disable"
	AuditUsersEnable    = "users.enable"
	AuditUsersLink      = "users.link"

	AuditNotificationsMute   = "notifications.mute"
	AuditNotificationsUnmute = "notifications.unmute"
	AuditNotificationsTest   = "notifications.test"
	AuditUsersSignIn         = "users.signin"
	AuditUsersSignOut        = "users.signout"
	AuditUsersRefuse         = "users.refuse"
)

// AuditActions lists all actions.
func AuditActions() []string {
	var all []string
	for _, a := range append(Actions(), Update) {
		all = append(all, AuditItemsPrefix+string(a))
	}
	return append(all, AuditItemsRelease, AuditItemsEscalate, AuditQueuesCreate, AuditQueuesSet, AuditQueuesDefine, AuditQueuesPause, AuditQueuesResume, AuditQueuesDelete, AuditQueuesPurge, AuditQueuesRecount,
		AuditPipelinePause, AuditPipelineResume, AuditPipelineRun, AuditPipelineSave, AuditBackfill, AuditTasksDefine, AuditTasksRun,
		AuditWorkersDrain, AuditWorkersResume, AuditWorkersSet, AuditWorkersLabel, AuditForget, AuditRestored,
		AuditTokensCreate, AuditTokensRevoke, AuditUsersCreate, AuditUsersSet, AuditUsersDisable, AuditUsersEnable, AuditUsersLink,
		AuditNotificationsMute, AuditNotificationsUnmute, AuditNotificationsTest,
		AuditUsersSignIn, AuditUsersSignOut, AuditUsersRefuse)
}

// The kinds of targets.
const (
	TargetItem     = "item"
	TargetQueue    = "queue"
	TargetPipeline = "pipeline"
	TargetTask     = "task"
	TargetWorker   = "worker"
	TargetDuration = "durations"
	TargetDatabase = "database"
	TargetToken    = "token"
	TargetUser     = "user"

	TargetNotification = "notification"
)

// AuditTargets lists the kinds of targets.
func AuditTargets() []string {
	return []string{TargetItem, TargetQueue, TargetPipeline, TargetTask, TargetWorker, TargetDuration, TargetDatabase, TargetToken, TargetUser, TargetNotification}
}

// AuditTextLimit is the longest value in the audit log, in bytes of JSON.
const AuditTextLimit = 4096

// LeastAuditAge is the least age at which an entry may be removed.
const LeastAuditAge = 24 * time.Hour
