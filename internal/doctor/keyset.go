package doctor

import (
	"context"
	"errors"
	"fmt"

	"botwork/internal/keyring"
)

// keyset seals a text and opens it again, and looks who may read the keys.
func (d *Doctor) keyset(context.Context) []Result {
	k := d.o.Keyset
	switch {
	case !k.Named:
		return ok("the settings name none: encrypted queues cannot be used")
	case k.Error != nil:
		return fault(firstLines(k.Error.Error()), "give this machine the keyset that the other workers have; `botwork keys list` tells what is in one")
	}
	const text = "botwork doctor"
	sealed, err := k.Keys.Seal(text, "doctor")
	if err == nil {
		var opened string
		if opened, err = k.Keys.Open(sealed, "doctor"); err == nil && opened != text {
			err = fmt.Errorf("the text came back changed")
		}
	}
	if err != nil {
		return fault("a text that was sealed cannot be opened again: "+err.Error(), "the keyset is damaged: take it from the copy")
	}
	found := describe(k.Keys.Keys())
	if k.File == "" {
		return ok(found)
	}
	found += ", in " + k.File
	if d.account.name != "" {
		if err := d.account.mayUse(k.File, toRead); errors.Is(err, errNotKnown) {
			return []Result{notKnown(err)}
		} else if err != nil {
			return fault(found+"; "+err.Error(), "let "+d.account.name+" read the file, and nobody else")
		}
	}
	others, err := openToOthers(k.File)
	if err != nil {
		return warning(found+"; who may read it is not known: "+err.Error(), "see to it that only the service may read it")
	}
	if others != "" {
		return warning(found+"; it can be read by "+others, "whoever reads it reads the encrypted items: "+onlyOwner(k.File, d.account))
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
	return fmt.Sprintf("%s, %d enabled; key %d seals", counted(len(keys), "key"), enabled, primary)
}
