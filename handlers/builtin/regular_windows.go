package builtin

// nonBlocking is 0: folders on Windows contain no pipes and no devices.
const nonBlocking = 0
