package sqlstore_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/keyring"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// sealed is a database with an encrypted queue, and stores with different keys.
type sealed struct {
	*testing.T
	engine testdb.Engine
	dsn    string
	store  *sqlstore.Store // with the first keyset
	keys   *keyring.Keyring
	hand   *sql.DB
	make   *storetest.Factory
	worker workqueue.Worker
}

// eachSealed runs a test on each engine.
func eachSealed(t *testing.T, test func(x *sealed)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		keys, err := keyring.New()
		if err != nil {
			t.Fatal(err)
		}
		dsn := e.DSN(t)
		e.Open(t, dsn) // migrates
		x := &sealed{T: t, engine: e, dsn: dsn, keys: keys, hand: e.SQL(t, dsn)}
		x.store = x.open(keys)
		x.make = storetest.NewFactory(t, x.store)
		x.worker = x.make.Worker(storetest.WorkerOpts{})
		x.encrypt(true)
		test(x)
	})
}

// open opens the database with a keyset, or without one if keys is nil.
func (x *sealed) open(keys *keyring.Keyring) *sqlstore.Store {
	x.Helper()
	o := sqlstore.Options{Driver: string(x.engine.Driver), DSN: x.dsn}
	if keys != nil {
		o.Cipher = keys
	}
	store, err := sqlstore.Open(x.Context(), o)
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() {
		if err := store.Close(); err != nil {
			x.Errorf("close store: %v", err)
		}
	})
	return store
}

func (x *sealed) encrypt(on bool) {
	x.Helper()
	q := workqueue.Queue{Name: "secret", Encrypted: on, RetryAs: workqueue.RetryCopy}
	if _, err := x.store.DefineQueues(x.Context(), []workqueue.Queue{q}, "test"); err != nil {
		x.Fatal(err)
	}
}

// Texts that must not be readable in the database.
const (
	secretPayload  = "4929-1127-8890-1234"
	secretOutput   = "approved-by-Ann"
	secretMetadata = "IBAN-PT50-0002"
)

func (x *sealed) put(more func(it *workqueue.NewItem)) int64 {
	x.Helper()
	it := workqueue.NewItem{
		QueueName: "secret", State: workqueue.Pending, Priority: 1000, IntegrationConfig: "pay", Payload: `{"card":"` + secretPayload + `"}`,
		Metadata: map[string]string{"account": secretMetadata}, NaturalKey: "order-1",
	}
	if more != nil {
		more(&it)
	}
	made, err := x.store.Enqueue(x.Context(), []workqueue.NewItem{it})
	if err != nil {
		x.Fatal(err)
	}
	return made[0].ID
}

// raw returns all texts of an item's row, as any reader of the table sees them.
func (x *sealed) raw(id int64) string {
	x.Helper()
	row := x.hand.QueryRowContext(x.Context(), fmt.Sprintf(
		`SELECT "Payload", "Output", "Metadata", "LockKey", "Progress", "Error", "IntegrationConfig", "Analytics" FROM "BotWorkQueueItems" WHERE "Id" = %d`, id))
	texts := make([]sql.NullString, 8)
	pointers := make([]any, len(texts))
	for i := range texts {
		pointers[i] = &texts[i]
	}
	if err := row.Scan(pointers...); err != nil {
		x.Fatal(err)
	}
	if texts[3].Valid {
		x.Errorf("item %d still has its ticket %q", id, texts[3].String)
	}
	var all strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&all, "%s\n", text.String)
	}
	return all.String()
}

// wantSealed checks that this many columns of the row are sealed and that no secret is
// readable.
func (x *sealed) wantSealed(id int64, columns int) {
	x.Helper()
	raw := x.raw(id)
	if n := strings.Count(raw, workqueue.SealedPrefix); n != columns {
		x.Errorf("item %d has %d sealed columns, want %d:\n%s", id, n, columns, raw)
	}
	for _, secret := range []string{secretPayload, secretOutput, secretMetadata} {
		if strings.Contains(raw, secret) {
			x.Errorf("%q can be read in the row of item %d:\n%s", secret, id, raw)
		}
	}
}

func (x *sealed) claim(id int64) workqueue.Item {
	x.Helper()
	return x.claimBy(x.store, id)
}

func (x *sealed) claimBy(store *sqlstore.Store, id int64) workqueue.Item {
	x.Helper()
	x.make.Assign(x.worker, id)
	items, err := store.Claim(x.Context(), workqueue.ClaimParams{
		WorkerID: x.worker.ID, InstanceID: x.worker.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: time.Hour,
	})
	if err != nil || len(items) != 1 {
		x.Fatalf("claimed %d items, %v; want one", len(items), err)
	}
	return items[0]
}

func (x *sealed) show(store *sqlstore.Store, id int64) workqueue.Item {
	x.Helper()
	it, err := store.Item(x.Context(), id)
	if err != nil {
		x.Fatal(err)
	}
	return it
}

