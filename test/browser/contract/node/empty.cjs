// Replaces modules of Node: see bundle.mjs.
module.exports = {}
