package tasks

import "botwork/internal/operations"

type WindowView = operations.Window

type ScopedItem = operations.ScopedItem
