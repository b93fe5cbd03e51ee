package pipelines_test

import (
	"context"
	"fmt"
	"strings"

	"botwork/handlers"
	"botwork/pipelines"
	"botwork/workqueue"

	"github.com/rs/zerolog"
)

// upper is a handler with one parameter.
type upper struct {
	Text string `json:"text" doc:"what to write in capitals" required:"true"`
}

func (u *upper) Handle(context.Context, *handlers.Call) (any, error) {
	return strings.ToUpper(u.Text), nil
}

func Example() {
	registry := handlers.NewRegistry()
	registry.MustRegister(handlers.Kind{Name: "Upper", New: func() handlers.Handler { return &upper{} }})
	compiler := pipelines.NewCompiler(registry, pipelines.Options{})
	engine := pipelines.NewEngine(pipelines.EngineOptions{Log: zerolog.Nop()})

	p, findings := compiler.Parse("Greet.yaml", []byte(`
steps:
  - handler: Upper
    with: {text: "hello ${{ payload.name }}"}
  - handler: Upper
    if: payload?.loud ?? false
    with: {text: "${{ input }}!"}
`))
	fmt.Println(len(findings), "findings")
	result := engine.Run(context.Background(), p, pipelines.RunInput{Payload: workqueue.JSONText(`{"name": "Ana"}`)})
	fmt.Println(result.Value, result.Steps[1].Status)

	_, findings = compiler.Parse("Wrong.yaml", []byte("steps:\n  - handler: Uper\n  - handler: Upper\n    with: {text: \"${{ paylod.name }}\"}\n"))
	fmt.Println(findings)
	// Output:
	// 0 findings
	// HELLO ANA skipped
	// Wrong.yaml:2:14: steps[0].handler: unknown handler "Uper" [unknown-handler]; did you mean "Upper"?
	// Wrong.yaml:4:23: unknown name "paylod" [unknown-variable]; did you mean "payload"?
}
