package simulation

import (
	"context"
	"time"

	"botwork/workqueue"
)

// A simulation has no robots.

func (l link) Checkout(context.Context, workqueue.CheckoutParams) (workqueue.Checkout, error) {
	return workqueue.Checkout{}, errRefused
}
func (l link) PeekItems(context.Context, workqueue.CheckoutParams) ([]workqueue.Item, error) {
	return nil, errRefused
}
func (l link) RobotItem(context.Context, workqueue.Hold) (workqueue.Item, error) {
	return workqueue.Item{}, errRefused
}
func (l link) ExtendCheckout(context.Context, workqueue.Hold, time.Duration) (time.Time, error) {
	return time.Time{}, errRefused
}
func (l link) RobotProgress(context.Context, workqueue.Hold, workqueue.RobotNote) error {
	return errRefused
}
func (l link) FinishCheckout(context.Context, workqueue.Hold, workqueue.RobotEnd) (workqueue.RobotEnded, error) {
	return workqueue.RobotEnded{}, errRefused
}
func (l link) PostponeCheckout(context.Context, workqueue.Hold, workqueue.Postponement) (workqueue.RobotEnded, error) {
	return workqueue.RobotEnded{}, errRefused
}

func (l link) ReleaseCheckout(context.Context, workqueue.Hold, string) error { return errRefused }
func (l link) DeleteCheckout(context.Context, workqueue.Hold, string) error  { return errRefused }
func (l link) RobotEnqueue(context.Context, string, workqueue.BatchPart, []workqueue.NewItem, *workqueue.CheckoutOnEnqueue) (workqueue.RobotEnqueued, error) {
	return workqueue.RobotEnqueued{}, errRefused
}
func (l link) RobotChange(context.Context, string, int64, workqueue.RobotChange) error {
	return errRefused
}
func (l link) ReleaseFromRobot(context.Context, int64, string) error { return errRefused }
func (l link) ChangeCheckout(context.Context, workqueue.Hold, workqueue.RobotChange) error {
	return errRefused
}
func (l link) RobotDelete(context.Context, string, string, string, string) (int, error) {
	return 0, errRefused
}
