package simulation

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// Tokens, users and answers belong to the API, which is not part of the processes.

func (l link) CreateToken(context.Context, access.NewTokenParams) (access.Token, error) {
	return access.Token{}, errRefused
}
func (l link) TokenByHash(context.Context, string) (access.Token, time.Time, error) {
	return access.Token{}, time.Time{}, errRefused
}
func (l link) Tokens(context.Context) ([]access.Token, error) { return nil, errRefused }
func (l link) RevokeToken(context.Context, int64, string) (bool, error) {
	return false, errRefused
}
func (l link) UsedTokens(context.Context, []int64) error { return errRefused }

func (l link) CreateUser(context.Context, access.UserParams) (access.User, error) {
	return access.User{}, errRefused
}
func (l link) ChangePassword(context.Context, access.PasswordChange) (access.User, error) {
	return access.User{}, errRefused
}
func (l link) ChangeUser(context.Context, access.UserParams) (access.User, error) {
	return access.User{}, errRefused
}
func (l link) DisableUser(context.Context, string, bool, string) (bool, error) {
	return false, errRefused
}
func (l link) User(context.Context, string) (access.User, time.Time, error) {
	return access.User{}, time.Time{}, errRefused
}
func (l link) UserBySubject(context.Context, string) (access.User, error) {
	return access.User{}, errRefused
}
func (l link) Users(context.Context) ([]access.User, error) { return nil, errRefused }
func (l link) SignInFailed(context.Context, int64) error    { return errRefused }
func (l link) SignInRefused(context.Context, int64) error   { return errRefused }

func (l link) CreateSession(context.Context, access.NewSessionParams) (access.Session, error) {
	return access.Session{}, errRefused
}
func (l link) SessionsByHash(context.Context, []string) (map[string]access.Session, error) {
	return nil, errRefused
}
func (l link) UsedSession(context.Context, int64, time.Duration) error { return errRefused }
func (l link) EndSession(context.Context, int64) (int, error)          { return 0, errRefused }
func (l link) EndSessions(context.Context, int64) (int, error)         { return 0, errRefused }
func (l link) Sessions(context.Context, int64) ([]access.Session, error) {
	return nil, errRefused
}
func (l link) CreateLink(context.Context, int64, string, time.Duration) error {
	return errRefused
}
func (l link) UseLink(context.Context, string) (access.User, error) {
	return access.User{}, errRefused
}

func (l link) BeginAnswer(context.Context, access.Answer, time.Duration) (access.Answer, bool, error) {
	return access.Answer{}, false, errRefused
}
func (l link) KeepAnswer(context.Context, access.Answer) error  { return errRefused }
func (l link) DropAnswer(context.Context, string, string) error { return errRefused }
func (l link) CleanAccess(context.Context, int) (int, error)    { return 0, errRefused }

// Notifications are evaluated outside of the processes of the simulation.

func (l link) AlertState(context.Context) (workqueue.AlertState, error) {
	return workqueue.AlertState{}, errRefused
}
func (l link) Happenings(context.Context, workqueue.HappeningFilter) ([]workqueue.Happening, error) {
	return nil, errRefused
}
func (l link) CommitAlerts(context.Context, workqueue.Evaluation) error { return errRefused }
func (l link) RaiseEvents(context.Context, []workqueue.Event) error     { return errRefused }
func (l link) MuteAlerts(context.Context, workqueue.Mute, time.Duration) error {
	return errRefused
}
func (l link) UnmuteAlerts(context.Context, string, string, string) (bool, error) {
	return false, errRefused
}
func (l link) RecordTest(context.Context, string) error { return errRefused }
