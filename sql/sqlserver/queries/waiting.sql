-- waiting: whether an item of a band waits for a worker and is due. It has the conditions of due
-- except those that only define an order; each part uses its own index and ends at the first row.
-- In:  min_priority, max_priority, now (NULL: the database clock)
-- Out: 1 or 0.
SELECT CASE
    -- include: waiting_cases
    ELSE 0 END;
