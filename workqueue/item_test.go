package workqueue

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestItemJSON(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 30, 0, 125_000_000, time.UTC)
	id, ms, text, kind := int64(4), int64(1500), "half", KindTimeout
	full := Item{
		ID: 12, QueueName: "mail", State: Blocked, Lifecycle: LifeActive, Priority: 1001, IntegrationConfig: "invoices",
		Payload: `{"b":1,"a":[true]}`, Output: `not JSON "at all"`, Progress: &text, EstimatedDurationMs: &ms,
		WorkerID: &id, Fence: 3, LeaseExpiresAt: &at, RetryCount: 1, ReleaseCount: 2, ResilienceConfig: `{"limit":2}`,
		AvailableAt: at, DeadlineAt: &at, FinishBy: &at, NaturalKey: &text, IdempotencyKey: "5f2c", Version: 4, Tags: `["a"]`, Metadata: `{}`, Labels: `null`, Selectors: `7`,
		RootID: &id, TaskName: &text, TaskScope: &text, TaskPlannedAt: &at, Error: &text, ErrorKind: &kind, CreatedAt: at, CreatedBy: &text, AssignedAt: &at,
		StartedAt: &at, FinishedAt: &at, RetainUntil: &at, DeletedAt: &at, DeletedReason: &text, SnoozeReason: &text,
	}
	tests := []struct {
		name string
		item Item
		want string
	}{
		{"every field", full, `{
  "id": 12,
  "queueName": "mail",
  "state": 1,
  "lifecycle": "active",
  "priority": 1001,
  "integrationConfig": "invoices",
  "payload": {
    "b": 1,
    "a": [
      true
    ]
  },
  "output": "not JSON \"at all\"",
  "progress": "half",
  "progressPercent": null,
  "analytics": null,
  "encrypted": false,
  "step": null,
  "logTail": null,
  "stepTimes": null,
  "pipelineHash": null,
  "estimatedDurationMs": 1500,
  "assignedEstimateMs": null,
  "channel": null,
  "runOrder": 0,
  "workerId": 4,
  "fence": 3,
  "leaseExpiresAt": "2026-11-20T09:30:00.125Z",
  "retryCount": 1,
  "releaseCount": 2,
  "resilienceConfig": {
    "limit": 2
  },
  "availableAt": "2026-11-20T09:30:00.125Z",
  "deadlineAt": "2026-11-20T09:30:00.125Z",
  "finishBy": "2026-11-20T09:30:00.125Z",
  "expiresAt": null,
  "naturalKey": "half",
  "idempotencyKey": "5f2c",
  "version": 4,
  "limitKey": null,
  "batchKey": null,
  "batchMax": null,
  "batchWaitMs": null,
  "batchAtMostMs": null,
  "batchLeaderId": null,
  "robot": null,
  "tags": [
    "a"
  ],
  "metadata": {},
  "labels": null,
  "selectors": 7,
  "rootId": 4,
  "taskName": "half",
  "taskScope": "half",
  "taskPlannedAt": "2026-11-20T09:30:00.125Z",
  "error": "half",
  "errorKind": "timeout",
  "snoozeReason": "half",
  "createdAt": "2026-11-20T09:30:00.125Z",
  "createdBy": "half",
  "assignedAt": "2026-11-20T09:30:00.125Z",
  "startedAt": "2026-11-20T09:30:00.125Z",
  "finishedAt": "2026-11-20T09:30:00.125Z",
  "firstStartedAt": null,
  "retainMs": null,
  "retainUntil": "2026-11-20T09:30:00.125Z",
  "deletedAt": "2026-11-20T09:30:00.125Z",
  "deletedReason": "half",
  "stateName": "Blocked",
  "status": "Running"
}`},
		{"hardly any", Item{ID: 1, QueueName: DefaultQueue, State: Pending, AvailableAt: at, CreatedAt: at}, `{
  "id": 1,
  "queueName": "default",
  "state": 4,
  "lifecycle": "",
  "priority": 0,
  "integrationConfig": "",
  "payload": null,
  "output": null,
  "progress": null,
  "progressPercent": null,
  "analytics": null,
  "encrypted": false,
  "step": null,
  "logTail": null,
  "stepTimes": null,
  "pipelineHash": null,
  "estimatedDurationMs": null,
  "assignedEstimateMs": null,
  "channel": null,
  "runOrder": 0,
  "workerId": null,
  "fence": 0,
  "leaseExpiresAt": null,
  "retryCount": 0,
  "releaseCount": 0,
  "resilienceConfig": null,
  "availableAt": "2026-11-20T09:30:00.125Z",
  "deadlineAt": null,
  "finishBy": null,
  "expiresAt": null,
  "naturalKey": null,
  "idempotencyKey": "",
  "version": 0,
  "limitKey": null,
  "batchKey": null,
  "batchMax": null,
  "batchWaitMs": null,
  "batchAtMostMs": null,
  "batchLeaderId": null,
  "robot": null,
  "tags": null,
  "metadata": null,
  "labels": null,
  "selectors": null,
  "rootId": null,
  "taskName": null,
  "taskScope": null,
  "taskPlannedAt": null,
  "error": null,
  "errorKind": null,
  "snoozeReason": null,
  "createdAt": "2026-11-20T09:30:00.125Z",
  "createdBy": null,
  "assignedAt": null,
  "startedAt": null,
  "finishedAt": null,
  "firstStartedAt": null,
  "retainMs": null,
  "retainUntil": null,
  "deletedAt": null,
  "deletedReason": null,
  "stateName": "Pending",
  "status": ""
}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := json.MarshalIndent(test.item, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			ofPointer, err := json.Marshal(&test.item)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := json.Marshal(test.item)
			if err != nil || string(plain) != string(ofPointer) {
				t.Errorf("a pointer prints %s (%v), the value %s", ofPointer, err, plain)
			}
		})
	}
}

func TestJSONText(t *testing.T) {
	for text, want := range map[JSONText]string{
		"": `null`, "null": `null`, "1": `1`, `"a"`: `"a"`, `{"a": 1}`: `{"a":1}`,
		"plain": `"plain"`, `{"a": `: `"{\"a\": "`, "1 2": `"1 2"`, "NaN": `"NaN"`, "<b>": `"\u003cb\u003e"`,
	} {
		got, err := json.Marshal(text)
		if err != nil || string(got) != want {
			t.Errorf("%q prints %s, %v, want %s", string(text), got, err, want)
		}
	}
}

func TestAttemptCountsFromOne(t *testing.T) {
	for retries, want := range []int{1, 2, 3} {
		if got := (&Item{RetryCount: retries}).Attempt(); got != want {
			t.Errorf("after %d failures Attempt() = %d, want %d", retries, got, want)
		}
	}
}
