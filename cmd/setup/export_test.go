package setup

import "botwork/cmd/internal/projectdir"

var (
	SchemaLine      = schemaLine
	ProjectSettings = projectSettings
	SchemaKinds     = schemaKinds
	SchemaFile      = schemaFile
	MergeCode       = mergeCode
	WithSchemaLine  = withSchemaLine
)

const (
	CodeExtensions = codeExtensions
	CodeSettings   = codeSettings
	PipelineSchema = pipelineSchema
	SettingsSchema = settingsSchema
	YamlExtension  = yamlExtension
)

// NewProject returns the files of a new project by their paths.
func NewProject(a *projectdir.App) (map[string]string, error) {
	files, err := (&command{a}).newProject()
	texts := map[string]string{}
	for _, f := range files {
		texts[f.path] = string(f.data)
	}
	return texts, err
}
