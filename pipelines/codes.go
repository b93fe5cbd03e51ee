package pipelines

// The codes of findings in a pipeline. Package strictyaml has those of the YAML itself
// (yaml-syntax, unknown-key, wrong-type, invalid-value …), package handlers those of a
// handler's parameters (unknown-parameter, missing-parameter, wrong-type, wrong-value).
const (
	// The pipeline as a whole.
	CodeInvalidName     = "invalid-name"     // a pipeline's or step's name with a character that is not allowed
	CodeNoSteps         = "no-steps"         // `steps` is an empty list
	CodeInvalidSchema   = "invalid-schema"   // `input` is not a JSON Schema
	CodeUnknownKeyword  = "unknown-keyword"  // `input` has a keyword that JSON Schema does not have
	CodeInvalidValue    = "invalid-value"    // a value out of range
	CodeNoEffect        = "no-effect"        // a key without an effect here
	CodeUnreachableStep = "unreachable-step" // an earlier step always ends the pipeline

	// Triggers.
	CodeEmptyTrigger    = "empty-trigger"    // neither cron nor every, atStart or wake
	CodeWakeScope       = "wake-scope"       // wake without scope: each-worker
	CodeTwoSchedules    = "two-schedules"    // both cron and every
	CodeInvalidSchedule = "invalid-schedule" // an invalid cron expression or interval
	CodeUnknownTimezone = "unknown-timezone" // not in the IANA time zone database

	// Steps.
	CodeUnknownHandler  = "unknown-handler"   // no handler of that name
	CodeDuplicateStep   = "duplicate-step"    // two steps of one name
	CodeTwoKinds        = "two-kinds"         // a step with two of handler, steps and uses
	CodeTooDeep         = "too-deep"          // too many blocks in one another
	CodeNotAList        = "not-a-list"        // `foreach` over a text or a number
	CodeExpressionInKey = "expression-in-key" // an expression in a key of `with`

	// Warnings, in addition to no-effect.
	CodeRetryMultiplies = "retry-multiplies" // both a step and, by default, its item are retried
	CodeTimeoutTooLong  = "timeout-too-long" // a step's timeout is longer than that of the run
	CodeWaitsTooLong    = "waits-too-long"   // attempts of a step that would begin after the run's timeout
	CodeEndlessLoop     = "endless-loop"     // items that snooze or enqueue one another without end

	CodeLiteralSecret = "literal-secret" // a password in the file
	CodeSecretInText  = "secret-in-text" // a secret in a text for people

	// Expressions.
	CodeBareBraces         = "bare-braces"         // {{ payload.x }} without a dollar
	CodeWithoutOutput      = "without-output"      // steps.x, where steps.x.output is meant
	CodeUnclosedExpression = "unclosed-expression" // ${{ without }}
	CodeMixedCondition     = "mixed-condition"     // an `if` with text before or after its expression
	CodeExpressionSyntax   = "expression-syntax"   // not an expression
	CodeExpressionType     = "expression-type"     // an operation that does not fit the types of its values
	CodeUnknownVariable    = "unknown-variable"    // a name or field that does not exist
	CodeUnknownField       = "unknown-field"       // payload.x, and the input's schema has no x
	CodeUnknownStep        = "unknown-step"        // steps.x, and no step x
	CodeLaterStep          = "later-step"          // steps.x, and step x runs later
	CodeUnknownSecret      = "unknown-secret"      // secrets.x, and no secret x
	CodeUnsetValue         = "unset-value"         // values.x, and the settings do not set x
	CodeSecretVariable     = "secret-variable"     // env.X, and a setting reads X as a secret

	// Files and references.
	CodeNoFolder          = "no-folder"          // the pipelines folder does not exist
	CodeUnreadableFile    = "unreadable-file"    // a file that could not be read
	CodeDuplicatePipeline = "duplicate-pipeline" // two files with one name
	CodeUnknownPipeline   = "unknown-pipeline"   // an item names a pipeline that does not exist
	CodeBrokenPipeline    = "broken-pipeline"    // an item names a pipeline whose file has errors
	CodeCallCycle         = "call-cycle"         // pipelines that call one another without end
	CodeInvalidPayload    = "invalid-payload"    // a payload that the input of a pipeline does not allow
	CodeTriggeredPipeline = "triggered-pipeline" // an item names a pipeline that a trigger starts
)
