package assign

type DryPass = dryPass
