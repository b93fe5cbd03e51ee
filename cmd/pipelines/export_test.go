package pipelines

type DiffView = diffView

type TextView = textView

type PipelineView = pipelineView

type FiringView = firingView

type RunStepView = runStepView

type TestsView = testsView

const StopWithin = stopWithin
