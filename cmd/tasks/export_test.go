package tasks

type WindowView = windowView

type ScopedItem = scopedItem
