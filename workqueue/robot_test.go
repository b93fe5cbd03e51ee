package workqueue_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
)

func TestRobotMay(t *testing.T) {
	listed := []workqueue.QueueRobot{{Robot: "reader", Read: true}, {Robot: "writer", Write: true}, {Robot: "idle"}}
	read, write := workqueue.RightRead, workqueue.RightWrite
	for _, c := range []struct {
		private bool
		robot   string
		may     []workqueue.Right
	}{
		{false, "reader", []workqueue.Right{read, write}},
		{false, "stranger", []workqueue.Right{read, write}},
		{true, "reader", []workqueue.Right{read}},
		{true, "writer", []workqueue.Right{write}},
		{true, "idle", nil},
		{true, "stranger", nil},
		{true, "Reader", nil},
		{true, "", nil},
	} {
		q := &workqueue.Queue{Name: "q", QueueAccess: workqueue.QueueAccess{Private: c.private, Robots: listed}}
		for _, right := range []workqueue.Right{read, write} {
			err := q.RobotMay(c.robot, right)
			refused, isAccess := errors.AsType[*workqueue.AccessError](err)
			switch may := slices.Contains(c.may, right); {
			case may && err != nil:
				t.Errorf("private %t: %q may not %s: %v", c.private, c.robot, right, err)
			case !may && (!isAccess || refused.Robot != c.robot || refused.Queue != "q" || refused.Right != right || refused.Hint == ""):
				t.Errorf("private %t: %q may %s? got %v, want an *AccessError", c.private, c.robot, right, err)
			}
		}
	}
}

func TestMayDelete(t *testing.T) {
	ann, bob := "ann", "bob"
	own := &workqueue.Queue{Name: "q", QueueAccess: workqueue.QueueAccess{RobotDeletesOnlyOwn: true}}
	for _, c := range []struct {
		name    string
		item    workqueue.Item
		refused string // a part of the error; "" if it is allowed
	}{
		{"its own", workqueue.Item{CreatedBy: &ann}, ""},
		{"its own finished item", workqueue.Item{CreatedBy: &ann, State: workqueue.Processed}, ""},
		{"another robot's", workqueue.Item{CreatedBy: &bob}, "it did not enqueue this one"},
		{"without a creator", workqueue.Item{}, "it did not enqueue this one"},
		{"its own item that a robot has checked out", workqueue.Item{CreatedBy: &ann, State: workqueue.Blocked, Robot: &bob}, "a robot has checked it out"},
		{"its own item that a worker runs", workqueue.Item{CreatedBy: &ann, State: workqueue.Blocked, WorkerID: new(int64)}, "a worker has it"},
	} {
		err := own.MayDelete(ann, &c.item)
		if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.refused)
		}
	}
}

func TestCheckoutParams(t *testing.T) {
	p, err := workqueue.CheckoutParams{Robot: "ann"}.Normal()
	if err != nil || p.Queue != workqueue.DefaultQueue || p.Max != 1 || p.Lease != 0 {
		t.Errorf("the defaults are %+v, %v", p, err)
	}
	_, err = workqueue.CheckoutParams{
		Robot: " ", Max: -1, Lease: -time.Second, Filter: workqueue.CheckoutFilter{Tries: []workqueue.Tries{"old"}},
	}.Normal()
	for _, fault := range []string{"robot: got no name", "max: got -1", "lease: got -1s", `tries: got "old"`} {
		if err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want all faults, %q among them", err, fault)
		}
	}
	// Characters are counted like in SQL Server: 100 characters of two units fill a name.
	if err := workqueue.CheckRobot(strings.Repeat("🤖", 100)); err != nil {
		t.Errorf("a name of 200 units: %v", err)
	}
	if err := workqueue.CheckRobot(strings.Repeat("🤖", 100) + "r"); err == nil {
		t.Error("a name of 201 units: no error")
	}
	for text, want := range map[string]workqueue.Tries{"new": workqueue.TriesNew, "Failed-Again": workqueue.TriesFailedAgain} {
		if got, err := workqueue.ParseTries(text); err != nil || got != want {
			t.Errorf("ParseTries(%q) = %q, %v", text, got, err)
		}
	}
}

func TestLockKeys(t *testing.T) {
	a, b := workqueue.NewLockKey(), workqueue.NewLockKey()
	if a == b || len(a) < 26 {
		t.Errorf("keys %q and %q, want two of 26 letters and digits or more", a, b)
	}
	// echo -n abc | sha256sum
	if got := workqueue.LockKeyHash("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("LockKeyHash(abc) = %s, want its SHA-256", got)
	}
}

func TestEndByRobot(t *testing.T) {
	began := time.Date(2026, 1, 31, 13, 0, 0, 0, time.UTC)
	item := func() *workqueue.Item {
		return &workqueue.Item{ID: 7, Fence: 3, QueueName: "q", RetryCount: 1, StartedAt: &began, FirstStartedAt: &began}
	}
	broken := workqueue.RobotEnd{Kind: workqueue.KindError, Error: "no window\x00", Analytics: "{}\x00"}
	end := func(resilience workqueue.JSONText, e workqueue.RobotEnd) workqueue.Finish {
		t.Helper()
		q := &workqueue.Queue{Name: "q", Resilience: resilience}
		f, err := q.EndByRobot(item(), e, new(workqueue.Schemas), time.Minute, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := end(`{"limit":3,"delay":"10s","factor":2}`, broken)
	if f.ItemID != 7 || f.Fence != 3 || f.State != workqueue.Ready || f.RetryCount != 2 || f.Delay != 20*time.Second ||
		f.Error != "no window" || f.Analytics != "{}" || f.Attempt == nil || f.Attempt.Number != 2 {
		t.Errorf("a failure results in %+v", f)
	}
	if f := end(`{"limit":2}`, broken); f.State != workqueue.Cancelled || f.RetryCount != 2 {
		t.Errorf("the last failure results in %+v", f)
	}
	// Another attempt would begin 70 s after the first, including the time that the robot took.
	if f := end(`{"limit":9,"delay":"10s","factor":1,"within":"65s"}`, broken); f.State != workqueue.Cancelled || !strings.Contains(f.Error, "given up") {
		t.Errorf("a failure too late results in %+v", f)
	}
	// If a policy was broken by hand, the default policy applies.
	if f := end(`{"limit":`, broken); f.State != workqueue.Ready {
		t.Errorf("with a broken policy: %+v", f)
	}
	if f := end("", workqueue.RobotEnd{Output: `{"a":1}`}); f.State != workqueue.Processed || f.Output != `{"a":1}` || f.Attempt != nil || f.Error != "" {
		t.Errorf("a success results in %+v", f)
	}
	q := &workqueue.Queue{Name: "q"}
	if f := q.ReleaseByRobot(item(), ""); f.State != workqueue.Ready || f.RetryCount != 1 || f.Attempt == nil || f.Attempt.Outcome != "released" || f.Error == "" {
		t.Errorf("released: %+v", f)
	}
	if f := q.DropByRobot(item(), "x"); f.Delete != workqueue.DeletionPhysical || f.Error != "x" {
		t.Errorf("deleted: %+v", f)
	}
}
