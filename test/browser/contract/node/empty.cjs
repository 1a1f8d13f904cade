// Replaces modules of Node that the matchers need only for files and terminals.
module.exports = {}
