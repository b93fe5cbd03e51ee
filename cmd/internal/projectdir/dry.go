package projectdir

import (
	"botwork/pipelines"
)

// DryEngine returns an engine for dry runs, with the secrets of the settings as far as there are any.
func DryEngine(a *App) *pipelines.Engine {
	secrets := a.Secrets()
	for name, value := range secrets {
		if value == "" { // there is no payload here, which is not an error of the pipeline
			secrets[name] = "<secret>"
		}
	}
	return pipelines.NewEngine(pipelines.EngineOptions{
		Env: pipelines.Environ(), SecretEnv: a.Config.SecretVariables(), Secrets: secrets, Values: a.Values(), WorkerName: a.Config.Worker.Name, Redactor: a.Redactor(),
	})
}
