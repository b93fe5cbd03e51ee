package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// userStore keeps users, their sessions and their sign-in links. Each transaction locks the row of
// the user first.
type userStore struct {
	*connection
	*auditing
}

// userRow is BotUsers.
type userRow struct {
	ID           int64 `gorm:"column:Id;primaryKey"`
	Name         string
	NameKey      string
	Role         string
	Queues       nullText
	PasswordHash nullText
	Subject      nullText
	CreatedAt    database.Time
	CreatedBy    string
	SignedInAt   database.Time
	DisabledAt   database.Time
	Failures     int
	LockedUntil  database.Time
	Revision     int64

	// Now is the time by the database's clock. It is set only by User.
	Now database.Time `gorm:"->"`
}

func (userRow) TableName() string { return "BotUsers" }

func (r *userRow) user() (access.User, error) {
	queues, err := boundQueues(r.Queues)
	return access.User{
		ID: r.ID, Name: r.Name, Role: access.Role(r.Role), Queues: queues, PasswordHash: string(r.PasswordHash), HasPassword: r.PasswordHash != "", Subject: string(r.Subject),
		CreatedAt: r.CreatedAt.Time, CreatedBy: r.CreatedBy, SignedInAt: r.SignedInAt.Pointer(), DisabledAt: r.DisabledAt.Pointer(),
		Failures: r.Failures, LockedUntil: r.LockedUntil.Pointer(),
	}, err
}

// takeUser reads the row of one user.
func takeUser(orm *gorm.DB, column string, value any) (userRow, error) {
	var row userRow
	err := orm.Where(map[string]any{column: value}).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = workqueue.ErrNotFound
	}
	return row, err
}

// userNamed reads the row of a user by name, in any case. It compares the name again: collations of
// SQL Server also regard other texts as equal, such as those with ß and ss.
func userNamed(orm *gorm.DB, name string) (userRow, error) {
	row, err := takeUser(orm, "NameKey", nameKey(name))
	if err == nil && row.NameKey != nameKey(name) {
		return userRow{}, workqueue.ErrNotFound
	}
	return row, err
}

// CreateUser implements access.UserStore.
func (s *userStore) CreateUser(ctx context.Context, p access.UserParams) (access.User, error) {
	p, err := p.Normal()
	if err != nil {
		return access.User{}, err
	}
	queues, err := jsonColumn(p.Queues)
	if err != nil {
		return access.User{}, err
	}
	var u access.User
	v := values{
		"name": clean(p.Name), "name_key": nameKey(p.Name), "role": string(p.Role), "queues": queues, "password": null(p.PasswordHash),
		"subject": null(p.Subject), "by": clean(clip(p.By, nameLen)), "now": s.nowArg(),
	}
	err = s.retry(ctx, fmt.Sprintf("create user %q", p.Name), func() error {
		err := s.tx(ctx, func(tx *sql.Tx) error {
			ids, err := s.queries.ids(ctx, tx, "user_add", v)
			if err != nil {
				return err
			}
			row, err := takeUser(s.in(ctx, tx), "Id", first(ids))
			if err != nil {
				return err
			}
			if u, err = row.user(); err != nil {
				return err
			}
			_, after := differing(nil, userValues(&u, p.PasswordHash != ""))
			return s.auditUser(ctx, tx, workqueue.AuditUsersCreate, u.Name, p.By, nil, after)
		})
		return s.takenError(ctx, p, err)
	})
	if err != nil {
		return access.User{}, err
	}
	return u, nil
}

// takenError returns which unique key refused a user.
func (s *userStore) takenError(ctx context.Context, p access.UserParams, err error) error {
	if classify(err) != uniqueError {
		return err
	}
	if p.Subject != "" {
		other, err := s.userBySubject(ctx, p.Subject)
		if err == nil && other.NameKey != nameKey(p.Name) {
			return access.ErrSubjectTaken
		}
	}
	return access.ErrNameTaken
}

// userValues are the values of a user that the audit log shows. A password is only said to be new.
func userValues(u *access.User, newPassword bool) auditValues {
	v := auditValues{"role": valueOf(u.Role), "queues": valueOf(u.Queues)}
	if u.Subject != "" {
		v["subject"] = valueOf(u.Subject)
	}
	if newPassword {
		v["passwordSet"] = valueOf(true)
	}
	return v
}

func (s *userStore) auditUser(ctx context.Context, tx *sql.Tx, action, name, by string, before, after auditValues) error {
	return s.audit(ctx, tx, auditEntry{action: action, kind: workqueue.TargetUser, target: name, changed: 1, by: by, before: before, after: after})
}

