package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

var _ access.Store = (*Store)(nil)

// tokenStore keeps API tokens.
type tokenStore struct {
	*connection
	*auditing
}

// tokenRow is BotTokens, without the hash.
type tokenRow struct {
	ID         int64 `gorm:"column:Id;primaryKey"`
	Name       string
	Start      string
	Role       string
	Queues     nullText
	CreatedAt  database.Time
	CreatedBy  string
	ExpiresAt  database.Time
	RevokedAt  database.Time
	RevokedBy  *string
	LastUsedAt database.Time

	// Now is the time by the database's clock. It is set only by tokenByHash.
	Now database.Time `gorm:"->"`
}

func (tokenRow) TableName() string { return "BotTokens" }

func (r *tokenRow) token() (access.Token, error) {
	queues, err := boundQueues(r.Queues)
	return access.Token{
		ID: r.ID, Name: r.Name, Start: r.Start, Role: access.Role(r.Role), Queues: queues, CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy,
		ExpiresAt: r.ExpiresAt.Pointer(), RevokedAt: r.RevokedAt.Pointer(), RevokedBy: r.RevokedBy, LastUsedAt: r.LastUsedAt.Pointer(),
	}, err
}

// boundQueues reads the column Queues. An error keeps the caller out: no queues would mean all.
func boundQueues(text nullText) ([]string, error) {
	queues := []string{}
	if text == "" {
		return queues, nil
	}
	if err := json.Unmarshal([]byte(text), &queues); err != nil {
		return nil, fmt.Errorf("read the column Queues: %w", err)
	}
	if len(queues) == 0 {
		return nil, errors.New("read the column Queues: got an empty list, want names of queues, or NULL for all")
	}
	return queues, nil
}

// nameKey returns what must be unique about a name: the engines differ in whether they compare
// texts with case.
func nameKey(name string) string { return clean(strings.ToLower(name)) }

// CreateToken implements access.TokenStore.
func (s *tokenStore) CreateToken(ctx context.Context, p access.NewTokenParams) (access.Token, error) {
	p, err := p.Normal()
	if err != nil {
		return access.Token{}, err
	}
	queues, err := jsonColumn(p.Queues)
	if err != nil {
		return access.Token{}, err
	}
	by := clean(clip(p.By, nameLen))
	t := access.Token{Name: clean(p.Name), Start: p.Start, Role: p.Role, Queues: append([]string{}, p.Queues...), CreatedBy: by}
	v := values{
		"name": t.Name, "name_key": nameKey(p.Name), "start": p.Start, "hash": p.Hash, "role": string(p.Role), "queues": queues, "by": by,
		"expires_ms": nil, "now": s.nowArg(),
	}
	if p.ExpiresIn > 0 {
		v["expires_ms"] = ms(p.ExpiresIn)
	}
	err = s.retry(ctx, fmt.Sprintf("create token %q", p.Name), func() error {
		err := s.tx(ctx, func(tx *sql.Tx) error {
			if err := s.addToken(ctx, tx, v, &t); err != nil {
				return err
			}
			return s.audit(ctx, tx, auditEntry{action: workqueue.AuditTokensCreate, kind: workqueue.TargetToken, target: t.Name, changed: 1, by: p.By,
				after: auditValues{"id": valueOf(t.ID), "start": valueOf(t.Start), "role": valueOf(t.Role), "queues": valueOf(t.Queues), "expiresAt": valueOf(t.ExpiresAt)}})
		})
		if classify(err) == uniqueError {
			return access.ErrNameTaken
		}
		return err
	})
	if err != nil {
		return access.Token{}, err
	}
	return t, nil
}

// addToken inserts a token and sets its id and its times.
func (s *tokenStore) addToken(ctx context.Context, tx *sql.Tx, v values, t *access.Token) error {
	rows, err := s.queries.query(ctx, tx, "token_add", v)
	if err != nil {
		return err
	}
	var created, expires database.Time
	err = eachRow(rows, func() error { return rows.Scan(&t.ID, &created, &expires) })
	t.CreatedAt, t.ExpiresAt = created.Time, expires.Pointer()
	return err
}

// TokenByHash implements access.TokenStore.
func (s *tokenStore) TokenByHash(ctx context.Context, hash string) (t access.Token, now time.Time, err error) {
	err = s.retry(ctx, "read a token", func() error {
		var row tokenRow
		err := s.withNow(ctx, s.listing, &row).Where(map[string]any{"Hash": hash}).Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return workqueue.ErrNotFound
		}
		if err != nil {
			return err
		}
		now = row.Now.Time
		t, err = row.token()
		return err
	})
	return t, now, err
}

// withNow selects all columns, and the time by the database's clock as Now.
func (s *connection) withNow(ctx context.Context, orm *gorm.DB, row any) *gorm.DB {
	return orm.WithContext(ctx).Model(row).Select("*, "+s.engine.dialect().clock+` AS "Now"`, s.nowArg())
}

// Tokens implements access.TokenStore.
func (s *tokenStore) Tokens(ctx context.Context) ([]access.Token, error) {
	var tokens []access.Token
	err := s.retry(ctx, "list tokens", func() error {
		var rows []tokenRow
		if err := s.listing.WithContext(ctx).Order(ascending("Id")).Find(&rows).Error; err != nil {
			return err
		}
		tokens = make([]access.Token, len(rows))
		for i := range rows {
			t, err := rows[i].token()
			if err != nil {
				return fmt.Errorf("token %d: %w", rows[i].ID, err)
			}
			tokens[i] = t
		}
		return nil
	})
	return tokens, err
}

// RevokeToken implements access.TokenStore.
func (s *tokenStore) RevokeToken(ctx context.Context, id int64, by string) (changed bool, err error) {
	err = s.retry(ctx, fmt.Sprintf("revoke token %d", id), func() error {
		changed = false
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "token_revoke", values{"id": id, "by": clean(clip(by, nameLen)), "now": s.nowArg()})
			if err != nil {
				return err
			}
			var row tokenRow
			err = s.in(ctx, tx).Where(map[string]any{"Id": id}).Take(&row).Error
			if errors.Is(err, gorm.ErrRecordNotFound) {
				return workqueue.ErrNotFound
			}
			if changed = n > 0; err != nil || !changed {
				return err
			}
			return s.audit(ctx, tx, auditEntry{action: workqueue.AuditTokensRevoke, kind: workqueue.TargetToken, target: row.Name, changed: 1, by: by,
				before: auditValues{"revoked": valueOf(false)}, after: auditValues{"revoked": valueOf(true), "id": valueOf(id)}})
		})
	})
	return changed && err == nil, err
}

// usedTokens is how many tokens a statement changes: few enough that SQL Server locks no table.
const usedTokens = 1000

// UsedTokens implements access.TokenStore.
func (s *tokenStore) UsedTokens(ctx context.Context, ids []int64) error {
	for batch := range slices.Chunk(slices.Compact(slices.Sorted(slices.Values(ids))), usedTokens) {
		rows, err := jsonRows(batch)
		if err != nil {
			return err
		}
		err = s.single(ctx, "record the use of tokens", func(on runner) error {
			_, err := s.queries.exec(ctx, on, "token_used", values{"rows": rows, "now": s.nowArg()})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
