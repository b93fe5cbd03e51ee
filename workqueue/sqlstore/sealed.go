package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"botwork/workqueue"
)

// The columns of an encrypted item whose texts are sealed.
const (
	payloadColumn  = "Payload"
	outputColumn   = "Output"
	metadataColumn = "Metadata"
)

// placeOf returns what a sealed text is bound to: it can only be opened for this column of this
// row.
func placeOf(column string, id int64) string {
	return fmt.Sprintf("BotWorkQueueItems.%s:%d", column, id)
}

var errNoKeyset = errors.New("the item is encrypted, but this process has no keyset (encryption.keyset)")

// sealText seals a text for its row and column; nil stays nil.
func (s *itemRows) sealText(text *string, column string, id int64) (*string, error) {
	if text == nil {
		return nil, nil
	}
	if s.cipher == nil {
		return nil, errNoKeyset
	}
	sealed, err := s.cipher.Seal(*text, placeOf(column, id))
	if err != nil {
		return nil, fmt.Errorf("seal the %s of item %d: %w", column, id, err)
	}
	return &sealed, nil
}

// sealedRow holds the texts of an encrypted item inside a JSON parameter.
type sealedRow struct {
	ItemID int64 `json:"ItemId"`
	Body   *string
	Meta   *string
}

// seal writes the texts of those rows that are encrypted. ids are the ids of all rows.
func (s *itemRows) seal(ctx context.Context, on runner, rows []newItemRow, ids []int64) error {
	var sealed []sealedRow
	for i := range rows {
		r := &rows[i]
		if !r.sealed() {
			continue
		}
		row := sealedRow{ItemID: ids[i]}
		var err error
		if row.Body, err = s.sealText(r.body, payloadColumn, row.ItemID); err != nil {
			return err
		}
		if row.Meta, err = s.sealText(r.meta, metadataColumn, row.ItemID); err != nil {
			return err
		}
		sealed = append(sealed, row)
	}
	return s.writeSealed(ctx, on, sealed)
}

func (s *itemRows) writeSealed(ctx context.Context, on runner, sealed []sealedRow) error {
	slices.SortStableFunc(sealed, func(a, b sealedRow) int { return int(a.ItemID - b.ItemID) })
	for chunk := range slices.Chunk(sealed, enqueueBatch) {
		batch, err := jsonRows(chunk)
		if err != nil {
			return err
		}
		if _, err := s.queries.exec(ctx, on, "seal", values{"rows": batch}); err != nil {
			return err
		}
	}
	return nil
}

// sealCopy seals the texts of an item again for its copy, because each text is bound to its
// row.
func (s *itemRows) sealCopy(ctx context.Context, on runner, from, to int64, row *itemRow) error {
	it := workqueue.Item{ID: from, Payload: workqueue.JSONText(row.Payload), Metadata: workqueue.JSONText(row.Metadata)}
	if s.open(&it); it.Unreadable != "" {
		return fmt.Errorf("copy item %d: %s", from, it.Unreadable)
	}
	sealed := sealedRow{ItemID: to}
	var err error
	if sealed.Body, err = s.sealText(null(string(it.Payload)), payloadColumn, to); err != nil {
		return err
	}
	if sealed.Meta, err = s.sealText(null(string(it.Metadata)), metadataColumn, to); err != nil {
		return err
	}
	return s.writeSealed(ctx, on, []sealedRow{sealed})
}

// open opens the sealed texts of an item in place. It leaves out texts that it cannot open, and
// records why in the item.
func (s *itemRows) open(it *workqueue.Item) {
	var errs []error
	for _, text := range []struct {
		column string
		value  *workqueue.JSONText
	}{{payloadColumn, &it.Payload}, {outputColumn, &it.Output}, {metadataColumn, &it.Metadata}} {
		plain, err := s.openText(string(*text.value), text.column, it.ID)
		if err != nil {
			errs = append(errs, err)
			plain = string(workqueue.EncryptedText)
		}
		*text.value = workqueue.JSONText(plain)
	}
	if len(errs) > 0 {
		it.Unreadable = errs[0].Error()
	}
}

// openText opens a text that sealText has sealed for the same row and column, and returns any other
// text as it is.
func (s *itemRows) openText(text, column string, id int64) (string, error) {
	if !workqueue.Sealed(text) {
		return text, nil
	}
	if s.cipher == nil {
		return "", errNoKeyset
	}
	plain, err := s.cipher.Open(text, placeOf(column, id))
	if err != nil {
		return "", fmt.Errorf("%s: %w", column, err)
	}
	return plain, nil
}
