// Package wordstest checks the language of comments and texts. A list of words
// finds sentences that are hard to read for people whose first language is not
// English; the standard is "plain technical English, the actor named". A list
// can only find such sentences: it does not replace reading.
package wordstest
