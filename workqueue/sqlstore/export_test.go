package sqlstore

// ForgetPolicies makes the next insert read the queues anew, so that a test knows
// which statements it sends.
func (s *Store) ForgetPolicies() {
	s.policies.mu.Lock()
	defer s.policies.mu.Unlock()
	s.policies.queues = nil
}