// ChangeUser implements access.UserStore.
func (s *userStore) ChangeUser(ctx context.Context, p access.UserParams) (access.User, error) {
	p, err := p.Normal()
	if err != nil {
		return access.User{}, err
	}
	u, err := s.changing(ctx, fmt.Sprintf("change user %q", p.Name), func(tx *sql.Tx) (access.User, error) {
		row, err := userNamed(s.in(ctx, tx), p.Name)
		if err != nil {
			return access.User{}, err
		}
		return s.changeUser(ctx, tx, row, p)
	})
	return u, s.takenError(ctx, p, err)
}

// ChangePassword implements access.UserStore.
func (s *userStore) ChangePassword(ctx context.Context, p access.PasswordChange) (access.User, error) {
	return s.changing(ctx, fmt.Sprintf("change the password of user %d", p.UserID), func(tx *sql.Tx) (access.User, error) {
		row, err := takeUser(s.in(ctx, tx), "Id", p.UserID)
		if err != nil {
			return access.User{}, err
		}
		u, err := row.user()
		if err != nil {
			return access.User{}, err
		}
		if u.PasswordHash != p.Present || u.DisabledAt != nil {
			return access.User{}, access.ErrPasswordChanged
		}
		return s.changeUser(ctx, tx, row, access.UserParams{Name: u.Name, Role: u.Role, Queues: u.Queues, PasswordHash: p.Hash, By: u.Name})
	})
}

// changing calls a change in a transaction, again if another one was faster.
func (s *userStore) changing(ctx context.Context, what string, change func(*sql.Tx) (access.User, error)) (u access.User, err error) {
	err = s.retry(ctx, what, func() (err error) {
		for range setTries {
			err = s.tx(ctx, func(tx *sql.Tx) (err error) {
				u, err = change(tx)
				return err
			})
			if !errors.Is(err, errLostRace) {
				break
			}
		}
		return err
	})
	if err != nil {
		return access.User{}, err
	}
	return u, nil
}

// changeUser changes the user of a row that was read in the transaction.
func (s *userStore) changeUser(ctx context.Context, tx *sql.Tx, row userRow, p access.UserParams) (access.User, error) {
	u, err := row.user()
	if err != nil {
		u.Queues = nil // the column is damaged: this call repairs it
	}
	changed := u
	changed.Role, changed.Queues = p.Role, append([]string{}, p.Queues...)
	if p.Subject != "" {
		changed.Subject = clean(p.Subject)
	}
	if p.PasswordHash != "" {
		changed.PasswordHash, changed.HasPassword, changed.Failures, changed.LockedUntil = clean(p.PasswordHash), true, 0, nil
	}
	before, after := differing(userValues(&u, false), userValues(&changed, p.PasswordHash != ""))
	if len(after) == 0 {
		return u, nil
	}
	queues, err := jsonColumn(p.Queues)
	if err != nil {
		return access.User{}, err
	}
	n, err := s.queries.exec(ctx, tx, "user_set", values{
		"id": row.ID, "revision": row.Revision, "role": string(p.Role), "queues": queues, "password": null(p.PasswordHash), "subject": null(p.Subject),
	})
	if err != nil {
		return access.User{}, err
	}
	if n == 0 {
		return access.User{}, errLostRace
	}
	if err := s.signOut(ctx, tx, row.ID); err != nil {
		return access.User{}, err
	}
	return changed, s.auditUser(ctx, tx, workqueue.AuditUsersSet, row.Name, p.By, before, after)
}

// signOut ends all sessions and sign-in links of a user whose row is locked.
func (s *userStore) signOut(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := s.queries.exec(ctx, tx, "sessions_end", values{"user_id": id, "now": s.nowArg()}); err != nil {
		return err
	}
	_, err := s.queries.exec(ctx, tx, "links_end", values{"user_id": id})
	return err
}

