package access

import (
	"context"
	"errors"
	"time"
)

// The errors of the stores. workqueue.ErrNotFound is returned for a missing row.
var (
	ErrNameTaken = errors.New("the name is in use")

	// ErrSubjectTaken is returned if another user has the subject.
	ErrSubjectTaken = errors.New("another user has the subject")

	// ErrPasswordChanged is returned if a user no longer has the password that a change was proved with.
	ErrPasswordChanged = errors.New("the password was changed meanwhile")

	// ErrLinkUsed is returned for a sign-in link that was used, has expired or never existed.
	ErrLinkUsed = errors.New("the sign-in link was used already, or has expired")
)

// TokenStore keeps API tokens.
type TokenStore interface {
	// CreateToken checks the parameters with Normal and stores a token. ErrNameTaken if a token
	// that is not revoked has the name, in any case.
	CreateToken(ctx context.Context, p NewTokenParams) (Token, error)

	// TokenByHash returns the token with this hash, valid or not, and the time by the
	// database's clock. workqueue.ErrNotFound if there is none.
	TokenByHash(ctx context.Context, hash string) (t Token, now time.Time, err error)

	// Tokens lists all tokens in the order of their ids, the revoked ones included.
	Tokens(ctx context.Context) ([]Token, error)

	// RevokeToken ends a token. changed is false if it was revoked before.
	// workqueue.ErrNotFound if there is none.
	RevokeToken(ctx context.Context, id int64, by string) (changed bool, err error)

	// UsedTokens records that tokens were used now.
	UsedTokens(ctx context.Context, ids []int64) error
}

// UserStore keeps users and their sessions.
type UserStore interface {
	// CreateUser checks the parameters with Normal and stores a user. ErrNameTaken if there is one
	// of the name, in any case. ErrSubjectTaken if there is one of the subject.
	CreateUser(ctx context.Context, p UserParams) (User, error)

	// ChangeUser replaces the role and the queues of a user and, if given, the password and the
	// subject. The sessions and the sign-in links of the user end, and with a new password also a
	// lock. If nothing differs, the call has no effect. workqueue.ErrNotFound if there is no such
	// user, ErrSubjectTaken as for CreateUser.
	ChangeUser(ctx context.Context, p UserParams) (User, error)

	// ChangePassword replaces the password of a user who has proved to know the present one. Otherwise
	// it is like ChangeUser. ErrPasswordChanged if the user has another password by now, or is disabled.
	// workqueue.ErrNotFound if there is no such user.
	ChangePassword(ctx context.Context, p PasswordChange) (User, error)

	// DisableUser locks a user out and ends the sessions and the sign-in links, or lets the user
	// in again. changed is false if that was so before. workqueue.ErrNotFound if there is none.
	DisableUser(ctx context.Context, name string, disabled bool, by string) (changed bool, err error)

	// User returns a user by name, in any case, and the time by the database's clock.
	// workqueue.ErrNotFound if there is none.
	User(ctx context.Context, name string) (u User, now time.Time, err error)

	// UserBySubject returns the user with this subject: see User.Subject. workqueue.ErrNotFound
	// if there is none.
	UserBySubject(ctx context.Context, subject string) (User, error)

	// Users lists all users by name.
	Users(ctx context.Context) ([]User, error)

	// SignInFailed counts a failed attempt and locks the user for AccountLockedFor. The audit log has one
	// entry for the attempts of an address in RefusedWindow, with their number.
	// workqueue.ErrNotFound if there is no such user.
	SignInFailed(ctx context.Context, userID int64) error

	// SignInRefused records an attempt that was refused whatever it was, because the user is locked
	// or disabled, or has no role any more. It is part of the same entry of the audit log, and locks
	// nobody. workqueue.ErrNotFound if there is no such user.
	SignInRefused(ctx context.Context, userID int64) error

	// CreateSession starts a session, sets the user's failures to 0, and returns the session
	// with its user. workqueue.ErrNotFound if there is no such user, or the user is disabled or
	// has another password than that of the parameters.
	CreateSession(ctx context.Context, p NewSessionParams) (Session, error)

	// SessionsByHash returns the sessions with these hashes that have not ended, of users who are
	// not disabled, by their hashes.
	SessionsByHash(ctx context.Context, hashes []string) (map[string]Session, error)

	// UsedSession records that a session is used now, and extends its idle time by idle, but not
	// beyond its end. It has no effect if the session has ended.
	UsedSession(ctx context.Context, id int64, idle time.Duration) error

	// EndSession ends one session, EndSessions all of a user. They return how many ended, which
	// the audit log has, too.
	EndSession(ctx context.Context, id int64) (int, error)
	EndSessions(ctx context.Context, userID int64) (int, error)

	// Sessions lists the sessions of a user that have not ended in the order of their ids, without
	// the user in them. It lists none for a user who does not exist.
	Sessions(ctx context.Context, userID int64) ([]Session, error)

	// CreateLink stores a sign-in link of a user that is valid for the given time, once. It is in
	// the audit log, because its owner signs in as the user.
	// workqueue.ErrNotFound if there is no such user, or the user is disabled.
	CreateLink(ctx context.Context, userID int64, hash string, valid time.Duration) error

	// UseLink ends a link and returns its user, in one statement, so that no two calls succeed.
	// ErrLinkUsed if it is not valid, or the user is disabled.
	UseLink(ctx context.Context, hash string) (User, error)
}

// AnswerStore keeps the answers to requests with an Idempotency-Key.
type AnswerStore interface {
	// BeginAnswer reserves the key of a request, or returns the answer that the key has. It
	// returns ErrKeyReused if the key is that of a request with another hash, and ErrKeyInUse if
	// the other request has not been answered and began less than patience ago. found is false
	// if the caller must process the request now. An answer that is older than AnswerAge no
	// longer counts.
	BeginAnswer(ctx context.Context, a Answer, patience time.Duration) (answer Answer, found bool, err error)

	// KeepAnswer stores the answer of a request whose key is reserved. workqueue.ErrNotFound if it
	// is not, because the request took longer than the patience of another caller.
	KeepAnswer(ctx context.Context, a Answer) error

	// DropAnswer frees a reserved key, because the request failed and changed nothing. It has no
	// effect on an answer.
	DropAnswer(ctx context.Context, caller, key string) error
}

// Cleaner removes what has ended.
type Cleaner interface {
	// CleanAccess removes, up to limit of each, answers that are older than AnswerAge, sessions
	// that have ended, expired links, and tokens that were revoked or have expired longer ago than
	// TokenAge. It returns their number. A limit of 0, or one above 1,000, means 1,000.
	CleanAccess(ctx context.Context, limit int) (int, error)
}

// Store keeps everything of this package.
type Store interface {
	TokenStore
	UserStore
	AnswerStore
	Cleaner
}
