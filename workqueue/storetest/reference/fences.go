package reference

import "botwork/workqueue"

// fencesOfEpoch is how many fences an epoch has.
const fencesOfEpoch = 1_000_000_000

// nextFence returns the next fence of an item with a fence: one more, and above all
// fences of earlier epochs.
func (m *Model) nextFence(fence int64) int64 { return max(fence, m.Epoch*fencesOfEpoch) + 1 }

// follows reports whether a fence can be the next after another one, in the epoch of
// that or in a later one.
func follows(fence, before int64) bool {
	return fence == before+1 || fence > before && fence%fencesOfEpoch == 1
}

// checkEpoch begins another epoch if a worker holds a claim that the database has lost:
// the item has a smaller fence. If the database lost the claim before the current epoch,
// the epoch does not change.
func (m *Model) checkEpoch(held []workqueue.ItemRef) {
	lost, highest := false, int64(0)
	for _, ref := range held {
		it := m.Items[ref.ItemID]
		lost = lost || it != nil && it.Fence < ref.Fence
		highest = max(highest, ref.Fence)
	}
	if lost && m.Epoch <= highest/fencesOfEpoch {
		m.Epoch++
	}
}