// DisableUser implements access.UserStore.
func (s *userStore) DisableUser(ctx context.Context, name string, disabled bool, by string) (changed bool, err error) {
	verb, action := "enable", workqueue.AuditUsersEnable
	if disabled {
		verb, action = "disable", workqueue.AuditUsersDisable
	}
	err = s.retry(ctx, fmt.Sprintf("%s user %q", verb, name), func() error {
		changed = false
		return s.tx(ctx, func(tx *sql.Tx) error {
			row, err := userNamed(s.in(ctx, tx), name)
			if err != nil {
				return err
			}
			v := values{"id": row.ID}
			if disabled {
				v["now"] = s.nowArg()
			}
			n, err := s.queries.exec(ctx, tx, "user_"+verb, v)
			if changed = n > 0; err != nil || !changed {
				return err
			}
			if disabled {
				if err := s.signOut(ctx, tx, row.ID); err != nil {
					return err
				}
			}
			return s.auditUser(ctx, tx, action, row.Name, by, auditValues{"disabled": valueOf(!disabled)}, auditValues{"disabled": valueOf(disabled)})
		})
	})
	return changed && err == nil, err
}

// User implements access.UserStore.
func (s *userStore) User(ctx context.Context, name string) (u access.User, now time.Time, err error) {
	err = s.retry(ctx, fmt.Sprintf("read user %q", name), func() error {
		row, err := userNamed(s.withNow(ctx, s.listing, &userRow{}), name)
		if err != nil {
			return err
		}
		now = row.Now.Time
		u, err = row.user()
		return err
	})
	return u, now, err
}

// UserBySubject implements access.UserStore.
func (s *userStore) UserBySubject(ctx context.Context, subject string) (u access.User, err error) {
	err = s.retry(ctx, "read the user with a subject", func() error {
		row, err := s.userBySubject(ctx, subject)
		if err != nil {
			return err
		}
		u, err = row.user()
		return err
	})
	return u, err
}

// userBySubject reads the row of a user. It compares the subject again, with case.
func (s *userStore) userBySubject(ctx context.Context, subject string) (userRow, error) {
	if subject == "" {
		return userRow{}, workqueue.ErrNotFound
	}
	row, err := takeUser(s.listing.WithContext(ctx), "Subject", clean(subject))
	if err == nil && string(row.Subject) != clean(subject) {
		return userRow{}, workqueue.ErrNotFound
	}
	return row, err
}

// Users implements access.UserStore.
func (s *userStore) Users(ctx context.Context) ([]access.User, error) {
	var users []access.User
	err := s.retry(ctx, "list users", func() error {
		var rows []userRow
		if err := s.listing.WithContext(ctx).Find(&rows).Error; err != nil {
			return err
		}
		// The engines sort texts differently.
		slices.SortStableFunc(rows, func(a, b userRow) int { return cmp.Compare(a.NameKey, b.NameKey) })
		users = make([]access.User, len(rows))
		for i := range rows {
			u, err := rows[i].user()
			if err != nil {
				return fmt.Errorf("user %q: %w", rows[i].Name, err)
			}
			users[i] = u
		}
		return nil
	})
	return users, err
}

// auditRefused writes that an attempt to sign in has failed, or adds it to the entry of the window.
// Who has tried is unknown: the entry has only the address.
func (s *userStore) auditRefused(ctx context.Context, tx *sql.Tx, userID int64) error {
	row, err := takeUser(s.in(ctx, tx), "Id", userID)
	if err != nil {
		return err
	}
	window := time.Now().Truncate(access.RefusedWindow).Unix() // it only groups: clocks may differ
	operation := access.Hash(fmt.Sprintf("%d\x00%s\x00%d", userID, workqueue.ActorFrom(ctx).Host, window))
	return s.audit(ctx, tx, auditEntry{action: workqueue.AuditUsersRefuse, kind: workqueue.TargetUser, target: row.Name, changed: 1, by: "unknown", operation: operation[:operationLen]})
}

// operationLen is how much of a hash distinguishes operations.
const operationLen = 40

// SignInRefused implements access.UserStore.
func (s *userStore) SignInRefused(ctx context.Context, userID int64) error {
	return s.retry(ctx, "record a refused attempt to sign in", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error { return s.auditRefused(ctx, tx, userID) })
	})
}

// SignInFailed implements access.UserStore.
func (s *userStore) SignInFailed(ctx context.Context, userID int64) error {
	return s.retry(ctx, "count a failed attempt to sign in", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			failures, err := s.queries.ids(ctx, tx, "user_failed", values{"id": userID})
			if err != nil {
				return err
			}
			if len(failures) == 0 {
				return workqueue.ErrNotFound
			}
			if locked := access.AccountLockedFor(int(failures[0])); locked > 0 {
				if _, err = s.queries.exec(ctx, tx, "user_lock", values{"id": userID, "lock_ms": ms(locked), "now": s.nowArg()}); err != nil {
					return err
				}
			}
			return s.auditRefused(ctx, tx, userID)
		})
	})
}
