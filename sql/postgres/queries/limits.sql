-- limits: the queues that have limits.
-- Out: name, items held, of a key, starts and their period in ms, of a key; NULL for no limit. By name.
SELECT q."Name", q."ConcurrencyLimit", q."KeyConcurrencyLimit",
    q."RateLimit", q."RatePeriodMs", q."KeyRateLimit", q."KeyRatePeriodMs"
FROM "BotQueues" q
WHERE q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL OR q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL
ORDER BY q."Name";
