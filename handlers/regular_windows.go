package handlers

// nonBlocking is nothing: the folders of Windows hold no pipes and no devices.
const nonBlocking = 0
