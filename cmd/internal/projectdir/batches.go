package projectdir

import (
	"sync"

	"botwork/pipelines"
	"botwork/workqueue"
)

// ItemBatches returns a function that decides how new items of commands run together. It reads
// the pipelines when the first item needs them; files with errors count as not having a batch.
func (a *App) ItemBatches() func(*workqueue.NewItem) *workqueue.ItemBatch {
	catalogue := sync.OnceValue(func() *pipelines.Catalogue {
		checker, err := a.Checker()
		if err != nil {
			return nil
		}
		known, _, err := pipelines.LoadDir(checker.Compiler(), a.Config.Pipelines.Dir)
		if err != nil {
			return nil
		}
		return known
	})
	return func(it *workqueue.NewItem) *workqueue.ItemBatch {
		if it.IntegrationConfig == "" || workqueue.InlinePipeline(it.IntegrationConfig) {
			return nil
		}
		known := catalogue()
		if known == nil {
			return nil
		}
		return known.ItemBatch(it.IntegrationConfig, it.Payload)
	}
}
