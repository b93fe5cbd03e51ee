INSERT INTO "BotQueues"
    ("Name", "DefinedBy", "OverriddenBy", "OverriddenAt", "CreatedAt", "UpdatedAt",
    "Description", "Consumer", "PriorityOffset", "ResilienceConfig", "RetryAs", "KeyScope", "DeletedKeysCount",
    "TtlMs", "RetainMs", "ArchiveAgeMs", "ArchiveLimit", "Deletion", "PayloadSchema", "OutputSchema",
    "AnalyticsSchema", "Encrypted", "PublicAccess", "RobotDeletesOnlyOwn", "CheckoutMs", "ConcurrencyLimit",
    "KeyConcurrencyLimit", "RateLimit", "RatePeriodMs", "KeyRateLimit", "KeyRatePeriodMs", "Distribution", "MaxReleases", "MaxPayload", "MaxOutput", "KeepLog", "OnExpiry", "Payloads", "Escalation")
VALUES
    (@name, @by, CAST(@overridden_by AS varchar), CASE WHEN CAST(@overridden_by AS varchar) IS NULL THEN NULL ELSE CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)) END, CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    CAST(COALESCE(CAST(@now AS timestamptz), statement_timestamp()) AS timestamptz(3)),
    @description, @consumer, @priority_offset, @resilience_config, @retry_as, @key_scope, @deleted_keys_count,
    @ttl_ms, @retain_ms, @archive_age_ms, @archive_limit, @deletion, @payload_schema, @output_schema,
    @analytics_schema, @encrypted, @public_access, @robot_deletes_only_own, @checkout_ms, @concurrency_limit,
    @key_concurrency_limit, @rate_limit, @rate_period_ms, @key_rate_limit, @key_rate_period_ms, @distribution,
    @max_releases, @max_payload, @max_output, @keep_log, @on_expiry, @payloads, @escalation);
