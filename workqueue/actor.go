package workqueue

import "context"

// Actor is who makes a change, how, and why. A context carries it to the store, which
// records it with the change in the audit log.
type Actor struct {
	// Name is that of a person's account, a robot, a worker, or a rule; "" if unknown.
	Name string

	// Via is how the change is made; "" means ViaGo.
	Via Via

	// Host is the machine that the change comes from.
	Host string

	// Reason is what the person gave as the reason; "" for none. Unless Via is ViaCLI, the
	// reason that a call of the store has is used instead, if there is one.
	Reason string
}

// Via is how a change is made.
type Via string

// The ways of a change.
const (
	ViaCLI    Via = "cli"    // a command
	ViaAPI    Via = "api"    // the HTTP API
	ViaGo     Via = "go"     // a Go program that names no actor
	ViaRobot  Via = "robot"  // an operation of a robot
	ViaRule   Via = "rule"   // a handler of a pipeline, such as one that raises priorities
	ViaWorker Via = "worker" // a worker, such as one that defines the queues of its settings when it starts
)

type actorKey struct{}

// WithActor returns a context whose changes are made by this actor.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorFrom returns the actor of a context; without one, an unknown actor with ViaGo.
func ActorFrom(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	if a.Via == "" {
		a.Via = ViaGo
	}
	return a
}

// ByRule returns a context whose changes are made by this rule, on the machine of the
// context's actor.
func ByRule(ctx context.Context, rule string) context.Context {
	return WithActor(ctx, Actor{Name: rule, Via: ViaRule, Host: ActorFrom(ctx).Host})
}
