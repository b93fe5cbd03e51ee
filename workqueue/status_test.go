package workqueue

import "testing"

func TestStatusOf(t *testing.T) {
	for _, l := range Lifecycles() {
		if StatusOf(l, nil) == statusUnknown {
			t.Errorf("the lifecycle %s has no status", l)
		}
	}
	for kind, want := range map[ErrorKind]Status{
		KindError: StatusFailed, KindTimeout: StatusFailed, KindPermanent: StatusFailed, KindPanic: StatusFailed, KindPoison: StatusFailed,
		KindBusiness: StatusBusinessError, KindCancelled: StatusCancelled, KindExpired: StatusExpired,
	} {
		if got := StatusOf(LifeArchived, &kind); got != want {
			t.Errorf("an archived item of the kind %s is %s, want %s", kind, got, want)
		}
		if got := StatusOf(LifeRetry, &kind); got != StatusRetry {
			t.Errorf("an item that waits for its retry after %s is %s, want %s", kind, got, StatusRetry)
		}
	}
}

func TestParseStatus(t *testing.T) {
	for _, s := range Statuses() {
		if got, err := ParseStatus(string(s)); err != nil || got != s {
			t.Errorf("ParseStatus(%q) = %q, %v", s, got, err)
		}
	}
	if got, err := ParseStatus("business-ERROR"); err != nil || got != StatusBusinessError {
		t.Errorf("ParseStatus = %q, %v, want %q", got, err, StatusBusinessError)
	}
	for _, wrong := range []string{"", "active", "business"} {
		if _, err := ParseStatus(wrong); err == nil {
			t.Errorf("ParseStatus(%q) has no error", wrong)
		}
	}
}
