package pipelines

import "botwork/internal/operations"

type DiffView = operations.Diff

type TextView = operations.Version

type PipelineView = operations.Pipeline

type FiringView = operations.ComingRun

type RunStepView = runStepView

type TestsView = testsView

const StopWithin = stopWithin
