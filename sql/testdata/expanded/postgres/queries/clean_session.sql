SET LOCAL lock_timeout = '1s';
