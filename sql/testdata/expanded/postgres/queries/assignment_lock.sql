SELECT pg_advisory_xact_lock(4902310277);
