SELECT pg_advisory_xact_lock(4902310277), set_config('lock_timeout', '1000', TRUE);
