package pipelines

// The codes of what this package finds in a pipeline. Those of the YAML itself
// (yaml-syntax, unknown-key, wrong-type, invalid-value …) are in package
// strictyaml, those of a handler's parameters (unknown-parameter,
// missing-parameter, wrong-type, wrong-value) in package handlers.
const (
	// The pipeline as a whole.
	CodeInvalidName     = "invalid-name"     // a pipeline's or step's name with a sign that it may not hold
	CodeNoSteps         = "no-steps"         // `steps` is an empty list
	CodeInvalidSchema   = "invalid-schema"   // `input` is no JSON Schema
	CodeInvalidValue    = "invalid-value"    // a value outside its bounds
	CodeNoEffect        = "no-effect"        // a key that changes nothing where it stands
	CodeUnreachableStep = "unreachable-step" // a step before it always ends the pipeline

	// Triggers.
	CodeEmptyTrigger    = "empty-trigger"    // neither cron nor every, atStart or wake
	CodeWakeScope       = "wake-scope"       // wake without scope: each-worker
	CodeTwoSchedules    = "two-schedules"    // both cron and every
	CodeInvalidSchedule = "invalid-schedule" // a cron expression or interval that cannot be
	CodeUnknownTimezone = "unknown-timezone" // a zone that the zone database does not have

	// Steps.
	CodeUnknownHandler  = "unknown-handler"   // no handler of that name
	CodeDuplicateStep   = "duplicate-step"    // two steps of one name
	CodeExpressionInKey = "expression-in-key" // an expression in a key of `with`

	// Warnings, beside no-effect.
	CodeRetryMultiplies = "retry-multiplies" // a step is repeated, and so is its item, by default
	CodeTimeoutTooLong  = "timeout-too-long" // a step's timeout that the run's cuts short
	CodeWaitsTooLong    = "waits-too-long"   // attempts of a step that begin when the run is over

	// Expressions.
	CodeBareBraces         = "bare-braces"         // {{ payload.x }} without a dollar
	CodeUnclosedExpression = "unclosed-expression" // ${{ without }}
	CodeMixedCondition     = "mixed-condition"     // an `if` with text around its expression
	CodeExpressionSyntax   = "expression-syntax"   // not an expression
	CodeExpressionType     = "expression-type"     // an operation that its values cannot do
	CodeUnknownVariable    = "unknown-variable"    // a name or field that does not exist
	CodeUnknownField       = "unknown-field"       // payload.x, and the input's schema has no x
	CodeUnknownStep        = "unknown-step"        // steps.x, and no step x
	CodeLaterStep          = "later-step"          // steps.x, and x has not run by then
	CodeUnknownSecret      = "unknown-secret"      // secrets.x, and no secret x
	CodeSecretVariable     = "secret-variable"     // env.X, and a setting reads X as a secret

	// Files and references.
	CodeNoFolder          = "no-folder"          // the pipelines folder is not there
	CodeUnreadableFile    = "unreadable-file"    // a file that could not be read
	CodeDuplicatePipeline = "duplicate-pipeline" // two files with one name
	CodeUnknownPipeline   = "unknown-pipeline"   // an item names a pipeline that does not exist
	CodeBrokenPipeline    = "broken-pipeline"    // an item names a pipeline whose file has mistakes
	CodeTriggeredPipeline = "triggered-pipeline" // an item names a pipeline that a trigger starts
)