func TestEncryptedQueue(t *testing.T) {
	t.Parallel()
	eachSealed(t, func(x *sealed) {
		id := x.put(nil)
		x.wantSealed(id, 2)
		it := x.claim(id)
		if it.Payload != `{"card":"`+secretPayload+`"}` || it.Metadata != `{"account":"`+secretMetadata+`"}` || !it.Encrypted || it.Unreadable != "" {
			x.Errorf("the claimed item has payload %s and metadata %s", it.Payload, it.Metadata)
		}
		note := workqueue.ProgressNote{
			ItemRef: workqueue.ItemRef{ItemID: id, Fence: it.Fence}, Output: `{"half":"` + secretOutput + `"}`, Encrypted: it.Encrypted,
		}
		if _, err := x.store.Progress(x.Context(), x.worker.ID, x.worker.InstanceID, []workqueue.ProgressNote{note}); err != nil {
			x.Fatal(err)
		}
		x.wantSealed(id, 3)
		if got := x.show(x.store, id); got.Output != note.Output {
			x.Errorf("the running item shows the output %s", got.Output)
		}
		end := workqueue.Finish{ItemID: id, Fence: it.Fence, State: workqueue.Processed, Output: `{"by":"` + secretOutput + `"}`, Encrypted: it.Encrypted}
		if lost, err := x.store.Finish(x.Context(), x.worker.ID, x.worker.InstanceID, []workqueue.Finish{end}); err != nil || len(lost) > 0 {
			x.Fatalf("Finish lost %v, %v", lost, err)
		}
		x.wantSealed(id, 3)
		if got := x.show(x.store, id); got.Output != end.Output {
			x.Errorf("the finished item shows the output %s", got.Output)
		}
	})
}

// The data of a step is bound to the item and the step.
func TestEncryptedSteps(t *testing.T) {
	t.Parallel()
	eachSealed(t, func(x *sealed) {
		it, plain := x.claim(x.put(nil)), x.make.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: x.worker})
		ref := workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}
		steps := []workqueue.StepRecord{{Step: "load", Data: `{"card":"` + secretPayload + `"}`}, {Step: "post", Data: ""}}
		for range 2 { // the second call replaces
			if err := x.store.SaveSteps(x.Context(), ref, steps); err != nil {
				x.Fatal(err)
			}
			var data string
			if err := x.hand.QueryRowContext(x.Context(), `SELECT "Data" FROM "BotWorkItemSteps" WHERE "Step" = 'load'`).Scan(&data); err != nil {
				x.Fatal(err)
			}
			if !workqueue.Sealed(data) || strings.Contains(data, secretPayload) {
				x.Errorf("the database has the data %q, want it sealed", data)
			}
			if got, err := x.store.Steps(x.Context(), it.ID); err != nil || !slices.Equal(got, steps) {
				x.Errorf("Steps = %+v, %v, want %+v", got, err, steps)
			}
		}
		keyless := x.open(nil)
		if err := keyless.SaveSteps(x.Context(), ref, steps); err == nil || !strings.Contains(err.Error(), "keyset") {
			x.Errorf("SaveSteps without keys: %v", err)
		}
		if got, err := keyless.Steps(x.Context(), it.ID); err == nil || got != nil {
			x.Errorf("Steps without keys = %+v, %v", got, err)
		}
		if err := keyless.SaveSteps(x.Context(), workqueue.ItemRef{ItemID: plain.ID, Fence: plain.Fence}, steps); err != nil {
			x.Errorf("SaveSteps of a plain item without keys: %v", err)
		}
		if got, err := keyless.Steps(x.Context(), plain.ID); err != nil || !slices.Equal(got, steps) {
			x.Errorf("Steps of a plain item = %+v, %v, want %+v", got, err, steps)
		}
		if _, err := x.hand.ExecContext(x.Context(), fmt.Sprintf(`UPDATE "BotWorkItemSteps" SET "Step" = 'sign' WHERE "Step" = 'load' AND "ItemId" = %d`, it.ID)); err != nil {
			x.Fatal(err)
		}
		if got, err := x.store.Steps(x.Context(), it.ID); err == nil || got != nil {
			x.Errorf("Steps with the data of another step = %+v, %v, want an error", got, err)
		}
	})
}

