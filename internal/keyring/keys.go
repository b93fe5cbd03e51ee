package keyring

import (
	"slices"
	"strings"

	"github.com/tink-crypto/tink-go/v2/keyset"
)

// Enabled is the status of a key that seals or opens. Others are "disabled" and
// "destroyed".
const Enabled = "enabled"

// Key is what may be shown of a key.
type Key struct {
	// ID is what a sealed text says of its key. It is random, and no secret.
	ID uint32 `json:"id"`

	// Type is Tink's name of the algorithm, such as AesGcmKey.
	Type string `json:"type"`

	// Status is "enabled", "disabled" or "destroyed". Only an enabled key opens
	// texts.
	Status string `json:"status"`

	// Primary is true for the one key of a keyset that seals.
	Primary bool `json:"primary"`

	// TextsBegin begins every text that this key has sealed, to look for them
	// in the database.
	TextsBegin string `json:"textsBegin"`
}

// Keys lists the keys in the order in which they were added.
func (k *Keyring) Keys() []Key { return slices.Clone(k.keys) }

func list(handle *keyset.Handle) []Key {
	info := handle.KeysetInfo() // holds no key material
	keys := make([]Key, len(info.GetKeyInfo()))
	for i, key := range info.GetKeyInfo() {
		keys[i] = Key{
			ID: key.GetKeyId(), Type: strings.TrimPrefix(key.GetTypeUrl(), typePrefix),
			Status:  strings.ToLower(key.GetStatus().String()),
			Primary: key.GetKeyId() == info.GetPrimaryKeyId(), TextsBegin: textsBegin(key.GetKeyId()),
		}
	}
	return keys
}
