package cmd

import (
	"botwork/internal/author/strictyaml"
	"botwork/internal/keyring"
	"botwork/workqueue"
)

// keyring reads the keys of the settings; nil if they name none. Its error is a
// strictyaml.Findings that shows nothing of the keyset.
func (a *app) keyring() (*keyring.Keyring, error) {
	if !a.cfg.HasKeyset() {
		return nil, nil
	}
	k, err := keyring.Parse(a.cfg.Encryption.Keyset.Reveal())
	if err != nil {
		return nil, strictyaml.Findings{a.cfg.KeysetFinding(err.Error())}
	}
	return k, nil
}

// cipher is what the store seals with; nil without keys.
func (a *app) cipher() (workqueue.Cipher, error) {
	k, err := a.keyring()
	if err != nil || k == nil {
		return nil, err // not k: an interface that holds nil is not nil
	}
	return k, nil
}

// keyMaterial is what no log may show of the keys. A keyset that cannot be used
// holds none: what goes on without the database goes on.
func (a *app) keyMaterial() []string {
	k, err := a.keyring()
	if err != nil || k == nil {
		return nil
	}
	return k.Material()
}
