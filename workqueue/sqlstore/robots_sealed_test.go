package sqlstore_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// placeCipher only encodes a text in base64, but binds it to its row and column like a real
// cipher.
type placeCipher struct{}

func (placeCipher) Seal(plaintext, associated string) (string, error) {
	return workqueue.SealedPrefix + base64.StdEncoding.EncodeToString([]byte(associated+"|"+plaintext)), nil
}

func (placeCipher) Open(sealed, associated string) (string, error) {
	text, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sealed, workqueue.SealedPrefix))
	if err != nil {
		return "", &workqueue.BrokenSealError{Found: err.Error()}
	}
	plain, ok := strings.CutPrefix(string(text), associated+"|")
	if !ok {
		return "", &workqueue.BrokenSealError{}
	}
	return plain, nil
}

// Robots work on encrypted items as on others. The rows contain sealed texts, and the hash of
// the lock key is not mistaken for one.
func TestRobotsOnEncryptedItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		ctx, dsn := t.Context(), e.DSN(t)
		keyless := e.Open(t, dsn) // migrates; has no keys
		store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(e.Driver), DSN: dsn, Cipher: placeCipher{}})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		_, err = store.DefineQueues(ctx, []workqueue.Queue{{
			Name: "forms", Consumer: workqueue.ConsumerRobots, Encrypted: true, RetryAs: workqueue.RetryCopy,
			Resilience: `{"delay":"1ms","jitter":0}`,
		}}, "a test")
		must(err)
		db := e.SQL(t, dsn)
		raw := func(id int64) (payload, output, metadata string) {
			t.Helper()
			query := `SELECT COALESCE("Payload", ''), COALESCE("Output", ''), COALESCE("Metadata", '') FROM "BotWorkQueueItems" WHERE "Id" = ` + strconv.FormatInt(id, 10)
			must(db.QueryRowContext(ctx, query).Scan(&payload, &output, &metadata))
			return payload, output, metadata
		}
		wantSealed := func(what, text string) {
			t.Helper()
			if !workqueue.Sealed(text) || strings.Contains(text, "4711") {
				t.Errorf("%s is %q in the row, want it sealed", what, text)
			}
		}

		made, err := store.RobotEnqueue(ctx, "ann", workqueue.BatchPart{}, []workqueue.NewItem{{
			QueueName: "forms", Payload: `{"customer":4711}`, Metadata: map[string]string{"customer": "4711"},
		}}, &workqueue.CheckoutOnEnqueue{})
		must(err)
		if len(made.Checkout.Items) != 1 {
			t.Fatalf("took %d items, want the new item", len(made.Checkout.Items))
		}
		it := made.Checkout.Items[0]
		hold := workqueue.Hold{Robot: "ann", ItemID: it.ID, Fence: it.Fence, LockKey: made.Checkout.LockKey}
		if it.Payload != `{"customer":4711}` || it.Metadata != `{"customer":"4711"}` || !it.Encrypted {
			t.Errorf("took %+v, want its texts opened", it)
		}
		payload, _, metadata := raw(it.ID)
		wantSealed("the payload", payload)
		wantSealed("the metadata", metadata)
		if other, err := store.RobotItem(ctx, workqueue.Hold{Robot: "bob", ItemID: it.ID}); err != nil || other.Payload != "" || other.Metadata != "" {
			t.Errorf("another robot reads %q and %q, %v", other.Payload, other.Metadata, err)
		}

		// A process without keys cannot read the item, and cannot record a success.
		if _, err := keyless.FinishCheckout(ctx, hold, workqueue.RobotEnd{Output: `{"done":4711}`}); err == nil || !strings.Contains(err.Error(), "encryption.keyset") {
			t.Errorf("FinishCheckout without keys: %v, want the reason", err)
		}
		// The copy that retries is sealed for its own row.
		ended, err := store.FinishCheckout(ctx, hold, workqueue.RobotEnd{Kind: workqueue.KindError, Error: "no window"})
		must(err)
		if !ended.Copied {
			t.Fatalf("FinishCheckout = %+v, want a copy", ended)
		}
		var c workqueue.Checkout
		for len(c.Items) == 0 { // due a millisecond after the failure
			c, err = store.Checkout(ctx, workqueue.CheckoutParams{Robot: "ann", Queue: "forms"})
			must(err)
		}
		again := c.Items[0]
		if again.ID == it.ID || again.Payload != it.Payload || again.Metadata != it.Metadata {
			t.Errorf("the copy is %+v, want the texts of item %d", again, it.ID)
		}
		hold = workqueue.Hold{Robot: "ann", ItemID: again.ID, Fence: again.Fence, LockKey: c.LockKey}
		must(store.ReleaseCheckout(ctx, hold, ""))
		must(store.RobotChange(ctx, "ann", again.ID, workqueue.RobotChange{Metadata: &map[string]string{"order": "4711"}}))
		_, _, metadata = raw(again.ID)
		wantSealed("the changed metadata", metadata)

		c, err = store.Checkout(ctx, workqueue.CheckoutParams{Robot: "ann", Queue: "forms"})
		must(err)
		if len(c.Items) != 1 || c.Items[0].Metadata != `{"order":"4711"}` {
			t.Fatalf("took %+v, want the changed metadata", c.Items)
		}
		hold = workqueue.Hold{Robot: "ann", ItemID: again.ID, Fence: c.Items[0].Fence, LockKey: c.LockKey}
		_, err = store.FinishCheckout(ctx, hold, workqueue.RobotEnd{Output: `{"done":4711}`})
		must(err)
		_, output, _ := raw(again.ID)
		wantSealed("the output", output)
		if done, err := store.Item(ctx, again.ID); err != nil || done.Output != `{"done":4711}` {
			t.Errorf("done: %q, %v", done.Output, err)
		}
	})
}