// A sealed text is bound to its row: copies are sealed for their own rows.
func TestEncryptedCopies(t *testing.T) {
	t.Parallel()
	eachSealed(t, func(x *sealed) {
		id := x.put(nil)
		it := x.claim(id)
		end := workqueue.Finish{ItemID: id, Fence: it.Fence, State: workqueue.Cancelled, Copy: true, RetryCount: 1, Error: "no", Encrypted: true}
		if _, err := x.store.Finish(x.Context(), x.worker.ID, x.worker.InstanceID, []workqueue.Finish{end}); err != nil {
			x.Fatal(err)
		}
		copies, err := x.store.Items(x.Context(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Ready}})
		if err != nil || len(copies) != 1 {
			x.Fatalf("%d copies, %v; want one", len(copies), err)
		}
		plain := x.put(func(it *workqueue.NewItem) { it.NaturalKey = "" })
		clone, err := x.store.ChangeItem(x.Context(), plain, workqueue.Change{Action: workqueue.Clone})
		if err != nil {
			x.Fatal(err)
		}
		for _, id := range []int64{copies[0].ID, clone} {
			x.wantSealed(id, 2)
			if got := x.show(x.store, id); got.Payload != it.Payload || got.Metadata != it.Metadata || got.Unreadable != "" {
				x.Errorf("item %d has payload %s and metadata %s (%s)", id, got.Payload, got.Metadata, got.Unreadable)
			}
		}
		// A sealed text that is moved to another row or column by hand cannot be opened.
		if _, err := x.hand.ExecContext(x.Context(), fmt.Sprintf(
			`UPDATE "BotWorkQueueItems" SET "Payload" = (SELECT o."Payload" FROM "BotWorkQueueItems" o WHERE o."Id" = %d) WHERE "Id" = %d`, plain, clone)); err != nil {
			x.Fatal(err)
		}
		if got := x.show(x.store, clone); got.Payload != workqueue.EncryptedText || !strings.Contains(got.Unreadable, "Payload") {
			x.Errorf("a payload that was moved shows %s (%s)", got.Payload, got.Unreadable)
		}
	})
}

// Switching encryption on or off only affects new items.
func TestEncryptionSwitched(t *testing.T) {
	t.Parallel()
	eachSealed(t, func(x *sealed) {
		before := x.put(nil)
		x.encrypt(false)
		after := x.put(func(it *workqueue.NewItem) { it.NaturalKey = "" })
		x.wantSealed(before, 2)
		if raw := x.raw(after); !strings.Contains(raw, secretPayload) || strings.Contains(raw, workqueue.SealedPrefix) {
			x.Errorf("an item that was inserted after encryption was switched off has the texts\n%s", raw)
		}
		it := x.claim(before)
		end := workqueue.Finish{ItemID: before, Fence: it.Fence, State: workqueue.Processed, Output: `"` + secretOutput + `"`, Encrypted: it.Encrypted}
		if _, err := x.store.Finish(x.Context(), x.worker.ID, x.worker.InstanceID, []workqueue.Finish{end}); err != nil {
			x.Fatal(err)
		}
		x.wantSealed(before, 3)
		x.encrypt(true)
		x.wantSealed(x.put(func(it *workqueue.NewItem) { it.NaturalKey = "" }), 2)
	})
}

func TestEncryptionKeys(t *testing.T) {
	t.Parallel()
	eachSealed(t, func(x *sealed) {
		old := x.put(nil)
		rotated, err := x.keys.Rotate()
		if err != nil {
			x.Fatal(err)
		}
		foreign, err := keyring.New()
		if err != nil {
			x.Fatal(err)
		}
		if got := x.show(x.open(rotated), old); got.Unreadable != "" || !strings.Contains(string(got.Payload), secretPayload) {
			x.Errorf("after a rotation the item shows %s (%s)", got.Payload, got.Unreadable)
		}
		for name, store := range map[string]*sqlstore.Store{"no keyset": x.open(nil), "another keyset": x.open(foreign)} {
			got := x.show(store, old)
			if got.Payload != workqueue.EncryptedText || got.Metadata != workqueue.EncryptedText || !strings.Contains(got.Unreadable, "encryption.keyset") {
				x.Errorf("%s: the item shows payload %s (%s)", name, got.Payload, got.Unreadable)
			}
		}
		// Without keys, nothing is added and no row remains.
		none := x.open(nil)
		_, err = none.Enqueue(x.Context(), []workqueue.NewItem{{QueueName: "secret", IntegrationConfig: "pay", Payload: `1`}})
		if _, ok := err.(*workqueue.BadItemError); !ok || !strings.Contains(err.Error(), "encryption.keyset") { //nolint:errorlint // the outermost is what callers get
			x.Errorf("Enqueue without keys: %v, want a *BadItemError that names the setting", err)
		}
		if items, err := x.store.Items(x.Context(), workqueue.ItemFilter{}); err != nil || len(items) != 1 {
			x.Errorf("%d items, %v; want 1", len(items), err)
		}
		// A worker without the key claims an item that it cannot read, and reports that.
		if it := x.claimBy(none, old); it.Unreadable == "" || it.Payload != workqueue.EncryptedText {
			x.Errorf("the claimed item has payload %s (%s)", it.Payload, it.Unreadable)
		}
	})
}
