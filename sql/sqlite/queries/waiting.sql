-- waiting: whether an item of a band waits for a worker and is due. The conditions of
-- due but for those that only tell an order; each part follows its own index and ends at the first row.
-- In:  min_priority, max_priority, now (NULL: the database clock)
-- Out: 1 or 0.
SELECT CASE
    -- include: waiting_cases
    ELSE 0 END;
