-- session: the setting that ends sessions idle in a transaction, as each new session has it by the
-- server, the database or the role: a SET through a pooler reaches some sessions only.
-- Out: the setting in milliseconds, 0 for none; the role
SELECT CAST(s.reset_val AS bigint), CAST(current_user AS text)
FROM pg_settings s WHERE s.name = 'idle_in_transaction_session_timeout';
