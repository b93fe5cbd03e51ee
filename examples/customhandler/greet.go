package main

import (
	"context"
	"fmt"

	"botwork/handlers"
)

var greetKind = handlers.Kind{
	Name: "Greet", Summary: "Greet somebody",
	Doc:     "Makes a greeting. It is safe to run twice: it changes nothing.",
	Output:  "the greeting, a text.",
	Gives:   handlers.Always(handlers.TextShape), // the same for the checker of expressions
	Example: "- handler: Greet\n  with: {name: Ada}\n",
	New:     func() handlers.Handler { return &greet{Greeting: "Hello"} }, // the defaults
}

// greet is the parameters of a step; a pipeline that names others, or leaves out
// the name, is refused before it runs.
type greet struct {
	Name     string `json:"name" required:"true" doc:"whom to greet"`
	Greeting string `json:"greeting" enum:"Hello,Welcome,Olá" doc:"how to begin"`
}

func (g *greet) Handle(_ context.Context, call *handlers.Call) (any, error) {
	call.Log.Info().Str("name", g.Name).Msg("greeting somebody")
	return fmt.Sprintf("%s, %s!", g.Greeting, g.Name), nil
}
