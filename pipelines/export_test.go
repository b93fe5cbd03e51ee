package pipelines

import "botwork/handlers"

// CorpusRegistry has the kinds that the files of testdata/lint name.
func CorpusRegistry() *handlers.Registry { return registry(nil) }
