package assign

import "botwork/internal/operations"

type DryPass = operations.DryPass
