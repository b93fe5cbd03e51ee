package cli

import (
	"botwork/internal/author/strictyaml"
	"botwork/internal/keyring"
	"botwork/pipelines"
	"botwork/workqueue"
)

// Keyring reads the keys of the settings; nil if they name none. Its error is a
// strictyaml.Findings that shows nothing of the keyset.
func (s *Settings) Keyring() (*keyring.Keyring, error) {
	if !s.Config.HasKeyset() {
		return nil, nil
	}
	k, err := keyring.Parse(s.Config.Encryption.Keyset.Reveal())
	if err != nil {
		return nil, strictyaml.Findings{s.Config.KeysetFinding(err.Error())}
	}
	return k, nil
}

// Cipher is what the store seals with; nil without keys.
func (s *Settings) Cipher() (workqueue.Cipher, error) {
	k, err := s.Keyring()
	if err != nil || k == nil {
		return nil, err // not k: an interface that holds nil is not nil
	}
	return k, nil
}

// keyMaterial is what no log may show of the keys. A keyset that cannot be used
// holds none: what goes on without the database goes on.
func (s *Settings) keyMaterial() []string {
	k, err := s.Keyring()
	if err != nil || k == nil {
		return nil
	}
	return k.Material()
}

// Secrets are those of the settings by name, as pipelines see them.
func (s *Settings) Secrets() map[string]string {
	plain := make(map[string]string, len(s.Config.Secrets))
	for name, secret := range s.Config.Secrets {
		plain[name] = secret.Reveal()
	}
	return plain
}

// Redactor hides the values of all secrets, the passwords in DSNs, and the keys.
func (s *Settings) Redactor() *pipelines.Redactor {
	return pipelines.NewRedactor(append(s.keyMaterial(), s.Config.SecretValues()...)...)
}
