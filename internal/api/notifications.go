package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"botwork/internal/operations"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func (a *API) registerNotifications() {
	register(a, operation{
		id: "notifications-list", method: http.MethodGet, path: "/notifications", summary: "List the rules of notifications with their alerts", needs: access.Viewer,
		doc: "The rules and targets are those of the server's settings, the alerts those of the database. The addresses of targets are secret.",
	}, a.listNotifications)
	register(a, operation{
		id: "notifications-test", method: http.MethodPost, path: "/notifications/targets/{target}/test", summary: "Send a test message to a target", needs: access.Operator,
		doc:     "The server sends it at once and answers with what the target said. The message does not go through the queue.",
		refuses: []int{http.StatusNotFound, http.StatusBadGateway},
	}, a.testTarget)
	register(a, operation{
		id: "notifications-mute", method: http.MethodPost, path: "/notifications/rules/{rule}/mute", summary: "Stop the messages of a rule, or of one of its groups, for a time", needs: access.Operator,
		doc: "A mute that exists is replaced. What would have been sent is dropped; what is still true when the mute ends is sent then.", refuses: []int{http.StatusNotFound},
	}, a.muteRule)
	register(a, operation{
		id: "notifications-unmute", method: http.MethodPost, path: "/notifications/rules/{rule}/unmute", summary: "End a mute", needs: access.Operator,
	}, a.unmuteRule)
}

type notificationsBody struct{ Body operations.Notifications }

type targetPath struct {
	Target string `path:"target" maxLength:"200" doc:"the target's name"`
}

type testAnswer struct {
	Body struct {
		Answer string `json:"answer" doc:"what the other side answered"`
	}
}

// RulePath is the path of a rule.
type RulePath struct {
	Rule string `path:"rule" maxLength:"200" doc:"the rule's name"`
}

type muteRequest struct {
	RulePath
	Body struct {
		Group  string             `json:"group,omitempty" maxLength:"450" doc:"one group of the rule, such as queue=orders; none: the whole rule"`
		For    workqueue.Duration `json:"for" maxLength:"50" doc:"how long, such as 2h: from 1m to 366d"`
		Reason string             `json:"reason,omitempty" maxLength:"1000" doc:"why, for people and for the audit log"`
	}
}

type unmuteRequest struct {
	RulePath
	Body *struct {
		Group  string `json:"group,omitempty" maxLength:"450" doc:"the group that was muted; none: the whole rule"`
		Reason string `json:"reason,omitempty" maxLength:"1000" doc:"why, for the audit log"`
	}
}

func (a *API) listNotifications(ctx context.Context, _ *struct{}) (*notificationsBody, error) {
	list, err := operations.Notified(ctx, a.store, &a.notify)
	return &notificationsBody{list}, err
}

func (a *API) testTarget(ctx context.Context, in *targetPath) (*testAnswer, error) {
	answer, err := operations.TestTarget(ctx, a.store, &a.notify, a.send, in.Target)
	if unknown := unknownName(err); unknown != nil {
		return nil, unknown
	}
	if refused := (*operations.RefusedTestError)(nil); errors.As(err, &refused) {
		return nil, problem(http.StatusBadGateway, "target-refused", "the message was not sent: %s", a.redactText(err.Error()))
	}
	out := &testAnswer{}
	out.Body.Answer = a.redactText(answer)
	return out, err
}

func (a *API) muteRule(ctx context.Context, in *muteRequest) (*struct{}, error) {
	if unknown := unknownName(operations.CheckRule(&a.notify, in.Rule)); unknown != nil {
		return nil, unknown
	}
	length := time.Duration(in.Body.For)
	if err := workqueue.CheckMute(length); err != nil {
		return nil, fault("body.for", "%v", err)
	}
	return nil, a.store.MuteAlerts(ctx, workqueue.Mute{Rule: in.Rule, Group: in.Body.Group, Reason: in.Body.Reason}, length)
}

func (a *API) unmuteRule(ctx context.Context, in *unmuteRequest) (*changed, error) {
	group, reason := "", ""
	if in.Body != nil {
		group, reason = in.Body.Group, in.Body.Reason
	}
	done, err := a.store.UnmuteAlerts(ctx, in.Rule, group, reason)
	out := &changed{}
	out.Body.Changed = done
	return out, err
}

// unknownName returns the problem of a rule or a target that does not exist; nil for another error.
func unknownName(err error) error {
	if unknown := (*operations.UnknownNameError)(nil); errors.As(err, &unknown) {
		return problem(http.StatusNotFound, "not-found", "%v", unknown).withHint(unknown.Hint)
	}
	return nil
}
