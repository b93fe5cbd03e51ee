package doctor

import (
	"context"
	"errors"
	"fmt"

	"botwork/internal/keyring"
)

// keyset encrypts and decrypts a text, and checks who may read the keys.
func (d *Doctor) keyset(context.Context) []Result {
	k := d.o.Keyset
	switch {
	case !k.Named:
		return ok("the settings name none: encrypted queues cannot be used")
	case k.Error != nil:
		return fault(firstLines(k.Error.Error()), "copy the keyset of the other workers to this machine; `botwork keys list` shows the keys of a keyset")
	}
	const text = "botwork doctor"
	sealed, err := k.Keys.Seal(text, "doctor")
	if err == nil {
		var opened string
		if opened, err = k.Keys.Open(sealed, "doctor"); err == nil && opened != text {
			err = fmt.Errorf("the decrypted text differs")
		}
	}
	if err != nil {
		return fault("cannot decrypt a text that the keyset has encrypted: "+err.Error(), "the keyset is damaged: restore it from a backup")
	}
	found := describe(k.Keys.Keys())
	if k.File == "" {
		return ok(found)
	}
	found += ", in " + k.File
	if d.account.name != "" {
		if err := d.account.mayUse(k.File, toRead); errors.Is(err, errUnknown) {
			return []Result{unknownResult(err)}
		} else if err != nil {
			return fault(found+"; "+err.Error(), "allow only "+d.account.name+" to read the file")
		}
	}
	others, err := openToOthers(k.File)
	if err != nil {
		return warning(found+"; cannot determine who may read it: "+err.Error(), "make sure that only the service may read it")
	}
	if others != "" {
		return warning(found+"; it can be read by "+others, "everyone who can read it can decrypt the items: "+onlyOwner(k.File, d.account))
	}
	return ok(found)
}

func describe(keys []keyring.Key) string {
	enabled := 0
	var primary uint32
	for _, key := range keys {
		if key.Status == keyring.Enabled {
			enabled++
		}
		if key.Primary {
			primary = key.ID
		}
	}
	return fmt.Sprintf("%s, %d enabled; the primary key is %d", counted(len(keys), "key"), enabled, primary)
}
