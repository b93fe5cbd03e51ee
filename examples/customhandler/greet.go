package main

import (
	"context"
	"fmt"

	"botwork/handlers"
)

var greetKind = handlers.Kind{
	Name: "Greet", Summary: "Greet a person",
	Doc:         "Creates a greeting. It is safe to run twice: it changes nothing.",
	Output:      "the greeting, a text.",
	OutputShape: handlers.Always(handlers.TextShape), // the shape of the output, for the checker of expressions
	Example:     "- handler: Greet\n  with: {name: Ada}\n",
	New:         func() handlers.Handler { return &greet{Greeting: "Hello"} }, // with the default values
}

// greet has the parameters of a step. A step with other parameters, or without a name, is
// rejected before it runs.
type greet struct {
	Name     string `json:"name" required:"true" doc:"the name of the person"`
	Greeting string `json:"greeting" enum:"Hello,Welcome,Olá" doc:"the first word"`
}

func (g *greet) Handle(_ context.Context, call *handlers.Call) (any, error) {
	call.Log.Info().Str("name", g.Name).Msg("greeting a person")
	return fmt.Sprintf("%s, %s!", g.Greeting, g.Name), nil
}
