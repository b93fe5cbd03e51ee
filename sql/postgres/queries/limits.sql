-- limits: the queues that have limits.
-- Out: name, limit of held items, the same for each key, starts and their period in ms, the same
--      for each key; NULL: no limit. Sorted by name.
SELECT q."Name", q."ConcurrencyLimit", q."KeyConcurrencyLimit",
    q."RateLimit", q."RatePeriodMs", q."KeyRateLimit", q."KeyRatePeriodMs"
FROM "BotQueues" q
WHERE q."ConcurrencyLimit" IS NOT NULL OR q."KeyConcurrencyLimit" IS NOT NULL OR q."RateLimit" IS NOT NULL OR q."KeyRateLimit" IS NOT NULL
ORDER BY q."Name";
