package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// Lengths of the columns for what a browser says about itself.
const (
	addressLen   = 200
	userAgentLen = 1000
)

// CreateSession implements access.UserStore.
func (s *userStore) CreateSession(ctx context.Context, p access.NewSessionParams) (access.Session, error) {
	session := access.Session{Address: clean(clip(p.Address, addressLen)), UserAgent: clean(clip(p.UserAgent, userAgentLen)), SignedInBy: p.SignedInBy}
	err := s.retry(ctx, "create a session", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "user_signed_in", values{"id": p.UserID, "password": null(p.PasswordHash), "now": s.nowArg()})
			if err != nil {
				return err
			}
			if n == 0 {
				return workqueue.ErrNotFound
			}
			row, err := takeUser(s.in(ctx, tx), "Id", p.UserID)
			if err != nil {
				return err
			}
			if session.User, err = row.user(); err != nil {
				return err
			}
			if err := s.addSession(ctx, tx, p, &session); err != nil {
				return err
			}
			return s.auditUser(ctx, tx, workqueue.AuditUsersSignIn, row.Name, row.Name, nil, auditValues{"session": valueOf(session.ID), "signedInBy": valueOf(p.SignedInBy)})
		})
	})
	if err != nil {
		return access.Session{}, err
	}
	return session, nil
}

// addSession inserts a session and sets its id and its times.
func (s *userStore) addSession(ctx context.Context, tx *sql.Tx, p access.NewSessionParams, session *access.Session) error {
	rows, err := s.queries.query(ctx, tx, "session_add", values{
		"user_id": p.UserID, "hash": p.Hash, "idle_ms": ms(min(p.Idle, p.Longest)), "longest_ms": ms(p.Longest),
		"address": session.Address, "agent": session.UserAgent, "signed_in_by": session.SignedInBy, "now": s.nowArg(),
	})
	if err != nil {
		return err
	}
	var created, idle, expires database.Time
	err = eachRow(rows, func() error { return rows.Scan(&session.ID, &created, &idle, &expires) })
	session.CreatedAt, session.SeenAt, session.IdleUntil, session.ExpiresAt = created.Time, created.Time, idle.Time, expires.Time
	return err
}

// SessionsByHash implements access.UserStore.
func (s *userStore) SessionsByHash(ctx context.Context, hashes []string) (map[string]access.Session, error) {
	type row struct{ Hash string }
	wanted := make([]row, len(hashes))
	for i, hash := range hashes {
		wanted[i] = row{hash}
	}
	batch, err := jsonRows(wanted)
	if err != nil {
		return nil, err
	}
	found := map[string]access.Session{}
	err = s.retry(ctx, "read sessions", func() error {
		clear(found)
		rows, err := s.reading.query(ctx, s.readers, "sessions_by_hash", values{"rows": batch, "now": s.nowArg()})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var hash string
			var session access.Session
			var u userRow
			var created, seen, idle, expires database.Time
			err := rows.Scan(&hash, &session.ID, &created, &seen, &idle, &expires, &session.Address, &session.UserAgent, &session.SignedInBy,
				&u.ID, &u.Name, &u.Role, &u.Queues, &u.PasswordHash, &u.Subject, &u.CreatedAt, &u.CreatedBy, &u.SignedInAt, &u.DisabledAt,
				&u.Failures, &u.LockedUntil)
			if err != nil {
				return err
			}
			session.CreatedAt, session.SeenAt, session.IdleUntil, session.ExpiresAt = created.Time, seen.Time, idle.Time, expires.Time
			session.User, err = u.user()
			found[hash] = session
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Sessions implements access.UserStore.
func (s *userStore) Sessions(ctx context.Context, userID int64) (sessions []access.Session, err error) {
	err = s.retry(ctx, "list the sessions of a user", func() error {
		sessions = nil
		rows, err := s.reading.query(ctx, s.readers, "sessions_of", values{"user_id": userID, "now": s.nowArg()})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var session access.Session
			var created, seen, idle, expires database.Time
			if err := rows.Scan(&session.ID, &created, &seen, &idle, &expires, &session.Address, &session.UserAgent, &session.SignedInBy); err != nil {
				return err
			}
			session.CreatedAt, session.SeenAt, session.IdleUntil, session.ExpiresAt = created.Time, seen.Time, idle.Time, expires.Time
			sessions = append(sessions, session)
			return nil
		})
	})
	return sessions, err
}

// UsedSession implements access.UserStore.
func (s *userStore) UsedSession(ctx context.Context, id int64, idle time.Duration) error {
	return s.single(ctx, "extend a session", func(on runner) error {
		_, err := s.queries.exec(ctx, on, "session_used", values{"id": id, "idle_ms": ms(idle), "now": s.nowArg()})
		return err
	})
}

// EndSession implements access.UserStore.
func (s *userStore) EndSession(ctx context.Context, id int64) (int, error) {
	var userID int64
	err := s.retry(ctx, "read a session", func() error {
		ids := []int64{}
		err := s.listing.WithContext(ctx).Table("BotSessions").Where(map[string]any{"Id": id}).Pluck("UserId", &ids).Error
		userID = first(ids)
		return err
	})
	if err != nil || userID == 0 {
		return 0, err
	}
	return s.endSessions(ctx, "end a session", "session_end", userID, values{"id": id, "now": s.nowArg()})
}

// EndSessions implements access.UserStore.
func (s *userStore) EndSessions(ctx context.Context, userID int64) (int, error) {
	return s.endSessions(ctx, "end the sessions of a user", "sessions_end", userID, values{"user_id": userID, "now": s.nowArg()})
}

func (s *userStore) endSessions(ctx context.Context, doing, statement string, userID int64, v values) (ended int, err error) {
	err = s.retry(ctx, doing, func() error {
		ended = 0
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, statement, v)
			if err != nil || n == 0 {
				return err
			}
			row, err := takeUser(s.in(ctx, tx), "Id", userID)
			if err != nil {
				return err
			}
			ended = int(n)
			return s.audit(ctx, tx, auditEntry{action: workqueue.AuditUsersSignOut, kind: workqueue.TargetUser, target: row.Name, changed: ended, by: row.Name})
		})
	})
	return ended, err
}

// CreateLink implements access.UserStore.
func (s *userStore) CreateLink(ctx context.Context, userID int64, hash string, valid time.Duration) error {
	return s.retry(ctx, fmt.Sprintf("create a sign-in link of user %d", userID), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "link_add", values{"user_id": userID, "hash": hash, "valid_ms": ms(valid), "now": s.nowArg()})
			if err != nil {
				return err
			}
			if n == 0 {
				return workqueue.ErrNotFound
			}
			row, err := takeUser(s.in(ctx, tx), "Id", userID)
			if err != nil {
				return err
			}
			return s.auditUser(ctx, tx, workqueue.AuditUsersLink, row.Name, "", nil, nil)
		})
	})
}

// UseLink implements access.UserStore.
func (s *userStore) UseLink(ctx context.Context, hash string) (u access.User, err error) {
	err = s.retry(ctx, "use a sign-in link", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			ids, err := s.queries.ids(ctx, tx, "link_use", values{"hash": hash, "now": s.nowArg()})
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				return access.ErrLinkUsed
			}
			row, err := takeUser(s.in(ctx, tx), "Id", ids[0])
			if err != nil {
				return err
			}
			u, err = row.user()
			return err
		})
	})
	if err != nil {
		return access.User{}, err
	}
	return u, nil
}
