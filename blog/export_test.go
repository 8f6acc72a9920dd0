package blog

// HashInput hashes any command.
var HashInput = hashInput
