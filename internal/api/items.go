package api

func (a *API) registerItems() {
	a.registerItemLists()
	a.registerItemCreation()
	a.registerItemImport()
	a.registerItemReads()
	a.registerItemChanges()
	a.registerItemsChanges()
}
